/* See grid.h. Everything is set up before the clock of a point starts, and only read while it runs, except for the
 * outputs, which belong to their tasks. */
#define _POSIX_C_SOURCE 200809L

#include "grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RADIUS = 2,          /* of `nearest` and `random`: up to 5 neighbours, itself among them */
    PERIOD = 16,         /* the steps after which `random` draws the same neighbours again */
    MOST_STEPS = 250,
    LEAST_STEPS = 25,
    ITERATIONS = 1 << 23, /* of all tasks of a point together, between those bounds: some milliseconds */
    REPEATS = 4
};

typedef enum { STENCIL, DOM, TREE, FFT, NEAREST, RANDOM, PATTERNS } Pattern;
static const char *const patterns[PATTERNS] = { "stencil", "dom", "tree", "fft", "nearest", "random" };

static const uint64_t notRun = UINT64_MAX;

static Pattern pattern;
static int64_t width = 32, steps, stages;
static uint64_t iterations, least = 4;
static int turn;
static GridOutput *outputs;
static GridTasks *dependences, *dependents;

static _Noreturn void fail(const char *what, uint64_t task) {
    fprintf(stderr, "grid: %s %s: step %" PRIu64 ", column %" PRIu64 "\n", patterns[pattern], what,
            task / (uint64_t)width, task % (uint64_t)width);
    _Exit(1);
}

static uint64_t number(const char *text) {
    char *end;
    const uint64_t value = strtoull(text, &end, 10);
    if (value == 0 || *end != 0) {
        fprintf(stderr, "grid: %s is no number\n", text);
        _Exit(2);
    }
    return value;
}

void gridBegin(int argc, char **argv) {
    pattern = PATTERNS;
    for (int at = 0; argc > 0 && at < PATTERNS; at++) {
        if (strcmp(argv[0], patterns[at]) == 0)
            pattern = (Pattern)at;
    }
    if (pattern == PATTERNS) {
        fprintf(stderr, "usage: ... stencil|dom|tree|fft|nearest|random [WIDTH [MOST [LEAST]]]\n");
        _Exit(2);
    }
    if (argc > 1)
        width = (int64_t)number(argv[1]);
    iterations = argc > 2 ? number(argv[2]) : 1 << 16;
    if (argc > 3)
        least = number(argv[3]);
    for (stages = 1; 1 << stages < width; stages++) {
    }
    outputs = aligned_alloc(sizeof *outputs, gridMost() * sizeof *outputs);
    dependences = calloc(gridMost(), sizeof *dependences);
    dependents = calloc(gridMost(), sizeof *dependents);
    if (outputs == NULL || dependences == NULL || dependents == NULL || width < 2) {
        fprintf(stderr, "grid: no memory for a width of %" PRId64 ", or it is less than 2\n", width);
        _Exit(1);
    }
}

void gridPoint(double nanoseconds) {
    uint64_t tasks = 0;
    for (uint64_t task = 0; task < gridEnd(); task++) {
        if (gridHas(task) != (outputs[task].task == task))
            fail("did not run every task once", task);
        tasks += gridHas(task);
    }
    printf("iterations: %" PRIu64 "\ntasks: %" PRIu64 "\nns: %.9g\n", iterations, tasks, nanoseconds);
    fflush(stdout);
}

uint64_t gridEnd(void) {
    return (uint64_t)(width * steps);
}

