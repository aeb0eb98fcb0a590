/* The task graphs of Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel
 * Runtime Performance", SC20), for every runtime that is compared: a grid of WIDTH columns and some steps, in which the
 * task of a column at a step depends on tasks of the step before, as the pattern says. Each task checks that its inputs
 * are those that the pattern names, computes for some iterations, and leaves an output.
 *
 * One sweep is one process. The frame of a program is
 *
 *     gridBegin(arguments);
 *     while (gridNext()) { start clock; create the tasks, run each by gridRun, wait; gridPoint(nanoseconds); }
 *
 * Arguments: PATTERN [WIDTH [MOST [LEAST]]]. The sweep goes from MOST iterations a task down to LEAST, halving; tasks
 * that compute longer are fewer, so that no point takes much longer than another. Each point is run four times, since
 * the first brings the memory, and short runs are seldom disturbed all of them. For each run it prints
 *
 *     iterations, tasks, ns    iterations per task, tasks in the graph, time for all of it with creating the tasks
 *
 * An iteration is GRID_FLOP floating-point operations that touch no memory. */
#ifndef GRID_H
#define GRID_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GRID_MOST = 5,    /* no task has more dependences, and none has more dependents */
    GRID_FLOP = 128,
};

/* What a task leaves for those that depend on it: a cache line of its own, of which 16 bytes are used. */
typedef struct {
    uint64_t task;
    double value;
    uint64_t unused[6];
} GridOutput;

/* Some tasks. */
typedef struct {
    uint32_t count, task[GRID_MOST];
} GridTasks;

/* Takes the arguments: `argv[0]` is the pattern. Ends the process with a message if they are wrong. */
void gridBegin(int argc, char **argv);

/* Goes to the next run of a point; false after the last. */
bool gridNext(void);

/* Ends a run that took so long: checks that every task has run, and prints the figures. */
void gridPoint(double nanoseconds);

/* Tasks are numbered step by step from 0 to below this; not every number has a task. At no point of the sweep it is
 * more than gridMost. */
uint64_t gridEnd(void);
uint64_t gridMost(void);
bool gridHas(uint64_t task);

/* The tasks that a task depends on, and that depend on it, in ascending order; none where there is no task. They are
 * tables, so that what is measured is not this program. */
const GridTasks *gridDependences(uint64_t task);
const GridTasks *gridDependents(uint64_t task);

/* Runs a task whose inputs are where gridRun leaves the outputs. */
void gridRun(uint64_t task);

/* Runs a task whose inputs are elsewhere, in the order of gridDependences, and returns its output. */
GridOutput gridRunOn(uint64_t task, const GridOutput *const *inputs);

#ifdef __cplusplus
}
#endif

#endif
