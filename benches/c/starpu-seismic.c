/* starpu-seismic WIDTH HEIGHT ITERATIONS BAND_ROWS: what examples/seismic.c computes with StarPU, for comparison in the
 * same run: the same functions (examples/common/wave.h) and the kernels for CPU devices of kernels/seismic.cl, on the
 * same bands. starpu-device.h says which environment it wants and which cores its threads have.
 *
 * A task does one phase of one band. It reads and changes blocks as the example's EDTs do, from which StarPU infers
 * which task waits for which. All tasks are created at once, phase by phase.
 *
 * seconds             of the iterations, until all of the result is back from the device
 * checksum            of all velocities, as of the example, to be compared with it
 * kernels             how many tasks ran as kernels */
#define _GNU_SOURCE

#include "starpu-device.h"

#include <inttypes.h>
#include <math.h>

#include "common/kernel-source.h"
#include "common/png.h"
#include "common/wave.h"

enum { FIELDS, GROUND, EDGE_IN, EDGE_OUT, BLOCKS };
enum { STRESS, VELOCITY, PHASES };

/* What a task computes. */
typedef struct {
    cl_uint rows, source;
    float pulse;
} Part;

static cl_uint width, stride;
static Kernel kernel[PHASES];
static struct starpu_codelet codelet[PHASES];
static uint64_t created;

static void *pointer(void *buffer) { return (void *)STARPU_VECTOR_GET_PTR(buffer); }

static void stressFunction(void *b[], void *argument) {
    const Part *part = argument;
    waveStress(stride, width, part->rows, pointer(b[FIELDS]), pointer(b[GROUND]), pointer(b[EDGE_IN]),
               pointer(b[EDGE_OUT]));
}

static void velocityFunction(void *b[], void *argument) {
    const Part *part = argument;
    waveVelocity(stride, width, part->rows, part->source, part->pulse, pointer(b[FIELDS]), pointer(b[GROUND]),
                 pointer(b[EDGE_IN]), pointer(b[EDGE_OUT]));
}

static void launch(Kernel *with, const Part *part, bool isVelocity, void *buffers[]) {
    setArgument(with, 0, sizeof stride, &stride);
    setArgument(with, 1, sizeof width, &width);
    setArgument(with, 2, sizeof part->rows, &part->rows);
    if (isVelocity) {
        setArgument(with, 3, sizeof part->source, &part->source);
        setArgument(with, 4, sizeof part->pulse, &part->pulse);
    }
    setBlocks(with, isVelocity ? 5 : 3, buffers, BLOCKS);
    launchOneItem(with);
}

static void stressKernel(void *buffers[], void *argument) { launch(&kernel[STRESS], argument, false, buffers); }

static void velocityKernel(void *buffers[], void *argument) { launch(&kernel[VELOCITY], argument, true, buffers); }

/* The blocks of all bands. The last row of zeros in `highest` and in `lowest` is what lies beyond the grid. */
typedef struct {
    uint64_t bands;
    Blocks fields, ground, highest, lowest;
} Grid;

static struct starpu_task *create(const Grid *grid, int phase, uint64_t b, Part *part) {
    struct starpu_task *task = starpu_task_create();
    const uint64_t above = b > 0 ? b - 1 : grid->bands, below = b + 1;
    task->cl = &codelet[phase];
    task->cl_arg = part;
    task->cl_arg_size = sizeof *part;
    task->handles[FIELDS] = grid->fields.handle[b];
    task->handles[GROUND] = grid->ground.handle[b];
    task->handles[EDGE_IN] = phase == STRESS ? grid->highest.handle[below] : grid->lowest.handle[above];
    task->handles[EDGE_OUT] = phase == STRESS ? grid->lowest.handle[b] : grid->highest.handle[b];
    return task;
}

/* parts: one for each band, and in each iteration. */
static void iterate(const Grid *grid, Part *parts, uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; i++)
        for (int phase = STRESS; phase < PHASES; phase++)
            for (uint64_t b = 0; b < grid->bands; b++) {
                struct starpu_task *task = create(grid, phase, b, &parts[i * grid->bands + b]);
                calibrate(task, created++ / PHASES + b);
                MUST(starpu_task_submit(task));
            }
    MUST(starpu_task_wait_for_all());
    fetchBlocks(&grid->fields);
}