uint64_t gridMost(void) {
    return (uint64_t)width * MOST_STEPS;
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Whether there is a task. A wavefront over a matrix, taken by antidiagonals, grows by a column each step at its
 * beginning and loses one each step at its end; a tree doubles until it is as wide as the grid. */
static bool has(int64_t step, int64_t column) {
    int64_t from = 0, count = width;
    if (pattern == DOM) {
        from = -lesser(0, steps - width - step);
        count = lesser(width, lesser(step + 1, steps - step));
    } else if (pattern == TREE) {
        count = step < stages ? lesser(width, (int64_t)1 << step) : width;
    }
    return step >= 0 && step < steps && column >= from && column < from + count;
}

/* No task is without neighbours: there are at least LEAST_STEPS steps. */
bool gridHas(uint64_t task) {
    return dependents[task].count != 0 || dependences[task].count != 0;
}

/* Whether `random` draws the edge between two columns: always a column with itself, and else one in two. */
static bool drawn(int64_t step, int64_t column, int64_t before) {
    uint64_t hash = (uint64_t)((step % PERIOD * width + column) * width + before) + 1;
    hash *= 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9;
    return column == before || hash >> 63 != 0;
}

/* The columns that `column` of `step` is connected with in the step before (`towards` -1) or after it (1). Those that
 * are no task are taken out. */
static GridTasks neighbours(int64_t step, int64_t column, int towards) {
    GridTasks found = { 0 };
    int64_t columns[GRID_MOST];
    uint32_t count = 0;
    const int64_t later = towards > 0 ? step + 1 : step; /* the edges are those of this step to the one before */
    const int64_t stride = (int64_t)1 << (later + stages - 1) % stages;
    switch (pattern) {
    case STENCIL:
        for (int64_t at = column - 1; at <= column + 1; at++)
            columns[count++] = at;
        break;
    case DOM:
        columns[count++] = towards > 0 ? column : column - 1;
        columns[count++] = towards > 0 ? column + 1 : column;
        break;
    case TREE:
        if (towards > 0) {
            columns[count++] = 2 * column;
            columns[count++] = 2 * column + 1;
        } else {
            columns[count++] = column / 2;
        }
        break;
    case FFT:
        for (int64_t at = column - stride; at <= column + stride; at += stride)
            columns[count++] = at;
        break;
    default:
        for (int64_t at = column - RADIUS; at <= column + RADIUS; at++) {
            const bool edge = towards > 0 ? drawn(later, at, column) : drawn(later, column, at);
            if (pattern == NEAREST || edge)
                columns[count++] = at;
        }
    }
    for (uint32_t at = 0; at < count; at++) {
        if (has(step + towards, columns[at]))
            found.task[found.count++] = (uint32_t)((step + towards) * width + columns[at]);
    }
    return found;
}

const GridTasks *gridDependences(uint64_t task) {
    return &dependences[task];
}

const GridTasks *gridDependents(uint64_t task) {
    return &dependents[task];
}

bool gridNext(void) {
    if (turn > 0 && turn % REPEATS == 0)
        iterations /= 2;
    turn++;
    if (iterations < least)
        return false;
    steps = ITERATIONS / (int64_t)(iterations * (uint64_t)width);
    steps = steps > MOST_STEPS ? MOST_STEPS : steps < LEAST_STEPS ? LEAST_STEPS : steps;
    for (uint64_t task = 0; task < gridEnd(); task++)
        outputs[task] = (GridOutput){ .task = notRun };
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t column = 0; column < width; column++) {
            const int64_t task = step * width + column;
            dependences[task] = has(step, column) ? neighbours(step, column, -1) : (GridTasks){ 0 };
            dependents[task] = has(step, column) ? neighbours(step, column, 1) : (GridTasks){ 0 };
        }
    }
    return true;
}

/* Eight doubles: one register, or as many as the processor needs for them. */
typedef double Doubles __attribute__((vector_size(64)));

/* GRID_FLOP operations an iteration: eight multiply-adds, independent of each other, of eight doubles. */
static double compute(uint64_t count) {
    Doubles a = { 1, 2, 3, 4, 5, 6, 7, 8 }, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
    const Doubles half = a * 0 + 0.5, one = a * 0 + 1;
    for (; count > 0; count--) {
        a = a * half + one, b = b * half + one, c = c * half + one, d = d * half + one;
        e = e * half + one, f = f * half + one, g = g * half + one, h = h * half + one;
    }
    a += b + c + d + e + f + g + h;
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

GridOutput gridRunOn(uint64_t task, const GridOutput *const *inputs) {
    const GridTasks *on = gridDependences(task);
    for (uint32_t at = 0; at < on->count; at++) {
        if (inputs[at]->task != on->task[at])
            fail("gave a task another input than it waits for", task);
    }
    if (outputs[task].task != notRun)
        fail("ran a task twice", task);
    outputs[task] = (GridOutput){ .task = task, .value = compute(iterations) };
    return outputs[task];
}

void gridRun(uint64_t task) {
    const GridOutput *inputs[GRID_MOST];
    const GridTasks *on = gridDependences(task);
    for (uint32_t at = 0; at < on->count; at++)
        inputs[at] = &outputs[on->task[at]];
    gridRunOn(task, inputs);
}
