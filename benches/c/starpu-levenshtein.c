/* starpu-levenshtein METHOD FILE FILE: the tiles of examples/levenshtein.c with StarPU, for comparison in the same run:
 * the same functions (examples/common/edit-distance.c) and the kernels for CPU devices of kernels/levenshtein.cl, on
 * tiles of the same size. METHOD is `bits` or `dp`. starpu-device.h says which environment it wants and which cores its
 * threads have.
 *
 * A row of tiles has a block with its letters and one with the boundary that moves through it, and so has a column. A
 * tile reads the letters and changes both boundaries. StarPU infers from that which tile waits for which, and moves the
 * blocks to the device and back. All tiles are created at once, row by row.
 *
 * distance    the result
 * seconds     how long it took, without reading the files and compiling the kernel
 * kernels     how many tiles ran as kernels */
#define _GNU_SOURCE

#include "starpu-device.h"

#include "common/edit-distance.h"
#include "common/input.h"
#include "common/kernel-source.h"

/* What a tile computes: kernels get it as arguments in this order; method dp has no planes. */
typedef struct {
    cl_uint tile, rows, columns, planes;
} Shape;

enum { ROW_LETTERS, COLUMN_LETTERS, ROW_BOUNDARY, COLUMN_BOUNDARY, BLOCKS };

static bool isBits;
static EditAlphabet alphabet;
static uint64_t tile;
static size_t bytes[BLOCKS]; /* of a block of each kind */
static Kernel kernel;
static struct starpu_codelet codelet;

static void onWorker(void *buffers[], void *argument) {
    const Shape *shape = argument;
    void *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = (void *)STARPU_VECTOR_GET_PTR(buffers[i]);
    if (isBits)
        editTileBits(shape->tile, shape->rows, shape->columns, shape->planes, block[ROW_LETTERS],
                     block[COLUMN_LETTERS], block[ROW_BOUNDARY], block[COLUMN_BOUNDARY]);
    else
        editTileDp(shape->rows, shape->columns, block[ROW_LETTERS], block[COLUMN_LETTERS], block[ROW_BOUNDARY],
                   (uint32_t *)block[ROW_BOUNDARY] + 1, block[COLUMN_BOUNDARY]);
}

static void onDevice(void *buffers[], void *argument) {
    const Shape *shape = argument;
    cl_uint at = 0;
    setArgument(&kernel, at++, sizeof(cl_uint), &shape->tile);
    setArgument(&kernel, at++, sizeof(cl_uint), &shape->rows);
    setArgument(&kernel, at++, sizeof(cl_uint), &shape->columns);
    if (isBits)
        setArgument(&kernel, at++, sizeof(cl_uint), &shape->planes);
    setBlocks(&kernel, at, buffers, BLOCKS);
    for (int i = 0; i < 2; i++) /* the control dependences, which carry no data */
        setArgument(&kernel, at + BLOCKS + (cl_uint)i, sizeof(cl_mem), NULL);
    launchOneItem(&kernel);
}

static uint64_t least(uint64_t x, uint64_t y) { return x < y ? x : y; }

/* The boundary of a row or column of tiles at the edge of the matrix: every difference is 1; `first` is the first
 * value. */
static void fillBoundary(void *block, size_t size, uint64_t first) {
    if (isBits) {
        memset(block, 0xff, size / 2);
        memset((char *)block + size / 2, 0, size / 2);
        return;
    }
    for (uint64_t i = 0; i < size / sizeof(uint32_t); i++)
        ((uint32_t *)block)[i] = (uint32_t)(first + i);
}

static struct starpu_task *create(const Blocks *blocks, uint64_t i, uint64_t j, Shape *shape) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = shape;
    task->cl_arg_size = sizeof *shape;
    for (int k = 0; k < BLOCKS; k++)
        task->handles[k] = blocks[k].handle[k == ROW_LETTERS || k == ROW_BOUNDARY ? i : j];
    return task;
}

static void fillBlocks(Blocks *blocks, const Sequence *a, const Sequence *b) {
    for (uint64_t i = 0; i < blocks[ROW_LETTERS].count; i++) {
        const uint64_t from = i * tile, rows = least(tile, a->length - from);
        if (isBits)
            editRowPlanes(&alphabet, a->letters + from, (uint32_t)rows, (uint32_t)tile,
                          blockOf(&blocks[ROW_LETTERS], i));
        else
            memcpy(blockOf(&blocks[ROW_LETTERS], i), a->letters + from, rows);
        fillBoundary(blockOf(&blocks[ROW_BOUNDARY], i), bytes[ROW_BOUNDARY], from);
    }
    for (uint64_t j = 0; j < blocks[COLUMN_LETTERS].count; j++) {
        const uint64_t from = j * tile, columns = least(tile, b->length - from);
        uint8_t *letters = blockOf(&blocks[COLUMN_LETTERS], j);
        for (uint64_t c = 0; c < columns; c++)
            letters[c] = isBits ? alphabet.columnCode[b->letters[from + c]] : b->letters[from + c];
        fillBoundary(blockOf(&blocks[COLUMN_BOUNDARY], j), bytes[COLUMN_BOUNDARY], from + 1);
    }
}

