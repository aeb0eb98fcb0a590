/* What examples/cholesky.c and benches/c/cholesky-openmp.c do with tiles of a matrix, and the matrix.
 *
 * A tile is a square of `tile` rows and columns, a multiple of TILE_PANEL. It is stored by columns, and column j begins
 * at j * tileStride(tile). The four functions are named as in BLAS and LAPACK:
 *
 *     potrf   a = the Cholesky factor l of a, so that a = l * l'; what is above the diagonal is left undefined
 *     trsm    a = a * inverse of l', with l lower triangular
 *     syrk    c -= a * a', of which the lower half counts
 *     gemm    c -= a * b'
 *
 * (x' is x transposed.) They are in plain C with vectors of GCC and Clang, for whatever the processor has. */
#ifndef TILES_H
#define TILES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_PANEL = 16 };

/* The numbers from a column to the next. More than the column has: columns whose distance is a power of two all begin
 * in the same few places of a cache. */
static inline uint32_t tileStride(uint32_t tile) {
    return tile + 8;
}

static inline size_t tileNumbers(uint32_t tile) {
    return (size_t)tile * tileStride(tile);
}

/* ---- the functions ----------------------------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* a * b + c in one step, where the processor has it; small loops are unrolled at -O2, too. Of float there is no form
 * for AVX-512: a register block would have more rows than a panel. */
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#else
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=fast")
#endif

#define REAL    double
#define LANES   2
#define TARGET
#define NAME(x) x##Double
#include "tile-loops.h"

#define REAL    float
#define LANES   4
#define TARGET
#define NAME(x) x##Float
#include "tile-loops.h"

#ifdef __x86_64__
#define REAL    double
#define LANES   4
#define TARGET  __attribute__((target("avx2,fma")))
#define NAME(x) x##DoubleAvx2
#include "tile-loops.h"

#define REAL    float
#define LANES   8
#define TARGET  __attribute__((target("avx2,fma")))
#define NAME(x) x##FloatAvx2
#include "tile-loops.h"

#define REAL    double
#define LANES   8
#define TARGET  __attribute__((target("avx512f")))
#define NAME(x) x##DoubleAvx512
#include "tile-loops.h"
#endif

#ifndef __clang__
#pragma GCC pop_options
#endif

/* The functions for one precision. Arguments are void, so that there is one type for both. */
typedef struct {
    const char *name;
    void (*potrf)(uint32_t tile, void *a);
    void (*trsm)(uint32_t tile, const void *l, void *a);
    void (*syrk)(uint32_t tile, const void *a, void *c);
    void (*gemm)(uint32_t tile, const void *a, const void *b, void *c);
} TileFunctions;

#define TILE_FUNCTIONS(kind, REAL)                                                                                    \
    static void anyPotrf##kind(uint32_t tile, void *a) {                                                              \
        potrf##kind(tile, (REAL *)a);                                                                                 \
    }                                                                                                                 \
    static void anyTrsm##kind(uint32_t tile, const void *l, void *a) {                                                \
        trsm##kind(tile, (const REAL *)l, (REAL *)a);                                                                 \
    }                                                                                                                 \
    static void anySyrk##kind(uint32_t tile, const void *a, void *c) {                                                \
        syrk##kind(tile, (const REAL *)a, (REAL *)c);                                                                 \
    }                                                                                                                 \
    static void anyGemm##kind(uint32_t tile, const void *a, const void *b, void *c) {                                 \
        gemm##kind(tile, (const REAL *)a, (const REAL *)b, (REAL *)c);                                                \
    }

TILE_FUNCTIONS(Double, double)
TILE_FUNCTIONS(Float, float)
#ifdef __x86_64__
TILE_FUNCTIONS(DoubleAvx2, double)
TILE_FUNCTIONS(FloatAvx2, float)
TILE_FUNCTIONS(DoubleAvx512, double)
#endif
#define TILE_TABLE(kind, name) (TileFunctions){ name, anyPotrf##kind, anyTrsm##kind, anySyrk##kind, anyGemm##kind }

/* The fastest that this processor has. TILE_FORM=portable or avx2 in the environment limits what is taken. */
static inline TileFunctions tileFunctions(bool isDouble) {
#ifdef __x86_64__
    const char *form = getenv("TILE_FORM");
    const bool mayAvx2 = form == NULL || strcmp(form, "portable") != 0;
    const bool mayAvx512 = mayAvx2 && (form == NULL || strcmp(form, "avx2") != 0);
    if (isDouble && mayAvx512 && __builtin_cpu_supports("avx512f"))
        return TILE_TABLE(DoubleAvx512, "avx512");
    if (mayAvx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return isDouble ? TILE_TABLE(DoubleAvx2, "avx2") : TILE_TABLE(FloatAvx2, "avx2");
#endif
    return isDouble ? TILE_TABLE(Double, "portable") : TILE_TABLE(Float, "portable");
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* Element (i, j) of the matrix: random, from the seed, in (-1, 1), the same for (j, i); on the diagonal `size` more, so
 * that the matrix is positive definite. Beyond `size`, which fills up the last tiles, it is that of the unit matrix. */
static inline double matrixElement(uint64_t seed, uint64_t size, uint64_t i, uint64_t j) {
    if (i >= size || j >= size)
        return i == j;
    const uint64_t high = i > j ? i : j, low = i > j ? j : i;
    uint64_t x = seed * 0x9e3779b97f4a7c15 + (high << 32 | low); /* mixed as by splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x ^= x >> 31;
    const double random = (double)(x >> 12) * 0x1p-51 - 1;
    return i == j ? (double)size + random : random;
}

/* Tile (i, j) of the matrix. */
static inline void matrixTile(bool isDouble, uint64_t seed, uint64_t size, uint32_t tile, uint64_t i, uint64_t j,
                              void *to) {
    const uint32_t stride = tileStride(tile);
    memset(to, 0, tileNumbers(tile) * (isDouble ? sizeof(double) : sizeof(float)));
    for (uint32_t column = 0; column < tile; column++)
        for (uint32_t row = 0; row < tile; row++) {
            const double value = matrixElement(seed, size, i * tile + row, j * tile + column);
            if (isDouble)
                ((double *)to)[row + (size_t)column * stride] = value;
            else
                ((float *)to)[row + (size_t)column * stride] = (float)value;
        }
}

#endif
