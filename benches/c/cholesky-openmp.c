/* cholesky-openmp SIZE TILE [loop]: what examples/cholesky.c computes (in double precision, with seed 1), with the same
 * tile functions: as OpenMP tasks with `depend` and `priority` clauses, created by one thread while others run them,
 * or, with `loop`, in one plain loop nest without any task. OMP_NUM_THREADS says how many threads. The priorities are
 * those of the example; OpenMP heeds as many as OMP_MAX_TASK_PRIORITY says, which is none by default.
 *
 * seconds          of the factorisation
 * log_determinant  of the matrix, as of the example, to be compared with it */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "common/tiles.h"

static double *tileOf(double *lower, uint32_t tile, uint32_t i, uint32_t j) {
    return lower + tileNumbers(tile) * ((size_t)i * (i + 1) / 2 + j);
}

static void loop(const TileFunctions *with, double *lower, uint32_t tile, uint32_t tiles) {
    for (uint32_t k = 0; k < tiles; k++) {
        double *diagonal = tileOf(lower, tile, k, k);
        with->potrf(tile, diagonal);
        for (uint32_t i = k + 1; i < tiles; i++)
            with->trsm(tile, diagonal, tileOf(lower, tile, i, k));
        for (uint32_t i = k + 1; i < tiles; i++) {
            for (uint32_t j = k + 1; j < i; j++)
                with->gemm(tile, tileOf(lower, tile, i, k), tileOf(lower, tile, j, k), tileOf(lower, tile, i, j));
            with->syrk(tile, tileOf(lower, tile, i, k), tileOf(lower, tile, i, i));
        }
    }
}

static void tasks(const TileFunctions *with, double *lower, uint32_t tile, uint32_t tiles) {
#pragma omp parallel
#pragma omp single
    for (uint32_t k = 0; k < tiles; k++) {
        double *diagonal = tileOf(lower, tile, k, k);
        const int left = (int)(3 * (tiles - k));
        (void)left; /* without OpenMP */
#pragma omp task depend(inout : diagonal[0]) priority(left)
        with->potrf(tile, diagonal);
        for (uint32_t i = k + 1; i < tiles; i++) {
            double *a = tileOf(lower, tile, i, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : a[0]) priority(left - 1)
            with->trsm(tile, diagonal, a);
        }
        for (uint32_t i = k + 1; i < tiles; i++) {
            double *a = tileOf(lower, tile, i, k), *last = tileOf(lower, tile, i, i);
            for (uint32_t j = k + 1; j < i; j++) {
                double *b = tileOf(lower, tile, j, k), *c = tileOf(lower, tile, i, j);
                const int then = (int)(3 * (tiles - j));
                (void)then;
#pragma omp task depend(in : a[0], b[0]) depend(inout : c[0]) priority(then)
                with->gemm(tile, a, b, c);
            }
            const int then = (int)(3 * (tiles - i)) + 1;
            (void)then;
#pragma omp task depend(in : a[0]) depend(inout : last[0]) priority(then)
            with->syrk(tile, a, last);
        }
    }
}

int main(int argc, char **argv) {
    const long size = argc >= 3 ? atol(argv[1]) : 0, side = argc >= 3 ? atol(argv[2]) : 0;
    if (size < 1 || size > 65536 || side < TILE_PANEL || side > 2048 || side % TILE_PANEL != 0) {
        fprintf(stderr, "usage: cholesky-openmp SIZE TILE [loop]; TILE is a multiple of %d\n", TILE_PANEL);
        return 1;
    }
    const uint32_t tile = (uint32_t)side, tiles = (uint32_t)((size + side - 1) / side);
    double *lower = malloc(tileNumbers(tile) * sizeof *lower * tiles * (tiles + 1) / 2);
    if (lower == NULL) {
        fprintf(stderr, "cholesky-openmp: no memory\n");
        return 1;
    }
    for (uint32_t i = 0; i < tiles; i++)
        for (uint32_t j = 0; j <= i; j++)
            matrixTile(true, 1, (uint64_t)size, tile, i, j, tileOf(lower, tile, i, j));

    const TileFunctions with = tileFunctions(true);
    const double begin = now();
    if (argc > 3)
        loop(&with, lower, tile, tiles);
    else
        tasks(&with, lower, tile, tiles);
    const double end = now();

    double sum = 0;
    for (long i = 0; i < size; i++)
        sum += 2 * log(tileOf(lower, tile, (uint32_t)(i / side), (uint32_t)(i / side))[i % side * (side + 9)]);
    printf("seconds: %.6f\n", 1e-9 * (end - begin));
    printf("log_determinant: %.6g\n", sum);
    free(lower);
    return 0;
}