int main(int argc, char **argv) {
    const long columns = argc == 5 ? atol(argv[1]) : 0, height = argc == 5 ? atol(argv[2]) : 0;
    const long iterations = argc == 5 ? atol(argv[3]) : 0, bandRows = argc == 5 ? atol(argv[4]) : 0;
    if (columns < 1 || columns > WAVE_SIDE_MAX || height < 1 || height > WAVE_SIDE_MAX || iterations < 1 ||
        bandRows < 1 || height % bandRows != 0) {
        fprintf(stderr, "usage: starpu-seismic WIDTH HEIGHT ITERATIONS BAND_ROWS; BAND_ROWS divides HEIGHT\n");
        return 1;
    }
    width = (cl_uint)columns;
    stride = waveStride(width);
    const cl_uint rows = (cl_uint)bandRows, source = waveSourceRow((uint32_t)height);
    if (!beginStarpu() || !isCpu())
        return 0;
    char *text = kernelSource("seismic.cl");
    if (text == NULL)
        return 1;
    loadProgram(text, "-DOCR_DEVICE_CPU=1");
    free(text);

    const char *const names[PHASES] = {"seismic_stress_cpu", "seismic_velocity_cpu"};
    const starpu_cpu_func_t function[PHASES] = {stressFunction, velocityFunction};
    const starpu_opencl_func_t launcher[PHASES] = {stressKernel, velocityKernel};
    struct starpu_perfmodel model[PHASES];
    for (int phase = 0; phase < PHASES; phase++) {
        loadKernel(&kernel[phase], names[phase]);
        fillCodelet(&codelet[phase], &model[phase], names[phase], function[phase], launcher[phase]);
        codelet[phase].nbuffers = BLOCKS;
        codelet[phase].modes[FIELDS] = codelet[phase].modes[EDGE_OUT] = STARPU_RW;
        codelet[phase].modes[GROUND] = codelet[phase].modes[EDGE_IN] = STARPU_R;
    }

    const uint64_t bands = (uint64_t)(height / bandRows);
    const size_t band = waveBandSize(rows, stride), edge = stride * sizeof(float);
    Grid grid = {bands, allocateBlocks(bands, band), allocateBlocks(bands, band), allocateBlocks(bands + 1, edge),
                 allocateBlocks(bands + 1, edge)};
    Blocks *const all[] = {&grid.fields, &grid.ground, &grid.highest, &grid.lowest};
    Part *parts = mustAllocate(bands * (uint64_t)iterations, sizeof *parts);
    for (uint64_t b = 0; b < bands; b++) {
        const cl_uint first = (cl_uint)b * rows;
        const bool has = source >= first && source < first + rows;
        waveGround(width, (uint32_t)height, stride, first, rows, blockOf(&grid.ground, b));
        for (uint64_t i = 0; i < (uint64_t)iterations; i++)
            parts[i * bands + b] =
                (Part){rows, has ? (source - first) * stride + waveSourceColumn(width) : UINT32_MAX, wavePulse(i)};
    }
    for (int i = 0; i < BLOCKS; i++)
        registerBlocks(all[i]);

    const double begin = now();
    iterate(&grid, parts, (uint64_t)iterations);
    printf("seconds: %.9f\nkernels: %" PRIu64 "\n", 1e-9 * (now() - begin), launches);
    for (int phase = 0; phase < PHASES; phase++)
        printModels(create(&grid, phase, 0, parts));
    for (int i = 0; i < BLOCKS; i++)
        unregisterBlocks(all[i]);

    uint32_t sum = 0;
    for (long row = 0; row < height; row++) {
        const float *v = (const float *)blockOf(&grid.fields, (uint64_t)(row / bandRows)) + row % bandRows * stride;
        for (uint32_t column = 0; column < width; column++) {
            const float value = v[column] + 0.0f; /* no zeros with a sign, as in the example */
            sum = pngCrc(sum, &value, sizeof value);
        }
    }
    printf("checksum: %" PRIu32 "\n", sum);
    for (int i = 0; i < BLOCKS; i++)
        freeBlocks(all[i]);
    free(parts);
    for (int phase = 0; phase < PHASES; phase++)
        unloadKernel(&kernel[phase]);
    endStarpu();
    return 0;
}
