/* tbb independent|chain|wavefront|pending SIZE THREADS, tbb grid THREADS flow|counters PATTERN ...: the same graphs
 * with oneTBB, for comparison in the same run.
 *
 * Independent tasks are those of a task_group. A chain and a wavefront are flow graphs, with a continue_node a task. So
 * are the graphs of grid.h with `flow`; with `counters` there is a task_group and an atomic counter a task that the
 * program keeps itself, and whoever brings it to 0 runs the task. That is the least one can do: tasks that wait are no
 * objects, since the program knows its edges.
 *
 * ns_per_edt          per task, from the first creation to the end
 * ns_build, ns_run    of that, of a flow graph: making nodes and edges, and running it
 * bytes_per_edt       of pending: resident memory for a continue_node with two predecessors and two numbers */
#define _POSIX_C_SOURCE 200809L

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "clock.h"
#include "grid.h"

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
using Message = tbb::flow::continue_msg;

static void empty(uint64_t parameter) {
    __asm__ volatile("" : : "r"(parameter));
}

/* The time in all, and that of building. */
struct Times {
    double all, build;
};

static Times independent(uint64_t tasks) {
    tbb::task_group group;
    const double begin = now();
    for (uint64_t i = 0; i < tasks; i++)
        group.run([i] { empty(i); });
    group.wait();
    return { now() - begin, 0 };
}

/* Nodes that know each other as the elements of a matrix do: a chain is one with a single row. */
static Times matrix(uint64_t rows, uint64_t columns) {
    std::deque<Node> nodes;
    const double begin = now();
    tbb::flow::graph graph;
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < columns; j++) {
            nodes.emplace_back(graph, [](Message) { empty(0); });
            if (i > 0)
                tbb::flow::make_edge(nodes[(i - 1) * columns + j], nodes.back());
            if (j > 0)
                tbb::flow::make_edge(nodes[i * columns + j - 1], nodes.back());
        }
    }
    const double built = now();
    nodes.front().try_put(Message());
    graph.wait_for_all();
    return { now() - begin, built - begin };
}

static void pending(uint64_t tasks) {
    tbb::flow::graph graph;
    Node first(graph, [](Message) {}), second(graph, [](Message) {});
    std::deque<Node> nodes;
    std::atomic<uint64_t> ran(0);
    const double before = residentBytes();
    for (uint64_t i = 0; i < tasks; i++) {
        const uint64_t j = i;
        nodes.emplace_back(graph, [i, j, &ran](Message) {
            empty(i + j);
            ran.fetch_add(1, std::memory_order_relaxed);
        });
        tbb::flow::make_edge(first, nodes.back());
        tbb::flow::make_edge(second, nodes.back());
    }
    const double after = residentBytes();
    first.try_put(Message());
    second.try_put(Message());
    graph.wait_for_all();
    if (ran != tasks)
        _Exit(1);
    printf("bytes_per_edt: %.9g\n", (after - before) / (double)tasks);
}

static void gridAsFlow() {
    while (gridNext()) {
        const double begin = now();
        {
            tbb::flow::graph graph;
            std::deque<Node> nodes; /* one for each number, whether there is a task or not */
            for (uint64_t task = 0; task < gridEnd(); task++) {
                nodes.emplace_back(graph, [task](Message) { gridRun(task); });
                const GridTasks *on = gridDependences(task);
                for (uint32_t i = 0; i < on->count; i++)
                    tbb::flow::make_edge(nodes[on->task[i]], nodes.back());
            }
            for (uint64_t task = 0; task < gridEnd(); task++) {
                if (gridHas(task) && gridDependences(task)->count == 0)
                    nodes[task].try_put(Message());
            }
            graph.wait_for_all();
        }
        gridPoint(now() - begin);
    }
}

static void runCounted(tbb::task_group &group, std::atomic<uint8_t> *counters, uint64_t task) {
    gridRun(task);
    const GridTasks *of = gridDependents(task);
    for (uint32_t i = 0; i < of->count; i++) {
        const uint64_t next = of->task[i];
        if (counters[next].fetch_sub(1) == 1) {
            group.run([=, &group] { runCounted(group, counters, next); });
        }
    }
}

static void gridByCounters() {
    const std::unique_ptr<std::atomic<uint8_t>[]> counters(new std::atomic<uint8_t>[gridMost()]);
    while (gridNext()) {
        tbb::task_group group;
        std::vector<uint64_t> roots;
        const double begin = now();
        for (uint64_t task = 0; task < gridEnd(); task++) {
            const uint32_t count = gridDependences(task)->count;
            counters[task].store((uint8_t)count, std::memory_order_relaxed);
            if (gridHas(task) && count == 0)
                roots.push_back(task);
        }
        for (const uint64_t task : roots)
            group.run([&, task] { runCounted(group, counters.get(), task); });
        group.wait();
        gridPoint(now() - begin);
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: tbb independent|chain|wavefront|pending SIZE THREADS\n"
                        "       tbb grid THREADS flow|counters PATTERN ...\n");
        return 2;
    }
    const char *graph = argv[1];
    const bool grid = strcmp(graph, "grid") == 0;
    const uint64_t size = strtoull(argv[2], NULL, 10), threads = strtoull(argv[grid ? 2 : 3], NULL, 10);
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena((int)threads);
    arena.execute([&] {
        Times times = {};
        double tasks = (double)size;
        if (grid) {
            gridBegin(argc - 4, argv + 4);
            strcmp(argv[3], "counters") == 0 ? gridByCounters() : gridAsFlow();
            return;
        } else if (strcmp(graph, "pending") == 0) {
            pending(size);
            return;
        } else if (strcmp(graph, "independent") == 0) {
            times = independent(size);
        } else {
            const uint64_t rows = strcmp(graph, "wavefront") == 0 ? size : 1;
            tasks *= (double)rows;
            times = matrix(rows, size);
        }
        printf("ns_per_edt: %.9g\nns_build: %.9g\nns_run: %.9g\n", times.all / tasks, times.build / tasks,
               (times.all - times.build) / tasks);
    });
    return 0;
}
