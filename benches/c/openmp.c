/* openmp independent|chain|wavefront|fib|scaling SIZE [STEPS], or openmp grid PATTERN ...: the same graphs as OpenMP
 * tasks, for comparison in the same run. OMP_NUM_THREADS says how many threads.
 *
 * OpenMP starts a task as soon as it can, while others are created; there is no separate time for building. A chain, a
 * wavefront and the graphs of grid.h are made with `depend` clauses on the elements of an array.
 *
 * ns_per_edt   per task, from the first creation to the end of the task group */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <string.h>

#include "clock.h"
#include "grid.h"
#include "work.h"

static void empty(uint64_t parameter) {
    __asm__ volatile("" : : "r"(parameter));
}

static void independent(uint64_t tasks) {
    for (uint64_t i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
        empty(i);
    }
}

static void chain(uint64_t tasks) {
    char link;
    (void)link; /* an address, that is all */
    for (uint64_t i = 0; i < tasks; i++) {
#pragma omp task depend(inout : link)
        empty(0);
    }
}

static void wavefront(uint64_t side, char *at) {
    for (uint64_t i = 0; i < side; i++) {
        for (uint64_t j = 0; j < side; j++) {
            char *here = at + (i + 1) * (side + 1) + j + 1, *left = here - 1, *up = here - side - 1;
            (void)left, (void)up;
#pragma omp task depend(in : *left, *up) depend(out : *here)
            empty(0);
        }
    }
}

/* One thread creates the tasks; both run them. */
static void grid(void) {
    char *cells = malloc(gridMost());
    if (cells == NULL)
        _Exit(1);
    while (gridNext()) {
        const double begin = now();
#pragma omp parallel
#pragma omp single
        for (uint64_t task = 0; task < gridEnd(); task++) {
            const GridTasks *on = gridDependences(task);
            (void)on; /* the addresses, that is all */
            if (gridHas(task)) {
#pragma omp task firstprivate(task) depend(iterator(uint32_t i = 0 : on->count), in : cells[on->task[i]]) \
    depend(out : cells[task])
                gridRun(task);
            }
        }
        gridPoint(now() - begin);
    }
    free(cells);
}

static uint64_t fibCalls(uint64_t n) {
    return n < 2 ? 1 : 1 + fibCalls(n - 1) + fibCalls(n - 2);
}

static void fib(uint64_t n) {
    if (n < 2)
        return;
#pragma omp task firstprivate(n)
    fib(n - 1);
#pragma omp task firstprivate(n)
    fib(n - 2);
}

static void scaling(uint64_t tasks, uint64_t steps) {
    for (uint64_t i = 0; i < tasks; i++) {
#pragma omp task firstprivate(steps)
        work(steps);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: openmp independent|chain|wavefront|fib|scaling SIZE [STEPS], or openmp grid PATTERN\n");
        return 2;
    }
    const char *graph = argv[1];
    if (strcmp(graph, "grid") == 0) {
        gridBegin(argc - 2, argv + 2);
        grid();
        return 0;
    }
    const uint64_t size = strtoull(argv[2], NULL, 10), steps = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    double tasks = (double)size, begin = 0, end = 0;
    char *cells = NULL;
    if (strcmp(graph, "wavefront") == 0) {
        tasks = (double)size * (double)size;
        cells = malloc((size + 1) * (size + 1));
        if (cells == NULL)
            return 1;
    } else if (strcmp(graph, "fib") == 0) {
        tasks = (double)fibCalls(size);
    }
#pragma omp parallel
#pragma omp single
    {
        begin = now();
#pragma omp taskgroup
        {
            if (strcmp(graph, "independent") == 0)
                independent(size);
            else if (strcmp(graph, "chain") == 0)
                chain(size);
            else if (strcmp(graph, "wavefront") == 0)
                wavefront(size, cells);
            else if (strcmp(graph, "fib") == 0) {
#pragma omp task
                fib(size);
            } else
                scaling(size, steps);
        }
        end = now();
    }
    free(cells);
    printf("ns_per_edt: %.9g\n", (end - begin) / tasks);
    return 0;
}
