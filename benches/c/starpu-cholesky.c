/* starpu-cholesky SIZE TILE: what examples/cholesky.c computes (in double precision, with seed 1) with StarPU, for
 * comparison in the same run: the same functions (examples/common/tiles.h) and the kernels for CPU devices of
 * kernels/cholesky.cl. starpu-device.h says which environment it wants and which cores its threads have.
 *
 * A task reads and changes tiles, from which StarPU infers which task waits for which. All tasks are created at once,
 * step by step, with the priorities of the example.
 *
 * seconds          of the factorisation, until all of the result is back from the device
 * log_determinant  of the matrix, as of the example, to be compared with it
 * kernels          how many tasks ran as kernels */
#define _GNU_SOURCE

#include "starpu-device.h"

#include <inttypes.h>
#include <math.h>

#include "common/kernel-source.h"
#include "common/tiles.h"

enum { POTRF, TRSM, SYRK, GEMM, KINDS, BLOCKS_MOST = 3 };

static const char *const kernelNames[KINDS] = {
    "cholesky_potrf_cpu", "cholesky_trsm_cpu", "cholesky_syrk_cpu", "cholesky_gemm_cpu"};
static const unsigned blocksOf[KINDS] = {1, 2, 2, 3};

static cl_uint tile;
static TileFunctions functions;
static Kernel kernel[KINDS];
static struct starpu_codelet codelet[KINDS];
static uint64_t created[KINDS];

static void *pointer(void *buffer) { return (void *)STARPU_VECTOR_GET_PTR(buffer); }

static void potrfFunction(void *b[], void *argument) {
    (void)argument;
    functions.potrf(tile, pointer(b[0]));
}

static void trsmFunction(void *b[], void *argument) {
    (void)argument;
    functions.trsm(tile, pointer(b[0]), pointer(b[1]));
}

static void syrkFunction(void *b[], void *argument) {
    (void)argument;
    functions.syrk(tile, pointer(b[0]), pointer(b[1]));
}

static void gemmFunction(void *b[], void *argument) {
    (void)argument;
    functions.gemm(tile, pointer(b[0]), pointer(b[1]), pointer(b[2]));
}

static void launch(int kind, void *buffers[]) {
    setArgument(&kernel[kind], 0, sizeof tile, &tile);
    setBlocks(&kernel[kind], 1, buffers, blocksOf[kind]);
    launchOneItem(&kernel[kind]);
}

#define LAUNCH(name, kind)                                                                                            \
    static void name(void *buffers[], void *argument) {                                                               \
        (void)argument;                                                                                               \
        launch(kind, buffers);                                                                                        \
    }

LAUNCH(potrfKernel, POTRF)
LAUNCH(trsmKernel, TRSM)
LAUNCH(syrkKernel, SYRK)
LAUNCH(gemmKernel, GEMM)

static uint64_t tileIndex(uint64_t i, uint64_t j) { return i * (i + 1) / 2 + j; }

/* A task whose last block is the one that it changes. */
static struct starpu_task *create(int kind, uint64_t priority, const Blocks *lower, const uint64_t *block) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet[kind];
    task->priority = (int)priority;
    for (unsigned i = 0; i < blocksOf[kind]; i++)
        task->handles[i] = lower->handle[block[i]];
    return task;
}

static void submit(int kind, uint64_t priority, const Blocks *lower, const uint64_t *block) {
    struct starpu_task *task = create(kind, priority, lower, block);
    calibrate(task, created[kind]++);
    MUST(starpu_task_submit(task));
}

static void factor(const Blocks *lower, uint64_t tiles) {
    for (uint64_t k = 0; k < tiles; k++) {
        const uint64_t diagonal = tileIndex(k, k), left = 3 * (tiles - k);
        submit(POTRF, left, lower, &diagonal);
        for (uint64_t i = k + 1; i < tiles; i++)
            submit(TRSM, left - 1, lower, (uint64_t[]){diagonal, tileIndex(i, k)});
        for (uint64_t i = k + 1; i < tiles; i++)
            for (uint64_t j = k + 1; j <= i; j++) {
                const uint64_t then = 3 * (tiles - j) + (i == j);
                if (i == j)
                    submit(SYRK, then, lower, (uint64_t[]){tileIndex(i, k), tileIndex(i, i)});
                else
                    submit(GEMM, then, lower, (uint64_t[]){tileIndex(i, k), tileIndex(j, k), tileIndex(i, j)});
            }
    }
    MUST(starpu_task_wait_for_all());
    fetchBlocks(lower);
}

int main(int argc, char **argv) {
    const long size = argc == 3 ? atol(argv[1]) : 0, side = argc == 3 ? atol(argv[2]) : 0;
    if (size < 1 || size > 65536 || side < TILE_PANEL || side > 2048 || side % TILE_PANEL != 0) {
        fprintf(stderr, "usage: starpu-cholesky SIZE TILE; TILE is a multiple of %d\n", TILE_PANEL);
        return 1;
    }
    tile = (cl_uint)side;
    const uint64_t tiles = (uint64_t)((size + side - 1) / side);
    functions = tileFunctions(true);
    if (!beginStarpu() || !isCpu())
        return 0;
    char *source = kernelSource("cholesky.cl");
    if (source == NULL)
        return 1;
    loadProgram(source, "-DOCR_DEVICE_CPU=1 -DPRECISION=64");
    free(source);

    const starpu_cpu_func_t function[KINDS] = {potrfFunction, trsmFunction, syrkFunction, gemmFunction};
    const starpu_opencl_func_t launchers[KINDS] = {potrfKernel, trsmKernel, syrkKernel, gemmKernel};
    struct starpu_perfmodel model[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        loadKernel(&kernel[kind], kernelNames[kind]);
        fillCodelet(&codelet[kind], &model[kind], kernelNames[kind], function[kind], launchers[kind]);
        codelet[kind].nbuffers = (int)blocksOf[kind];
        for (unsigned i = 0; i < blocksOf[kind]; i++)
            codelet[kind].modes[i] = i + 1 == blocksOf[kind] ? STARPU_RW : STARPU_R;
    }

    Blocks lower = allocateBlocks(tileIndex(tiles, 0), tileNumbers(tile) * sizeof(double));
    for (uint64_t i = 0; i < tiles; i++)
        for (uint64_t j = 0; j <= i; j++)
            matrixTile(true, 1, (uint64_t)size, tile, i, j, blockOf(&lower, tileIndex(i, j)));
    registerBlocks(&lower);
    const double begin = now();
    factor(&lower, tiles);
    printf("seconds: %.9f\nkernels: %" PRIu64 "\n", 1e-9 * (now() - begin), launches);
    for (int kind = 0; kind < KINDS && tiles >= BLOCKS_MOST; kind++)
        printModels(create(kind, 0, &lower, (uint64_t[]){0, 1, 2}));
    unregisterBlocks(&lower);

    double sum = 0;
    for (long i = 0; i < size; i++) {
        const double *diagonal = blockOf(&lower, tileIndex((uint64_t)(i / side), (uint64_t)(i / side)));
        sum += 2 * log(diagonal[(size_t)(i % side) * (tileStride(tile) + 1)]);
    }
    printf("log_determinant: %.6g\n", sum);
    freeBlocks(&lower);
    for (int kind = 0; kind < KINDS; kind++)
        unloadKernel(&kernel[kind]);
    endStarpu();
    return 0;
}