/* What is left in the boundaries of the rows. */
static uint64_t distanceOf(const Blocks *boundaries, uint64_t n, uint64_t m) {
    uint64_t distance = isBits ? m : 0;
    for (uint64_t i = isBits ? 0 : boundaries->count - 1; i < boundaries->count; i++) {
        const uint32_t rows = (uint32_t)least(tile, n - i * tile);
        MUST(starpu_data_acquire(boundaries->handle[i], STARPU_R));
        if (isBits)
            distance += (uint64_t)editVerticalSum((uint32_t)tile, rows, blockOf(boundaries, i));
        else
            distance = ((const uint32_t *)blockOf(boundaries, i))[rows];
        starpu_data_release(boundaries->handle[i]);
    }
    return distance;
}

static void compute(const Sequence *a, const Sequence *b) {
    const uint64_t n = a->length, m = b->length, rows = (n + tile - 1) / tile, columns = (m + tile - 1) / tile;
    const double begin = now();
    Blocks blocks[BLOCKS];
    for (int k = 0; k < BLOCKS; k++)
        blocks[k] = allocateBlocks(k == ROW_LETTERS || k == ROW_BOUNDARY ? rows : columns, bytes[k]);
    fillBlocks(blocks, a, b);
    for (int k = 0; k < BLOCKS; k++)
        registerBlocks(&blocks[k]);
    Shape *shape = mustAllocate(rows * columns, sizeof *shape);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            Shape *own = &shape[i * columns + j];
            *own = (Shape){(cl_uint)tile, (cl_uint)least(tile, n - i * tile), (cl_uint)least(tile, m - j * tile),
                           alphabet.planes};
            struct starpu_task *task = create(blocks, i, j, own);
            calibrate(task, i + j);
            MUST(starpu_task_submit(task));
        }
    MUST(starpu_task_wait_for_all());
    const uint64_t distance = distanceOf(&blocks[ROW_BOUNDARY], n, m);
    printf("distance: %" PRIu64 "\nseconds: %.9f\nkernels: %" PRIu64 "\n", distance, 1e-9 * (now() - begin), launches);

    printModels(create(blocks, 0, 0, shape));
    for (int k = 0; k < BLOCKS; k++) {
        unregisterBlocks(&blocks[k]);
        freeBlocks(&blocks[k]);
    }
    free(shape);
}

int main(int argc, char **argv) {
    isBits = argc == 4 && strcmp(argv[1], "bits") == 0;
    if (argc != 4 || (!isBits && strcmp(argv[1], "dp") != 0)) {
        fprintf(stderr, "usage: starpu-levenshtein bits|dp FILE FILE\n");
        return 2;
    }
    Sequence sequence[2];
    InputFacts facts[2];
    char why[INPUT_WHY];
    if (!inputRead((const char *const *)&argv[2], INPUT_AUTO, false, sequence, facts, why)) {
        fprintf(stderr, "starpu-levenshtein: %s\n", why);
        return 1;
    }
    const Sequence *a = &sequence[0], *b = &sequence[1];
    if (a->length == 0 || b->length == 0) {
        fprintf(stderr, "starpu-levenshtein: a sequence is empty\n");
        return 1;
    }
    editAlphabet(&alphabet, a->letters, a->length, b->letters, b->length);
    tile = least(editDefaultTile(a->length, b->length, isBits), editCoveringTile(a->length, b->length));
    bytes[ROW_LETTERS] = isBits ? alphabet.planes * (tile / 8) : tile;
    bytes[COLUMN_LETTERS] = tile;
    bytes[ROW_BOUNDARY] = isBits ? 2 * (tile / 8) : (tile + 1) * sizeof(uint32_t);
    bytes[COLUMN_BOUNDARY] = isBits ? 2 * (tile / 8) : tile * sizeof(uint32_t);

    if (!beginStarpu() || !isCpu())
        return 0;
    char *source = kernelSource("levenshtein.cl"), options[64], symbol[64];
    if (source == NULL)
        return 1;
    snprintf(options, sizeof options, "-DOCR_DEVICE_CPU=1 -DPLANES=%" PRIu32, alphabet.planes);
    loadProgram(source, options);
    loadKernel(&kernel, isBits ? "levenshtein_bits_cpu" : "levenshtein_dp_cpu");
    free(source);
    snprintf(symbol, sizeof symbol, "levenshtein_%s_%" PRIu64 "_%" PRIu32, argv[1], tile, alphabet.planes);
    struct starpu_perfmodel model;
    fillCodelet(&codelet, &model, symbol, onWorker, onDevice);
    codelet.nbuffers = BLOCKS;
    codelet.modes[ROW_LETTERS] = codelet.modes[COLUMN_LETTERS] = STARPU_R;
    codelet.modes[ROW_BOUNDARY] = codelet.modes[COLUMN_BOUNDARY] = STARPU_RW;

    compute(a, b);
    unloadKernel(&kernel);
    endStarpu();
    free(sequence[0].letters), free(sequence[1].letters);
    return 0;
}
