/* starpu-variants SHAPE SIZE FUNCTION_STEPS KERNEL_STEPS ROUNDS: the graphs of variants.c with StarPU, for comparison
 * in the same run. starpu-device.h says which environment it wants and which cores its threads have.
 *
 * Each task is the function or the kernel of variants.h on a block of its own, a vector that StarPU moves to the device
 * and back. SHAPE is `independent`, SIZE tasks, or `wavefront`, SIZE x SIZE tasks of which each waits for its
 * neighbours above and to the left (starpu_task_declare_deps_array). ROUNDS times the whole, one after the other.
 *
 * ns_N        from the first creation of round N until all tasks have run
 * kernels_N   how many of the tasks of that round ran as kernels
 *
 * StarPU plans by the history of each pair of steps, whatever SHAPE and SIZE: calibrate it (STARPU_CALIBRATE=1) by some
 * hundred independent tasks before anything is measured. */
#define _GNU_SOURCE

#include "starpu-device.h"
#include "variants.h"

#include <inttypes.h>

static uint64_t size, steps[2], rounds, count;
static bool wavefront;
static Kernel kernel;
static struct starpu_codelet codelet;

static void onWorker(void *buffers[], void *argument) {
    (void)argument;
    variantsFunction((uint64_t *)STARPU_VECTOR_GET_PTR(buffers[0]), steps[0]);
}

static void onDevice(void *buffers[], void *argument) {
    (void)argument;
    setArgument(&kernel, 0, sizeof steps[0], &steps[0]);
    setArgument(&kernel, 1, sizeof steps[1], &steps[1]);
    setBlocks(&kernel, 2, buffers, 1);
    launchOneItem(&kernel);
}

static struct starpu_task *create(starpu_data_handle_t block) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = block;
    task->destroy = 0;
    return task;
}

static void runRound(uint64_t number, const Blocks *blocks, struct starpu_task **task) {
    const uint64_t before = launches;
    const double begin = now();
    for (uint64_t i = 0; i < count; i++) {
        struct starpu_task *on[2];
        unsigned waits = 0;
        if (wavefront && i >= size)
            on[waits++] = task[i - size];
        if (wavefront && i % size != 0)
            on[waits++] = task[i - 1];
        task[i] = create(blocks->handle[i]);
        if (waits > 0)
            starpu_task_declare_deps_array(task[i], waits, on);
        calibrate(task[i], i);
        MUST(starpu_task_submit(task[i]));
    }
    MUST(starpu_task_wait_for_all());
    const double ns = now() - begin;
    for (uint64_t i = 0; i < count; i++)
        starpu_task_destroy(task[i]);
    printf("ns_%" PRIu64 ": %.9g\nkernels_%" PRIu64 ": %" PRIu64 "\n", number, ns, number, launches - before);
}

/* Whether every block was counted in each round. After a single round its value shows, besides, which variant computed
 * it. */
static bool isRight(const Blocks *blocks) {
    uint64_t function[VARIANTS_NUMBERS] = {0}, onDevice[VARIANTS_NUMBERS] = {0}, kernels = 0;
    variantsFunction(function, steps[0]);
    variantsFunction(onDevice, steps[1]);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *block = blockOf(blocks, i);
        if (block[1] != rounds || (rounds == 1 && block[0] != function[0] && block[0] != onDevice[0]))
            return false;
        kernels += block[0] == onDevice[0];
    }
    return rounds != 1 || function[0] == onDevice[0] || kernels == launches;
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: starpu-variants independent|wavefront SIZE FUNCTION_STEPS KERNEL_STEPS ROUNDS\n");
        return 2;
    }
    wavefront = strcmp(argv[1], "wavefront") == 0;
    size = strtoull(argv[2], NULL, 10);
    steps[0] = strtoull(argv[3], NULL, 10);
    steps[1] = strtoull(argv[4], NULL, 10);
    rounds = strtoull(argv[5], NULL, 10);
    count = wavefront ? size * size : size;
    if (!beginStarpu())
        return 0;
    loadProgram(variantsSource, "");
    loadKernel(&kernel, "compute");
    char symbol[64];
    struct starpu_perfmodel model;
    snprintf(symbol, sizeof symbol, "variants_%" PRIu64 "_%" PRIu64, steps[0], steps[1]);
    fillCodelet(&codelet, &model, symbol, onWorker, onDevice);
    codelet.nbuffers = 1;
    codelet.modes[0] = STARPU_RW;

    Blocks blocks = allocateBlocks(count, VARIANTS_NUMBERS * sizeof(uint64_t));
    registerBlocks(&blocks);
    struct starpu_task **task = mustAllocate(count, sizeof *task);
    for (uint64_t i = 1; i <= rounds; i++)
        runRound(i, &blocks, task);
    printModels(create(blocks.handle[0]));
    unregisterBlocks(&blocks);
    const bool right = isRight(&blocks);
    if (!right)
        fprintf(stderr, "starpu-variants: a block does not have what its rounds leave in it\n");
    freeBlocks(&blocks);
    free(task);
    unloadKernel(&kernel);
    endStarpu();
    return right ? 0 : 1;
}
