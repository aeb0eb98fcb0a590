/* seismic-openmp WIDTH HEIGHT ITERATIONS: what examples/seismic.c computes, as one writes it with OpenMP: the whole
 * grid in one piece, a parallel loop over its rows for each phase, and so a barrier behind each phase. A row is
 * computed by the same functions as there. OMP_NUM_THREADS says how many threads.
 *
 * Rows are divided alike in every loop (schedule(static)), so a thread always has the same ones, and its caches, and
 * the memory near it: each thread is the first to write what it works on.
 *
 * seconds             of the iterations
 * greatest_velocity   at the end, as of the example, to be compared with it
 * checksum            likewise, of all velocities */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "common/png.h"
#include "common/wave.h"

static void iterate(uint32_t width, uint32_t height, uint32_t stride, float *fields, const float *ground,
                    const float *still, uint64_t iterations) {
    const size_t plane = (size_t)height * stride;
    float *v = fields, *s = v + plane, *t = s + plane;
#pragma omp parallel
    for (uint64_t iteration = 0; iteration < iterations; iteration++) {
#pragma omp for schedule(static)
        for (uint32_t row = 0; row < height; row++) {
            const size_t at = (size_t)row * stride;
            waveStressRow(width, ground + at, v + at, row + 1 < height ? v + at + stride : still, s + at, t + at);
        }
#pragma omp for schedule(static)
        for (uint32_t row = 0; row < height; row++) {
            const size_t at = (size_t)row * stride;
            waveVelocityRow(width, ground + plane + at, ground + 2 * plane + at, s + at, t + at,
                            row > 0 ? t + at - stride : still, v + at);
            if (row == waveSourceRow(height))
                v[at + waveSourceColumn(width)] += wavePulse(iteration);
        }
    }
}

int main(int argc, char **argv) {
    const long width = argc == 4 ? atol(argv[1]) : 0, height = argc == 4 ? atol(argv[2]) : 0;
    const long iterations = argc == 4 ? atol(argv[3]) : 0;
    if (width < 1 || width > WAVE_SIDE_MAX || height < 1 || height > WAVE_SIDE_MAX || iterations < 1) {
        fprintf(stderr, "usage: seismic-openmp WIDTH HEIGHT ITERATIONS\n");
        return 1;
    }
    const uint32_t stride = waveStride((uint32_t)width);
    const size_t plane = (size_t)height * stride;
    float *fields = malloc(3 * plane * sizeof *fields), *ground = malloc(3 * plane * sizeof *ground);
    float *still = calloc(stride, sizeof *still);
    if (fields == NULL || ground == NULL || still == NULL) {
        fprintf(stderr, "seismic-openmp: no memory\n");
        return 1;
    }
    fields[plane - 1] = 0; /* what stands in front of s */
#pragma omp parallel for schedule(static)
    for (long row = 0; row < height; row++) {
        float one[3 * (WAVE_SIDE_MAX + 32)];
        waveGround((uint32_t)width, (uint32_t)height, stride, (uint32_t)row, 1, one);
        for (size_t p = 0; p < 3; p++) {
            memcpy(ground + p * plane + (size_t)row * stride, one + p * stride, stride * sizeof *ground);
            memset(fields + p * plane + (size_t)row * stride, 0, stride * sizeof *fields);
        }
    }

    const double begin = now();
    iterate((uint32_t)width, (uint32_t)height, stride, fields, ground, still, (uint64_t)iterations);
    const double end = now();

    float greatest = 0;
    uint32_t sum = 0;
    for (long row = 0; row < height; row++)
        for (long column = 0; column < width; column++) {
            const float value = fields[(size_t)row * stride + (size_t)column] + 0.0f;
            greatest = fmaxf(greatest, fabsf(value));
            sum = pngCrc(sum, &value, sizeof value);
        }
    printf("seconds: %.6f\n", 1e-9 * (end - begin));
    printf("greatest_velocity: %.9g\n", (double)greatest);
    printf("checksum: %u\n", sum);
    free(fields);
    free(ground);
    free(still);
    return 0;
}
