/* A seismic wave in two dimensions: what examples/seismic.c and benches/c/seismic-openmp.c compute.
 *
 * The ground is a grid of cells. A cell has the velocity at which it moves, and two stresses: s, between it and the
 * cell to its right, and t, between it and the cell below. An iteration has two phases, over all cells each:
 *
 *     stress:    s += modulus * (v of the cell to the right - v)
 *                t += modulus * (v of the cell below - v)
 *     velocity:  v  = damping * (v + buoyancy * (s - s of the cell to the left + t - t of the cell above))
 *
 * and one cell, the source, gets a pulse on top of its new velocity. Beyond the surface (above the first row) and to
 * the left there is no stress, below and to the right nothing moves. So that waves are not thrown back from there,
 * cells near the left, right and lower edge are damped. Modulus, buoyancy (1 / density) and damping of a cell never
 * change; where modulus * buoyancy is at most 1/2, the computation is stable.
 *
 * The grid is cut into bands of rows. A band has its fields (v, s, t) in one array, and its ground (modulus, buoyancy,
 * damping) in another; each is three planes, one behind the other, of `rows` times `stride` numbers. A row ends in at
 * least one number that is no cell and stays 0. So what is to the right of a row's last cell, and to the left of its
 * first, is a 0 in memory; the first plane of the fields is v, so there is one in front of s, too.
 *
 * Additions and multiplications are in the same order wherever they are done, and a pragma keeps compilers from fusing
 * them. So results are the same to the last bit in C and in OpenCL C. */
#ifndef WAVE_H
#define WAVE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* No a * b + c in one step; loops become vectors at -O2, too. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=off")
#endif

/* Loops over a row in a form for each of these vector units, of which the program takes the best that is there. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WAVE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WAVE_VECTORS
#endif

enum { WAVE_SIDE_MAX = 32768, WAVE_PLANES = 3 };

/* The numbers of a row in memory: whole cache lines, with at least one number behind the cells. Rows of a power of two
 * would all begin in the same few places of a cache. */
static inline uint32_t waveStride(uint32_t width) {
    const uint32_t stride = (width + 16) / 16 * 16;
    return stride % 256 == 0 ? stride + 16 : stride;
}

static inline size_t waveBandSize(uint32_t rows, uint32_t stride) {
    return (size_t)WAVE_PLANES * rows * stride * sizeof(float);
}

/* ---- the ground -------------------------------------------------------------------------------------------------- */

/* How much of its velocity a cell keeps that lies `distance` cells from an edge: less, the nearer it is. */
static inline float waveKeeps(uint32_t distance, uint32_t sponge) {
    if (distance >= sponge)
        return 1;
    const float depth = (float)(sponge - distance) / (float)sponge;
    return 1 - 0.15f * depth * depth;
}

/* Rows `first` to `first + rows` of the ground: four layers, whose borders are a slope and a fold, and a lens of
 * something soft in the third. */
static inline void waveGround(uint32_t width, uint32_t height, uint32_t stride, uint32_t first, uint32_t rows,
                              float *ground) {
    static const float modulus[] = { 0.15f, 0.30f, 0.55f, 0.85f, 0.08f }, buoyancy[] = { 0.9f, 0.7f, 0.6f, 0.5f, 1 };
    const uint32_t sponge = (width < height ? width : height) / 8;
    const size_t plane = (size_t)rows * stride;
    memset(ground, 0, waveBandSize(rows, stride));
    for (uint32_t row = 0; row < rows; row++) {
        const float y = (float)(first + row) / (float)height;
        const float down = waveKeeps(height - 1 - first - row, sponge);
        for (uint32_t column = 0; column < width; column++) {
            const float x = (float)column / (float)width, fold = 4 * x * (1 - x);
            const float lensX = x - 0.7f, lensY = (y - 0.6f) * 3;
            int layer = (y > 0.2f + 0.1f * x) + (y > 0.35f + 0.15f * fold) + (y > 0.75f - 0.1f * x);
            if (lensX * lensX + lensY * lensY < 0.02f)
                layer = 4;
            float *cell = ground + (size_t)row * stride + column;
            cell[0] = modulus[layer];
            cell[plane] = buoyancy[layer];
            cell[2 * plane] = down * waveKeeps(column, sponge) * waveKeeps(width - 1 - column, sponge);
        }
    }
}

/* Where the pulse is: the row and column of its cell. */
static inline uint32_t waveSourceRow(uint32_t height) {
    return height / 10;
}

static inline uint32_t waveSourceColumn(uint32_t width) {
    return width / 3;
}

