/* starpu independent|chain|wavefront|pending SIZE, starpu grid PATTERN ...: the same graphs with StarPU, for comparison
 * in the same run. STARPU_NCPU says how many workers.
 *
 * Tasks name the tasks that they wait for (starpu_task_declare_deps_array); no data is registered. StarPU starts a task
 * as soon as it can, while others are created. Tasks are freed after the clock has stopped: one that others are to wait
 * for must be there when they are created.
 *
 * ns_per_edt      per task, from the first creation until all have run
 * bytes_per_edt   of pending: resident memory for a task that waits for two others, with two numbers */
#define _POSIX_C_SOURCE 200809L

#include <starpu.h>

#include <stdbool.h>
#include <string.h>

#include "clock.h"
#include "grid.h"

static void empty(void *buffers[], void *argument) {
    (void)buffers;
    __asm__ volatile("" : : "r"(argument));
}

static void gridTask(void *buffers[], void *argument) {
    (void)buffers;
    gridRun((uint64_t)(uintptr_t)argument);
}

static struct starpu_codelet emptyCodelet = { .cpu_funcs = { empty }, .nbuffers = 0 };
static struct starpu_codelet gridCodelet = { .cpu_funcs = { gridTask }, .nbuffers = 0 };

static void must(int status, const char *call) {
    if (status != 0) {
        fprintf(stderr, "starpu: %s: %d\n", call, status);
        _Exit(1);
    }
}
#define MUST(call) must((call), #call)

static struct starpu_task *create(struct starpu_codelet *codelet, void *argument, unsigned count,
                                  struct starpu_task **on) {
    struct starpu_task *task = starpu_task_create();
    task->cl = codelet;
    task->cl_arg = argument;
    task->destroy = 0;
    if (count > 0)
        starpu_task_declare_deps_array(task, count, on);
    MUST(starpu_task_submit(task));
    return task;
}

static void destroyAll(struct starpu_task **tasks, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (tasks[i] != NULL)
            starpu_task_destroy(tasks[i]);
    }
}

/* Tasks that know each other as the elements of a matrix do; without edges if `independent`. */
static double matrix(uint64_t rows, uint64_t columns, bool independent) {
    struct starpu_task **tasks = calloc(rows * columns, sizeof *tasks);
    const double begin = now();
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < columns; j++) {
            struct starpu_task *on[2];
            unsigned count = 0;
            if (i > 0)
                on[count++] = tasks[(i - 1) * columns + j];
            if (j > 0 && !independent)
                on[count++] = tasks[i * columns + j - 1];
            tasks[i * columns + j] = create(&emptyCodelet, NULL, count, on);
        }
    }
    MUST(starpu_task_wait_for_all());
    const double end = now();
    destroyAll(tasks, rows * columns);
    free(tasks);
    return (end - begin) / (double)(rows * columns);
}

static double pending(uint64_t count) {
    struct starpu_task **tasks = calloc(count, sizeof *tasks), *on[2];
    for (int i = 0; i < 2; i++) {
        on[i] = starpu_task_create();
        on[i]->cl = &emptyCodelet;
        on[i]->destroy = 0;
    }
    memset(tasks, 0xff, count * sizeof *tasks); /* resident, before it counts */
    const double before = residentBytes();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *numbers = malloc(2 * sizeof *numbers);
        numbers[0] = numbers[1] = i;
        tasks[i] = starpu_task_create();
        tasks[i]->cl = &emptyCodelet;
        tasks[i]->cl_arg = numbers;
        tasks[i]->cl_arg_size = 2 * sizeof *numbers;
        tasks[i]->cl_arg_free = 1;
        tasks[i]->destroy = 0;
        starpu_task_declare_deps_array(tasks[i], 2, on);
        MUST(starpu_task_submit(tasks[i]));
    }
    const double bytes = (residentBytes() - before) / (double)count;
    MUST(starpu_task_submit(on[0]));
    MUST(starpu_task_submit(on[1]));
    MUST(starpu_task_wait_for_all());
    destroyAll(tasks, count);
    destroyAll(on, 2);
    free(tasks);
    return bytes;
}

static void grid(void) {
    struct starpu_task **tasks = calloc(gridMost(), sizeof *tasks), *on[GRID_MOST];
    while (gridNext()) {
        memset(tasks, 0, gridEnd() * sizeof *tasks);
        const double begin = now();
        for (uint64_t task = 0; task < gridEnd(); task++) {
            if (!gridHas(task))
                continue;
            const GridTasks *before = gridDependences(task);
            for (uint32_t i = 0; i < before->count; i++)
                on[i] = tasks[before->task[i]];
            tasks[task] = create(&gridCodelet, (void *)(uintptr_t)task, before->count, on);
        }
        MUST(starpu_task_wait_for_all());
        gridPoint(now() - begin);
        destroyAll(tasks, gridEnd());
    }
    free(tasks);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: starpu independent|chain|wavefront|pending SIZE, or starpu grid PATTERN ...\n");
        return 2;
    }
    struct starpu_conf settings;
    MUST(starpu_conf_init(&settings));
    settings.ncuda = settings.nopencl = 0;
    MUST(starpu_init(&settings));
    const char *graph = argv[1];
    const uint64_t size = strtoull(argv[2], NULL, 10);
    if (strcmp(graph, "grid") == 0) {
        gridBegin(argc - 2, argv + 2);
        grid();
    } else if (strcmp(graph, "pending") == 0) {
        printf("bytes_per_edt: %.9g\n", pending(size));
    } else {
        const bool independent = strcmp(graph, "independent") == 0;
        printf("ns_per_edt: %.9g\n", matrix(strcmp(graph, "wavefront") == 0 ? size : 1, size, independent));
    }
    starpu_shutdown();
    return 0;
}