/* What the source's velocity gets in an iteration: a Ricker wavelet, 0 after its end. */
static inline float wavePulse(uint64_t iteration) {
    const double period = 60, middle = 80;
    if (iteration > 2 * middle)
        return 0;
    const double a = ((double)iteration - middle) / period * 3.14159265358979;
    return (float)((1 - 2 * a * a) * exp(-a * a));
}

/* ---- the phases -------------------------------------------------------------------------------------------------- */

/* A row of the stress phase. below: v of the row below. */
WAVE_VECTORS static void waveStressRow(uint32_t width, const float *restrict modulus, const float *restrict v,
                                       const float *restrict below, float *restrict s, float *restrict t) {
    for (uint32_t i = 0; i < width; i++) {
        s[i] += modulus[i] * (v[i + 1] - v[i]);
        t[i] += modulus[i] * (below[i] - v[i]);
    }
}

/* A row of the velocity phase. s[-1] is there, and 0. above: t of the row above. */
WAVE_VECTORS static void waveVelocityRow(uint32_t width, const float *restrict buoyancy, const float *restrict damping,
                                         const float *restrict s, const float *restrict t, const float *restrict above,
                                         float *restrict v) {
    for (uint32_t i = 0; i < width; i++)
        v[i] = damping[i] * (v[i] + buoyancy[i] * (s[i] - s[(ptrdiff_t)i - 1] + t[i] - above[i]));
}

/* The stress phase of a band. below: v of the first row of the band below. lowest: gets t of this band's last row. */
static inline void waveStress(uint32_t stride, uint32_t width, uint32_t rows, float *fields, const float *ground,
                              const float *below, float *lowest) {
    const size_t plane = (size_t)rows * stride;
    for (uint32_t row = 0; row < rows; row++) {
        float *v = fields + (size_t)row * stride;
        waveStressRow(width, ground + (size_t)row * stride, v, row + 1 < rows ? v + stride : below, v + plane,
                      v + 2 * plane);
    }
    memcpy(lowest, fields + 3 * plane - stride, stride * sizeof *lowest);
}

/* The velocity phase of a band. above: t of the last row of the band above. highest: gets v of this band's first row.
 * source: the cell of the band, row * stride + column, that gets `pulse`; one that is not in it for none. */
static inline void waveVelocity(uint32_t stride, uint32_t width, uint32_t rows, uint32_t source, float pulse,
                                float *fields, const float *ground, const float *above, float *highest) {
    const size_t plane = (size_t)rows * stride;
    for (uint32_t row = 0; row < rows; row++) {
        const float *cell = ground + (size_t)row * stride;
        float *v = fields + (size_t)row * stride, *t = v + 2 * plane;
        waveVelocityRow(width, cell + plane, cell + 2 * plane, v + plane, t, row > 0 ? t - stride : above, v);
    }
    if (source < plane)
        fields[source] += pulse;
    memcpy(highest, fields, stride * sizeof *highest);
}

/* ---- the whole grid, for comparison ------------------------------------------------------------------------------ */

/* v after `iterations`, computed cell by cell without bands; the caller frees it. NULL if there is no memory. */
static inline float *waveSerial(uint32_t width, uint32_t height, uint64_t iterations) {
    const uint32_t stride = waveStride(width);
    const size_t plane = (size_t)height * stride;
    const size_t source = (size_t)waveSourceRow(height) * stride + waveSourceColumn(width);
    float *v = calloc(1, waveBandSize(height, stride)), *ground = malloc(waveBandSize(height, stride));
    if (v == NULL || ground == NULL) {
        free(v);
        free(ground);
        return NULL;
    }
    float *s = v + plane, *t = s + plane;
    waveGround(width, height, stride, 0, height, ground);
    for (uint64_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t row = 0; row < height; row++)
            for (uint32_t column = 0; column < width; column++) {
                const size_t at = (size_t)row * stride + column;
                s[at] += ground[at] * (v[at + 1] - v[at]);
                t[at] += ground[at] * ((row + 1 < height ? v[at + stride] : 0) - v[at]);
            }
        for (uint32_t row = 0; row < height; row++)
            for (uint32_t column = 0; column < width; column++) {
                const size_t at = (size_t)row * stride + column;
                const float pull = s[at] - s[at - 1] + t[at] - (row > 0 ? t[at - stride] : 0);
                v[at] = ground[2 * plane + at] * (v[at] + ground[plane + at] * pull);
            }
        v[source] += wavePulse(iteration);
    }
    free(ground);
    return v;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
