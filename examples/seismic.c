/* A seismic wave in two dimensions: time steps over a grid, with dependences between neighbours in place of barriers.
 *
 * After section 4.1 of "OCR-Vx - An Alternative Implementation of the Open Community Runtime" (Dokulil, Sandrieser,
 * Benkner), where the idea is that of the seismic example of Intel TBB. common/wave.h says what is computed;
 * kernels/seismic.cl has it as kernels. This file is the task graph, and shows how a program with time steps is
 * written:
 *
 * Bands. The grid is cut into bands of rows. An iteration has two phases, stress and velocity, and an EDT does one
 * phase of one band. The stress of a band needs velocities of the band below, its velocity needs stresses of the band
 * above: in both cases of the one row that touches it.
 *
 * Data blocks. A band has four:
 *
 *     fields   what the phases change, in place: velocity and two stresses   EW for both phases of this band
 *     ground   what never changes: modulus, buoyancy, damping                CONST
 *     highest  a copy of the velocities of its first row                     EW for its velocity phase,
 *                                                                            CONST for the stress of the band above
 *     lowest   a copy of one stress of its last row                          EW for its stress phase,
 *                                                                            CONST for the velocity of the band below
 *
 * So only its own EDTs use a band's fields, and where neighbours run in different places (a worker and a device,
 * or two devices) what moves between them is one row per phase, not a band. Nothing is created or destroyed while the
 * wave runs.
 *
 * Dependences. They are events, and carry no data; the blocks are attached from the start:
 *
 *     stress(b, i)    after  velocity(b, i - 1) and velocity(b + 1, i - 1)
 *     velocity(b, i)  after  stress(b, i) and stress(b - 1, i)
 *
 * That is enough for one copy of each edge row. velocity(b, i) overwrites highest(b), which stress(b - 1, i) has
 * read: it waits for that EDT anyway. The same holds for lowest(b). No barrier stands between phases or iterations:
 * where neighbours are ready, a band goes on, up to as many iterations ahead of a distant one as there are bands
 * between them. So a worker that has done the stress of a band often does its velocity next, while it is in the
 * cache.
 *
 * A window. A million iterations are not created in advance. The EDT `extend` creates the EDTs of some iterations,
 * and the next `extend`, which runs when the first half of these is done: the other half keeps the workers busy
 * meanwhile. Memory is bounded by this window, whatever --iterations says.
 *
 * Output events vanish when they are satisfied, so two things have to be seen to:
 *   - An EDT must not run before all that waits for its output event is connected. So the first EDTs of a window get
 *     their last dependences at its end, when all are connected: the gate.
 *   - What waits for the last EDTs of a window is created later, perhaps after they have run. So their output events
 *     are counted events, which wait until they have served as many dependences as they were created for.
 *
 * --device-bands N shows the other way of sharing work: a hint of affinity puts all EDTs of the first N bands on the
 * first OpenCL device and the others on workers, whatever the policy says. Then fields and ground stay where they
 * are.
 *
 * Nodes. On several, a hint of affinity puts all EDTs of a band on one node, and neighbouring bands on the same. Then
 * edges alone go from node to node. */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM         "seismic"

#include <ocr.h>
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

#include "common/kernel-source.h"
#include "common/png.h"
#include "common/program.h"
#include "common/wave.h"

/* ---- the phases -------------------------------------------------------------------------------------------------- */

/* Parameters and pre-slots. Kernels get them as arguments in this order; the control dependences, which have no data,
 * come last and are not among their arguments. */
enum { STRIDE, WIDTH, ROWS, STRESS_PARAMS, SOURCE = STRESS_PARAMS, PULSE, VELOCITY_PARAMS };
enum { FIELDS, GROUND, EDGE_IN, EDGE_OUT, AFTER_OWN, AFTER_NEIGHBOUR, PHASE_SLOTS };

static ocrGuid_t stress(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    waveStress((u32)paramv[STRIDE], (u32)paramv[WIDTH], (u32)paramv[ROWS], depv[FIELDS].ptr, depv[GROUND].ptr,
               depv[EDGE_IN].ptr, depv[EDGE_OUT].ptr);
    return NULL_GUID;
}

/* A float travels in the low 32 bits of a parameter. */
static u64 fromFloat(float value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float toFloat(u64 parameter) {
    const u32 bits = (u32)parameter;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ocrGuid_t velocity(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    waveVelocity((u32)paramv[STRIDE], (u32)paramv[WIDTH], (u32)paramv[ROWS], (u32)paramv[SOURCE],
                 toFloat(paramv[PULSE]), depv[FIELDS].ptr, depv[GROUND].ptr, depv[EDGE_IN].ptr, depv[EDGE_OUT].ptr);
    return NULL_GUID;
}

/* A GPU takes a work-item for each cell, in work-groups of one row. */
static void rangeGpu(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    const u64 group = 128;
    range->workDim = 2;
    range->localSize[0] = group;
    range->localSize[1] = 1;
    range->globalSize[0] = (paramv[WIDTH] + group - 1) / group * group;
    range->globalSize[1] = paramv[ROWS];
}

/* ---- the state of the run ---------------------------------------------------------------------------------------- */

typedef struct {
    u64 rows;
    u64 source;                                /* the cell that gets the pulse, if it is in this band; or UINT32_MAX */
    ocrGuid_t fields, ground, highest, lowest;
    ocrGuid_t stressDone, velocityDone;        /* output events of its latest EDTs so far */
    ocrGuid_t first;                           /* its first stress EDT of a window, which waits for the gate */
    ocrGuid_t before;                          /* output event of its last velocity EDT of the window before */
} Band;

/* In a data block that goes from one `extend` to the next, and to `report` at the end. */
typedef struct {
    u64 width, height, iterations, bandRows, bands, window, deviceBands;
    bool check;
    char png[1024];        /* a file, or "" */
    ocrGuid_t self, still; /* this block; an edge row of zeros, beyond the first and the last band */
    ocrGuid_t stressTemplate, velocityTemplate, extendTemplate, reportTemplate;
    u64 deviceAffinity, workerAffinity; /* values for hints */
    u64 nodes;             /* a program on several has neighbouring bands on one node */
    u64 created;           /* iterations whose EDTs exist or have existed */
    double start;
    Band band[];
} Run;

/* ---- building the graph ------------------------------------------------------------------------------------------ */

/* Pre-slots of `extend` and `report`: the run, and for each band the velocity EDT that they wait for. `report` has
 * the fields of each band besides. */
enum { RUN, FIRST_BAND };

static ocrGuid_t edgeBelow(const Run *run, u64 b) {
    return b + 1 < run->bands ? run->band[b + 1].highest : run->still;
}

static ocrGuid_t edgeAbove(const Run *run, u64 b) {
    return b > 0 ? run->band[b - 1].lowest : run->still;
}

static u64 affinityOfNode(u64 node) {
    ocrGuid_t affinity;
    MUST(ocrAffinityGetAt(AFFINITY_PD, node, &affinity));
    return ocrAffinityToHintValue(affinity);
}

/* Creates an EDT of a phase with its blocks; its control dependences are left to the caller. Its output event is
 * *done, a counted event, or else a new one, which *done gets. */
static ocrGuid_t createPhase(const Run *run, u64 b, bool isStress, u64 iteration, bool isCounted, ocrGuid_t *done) {
    const Band *band = &run->band[b];
    const u32 stride = waveStride((u32)run->width);
    u64 paramv[VELOCITY_PARAMS] = { stride, run->width, band->rows, band->source, fromFloat(wavePulse(iteration)) };
    ocrHint_t hint;
    MUST(ocrHintInit(&hint, OCR_HINT_EDT_T));
    if (run->deviceBands > 0)
        MUST(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY,
                             b < run->deviceBands ? run->deviceAffinity : run->workerAffinity));
    else if (run->nodes > 1)
        MUST(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, affinityOfNode(b * run->nodes / run->bands)));
    ocrGuid_t edt;
    MUST(ocrEdtCreate(&edt, isStress ? run->stressTemplate : run->velocityTemplate, EDT_PARAM_DEF, paramv,
                      EDT_PARAM_DEF, NULL, isCounted ? EDT_PROP_OEVT_VALID : EDT_PROP_NONE,
                      run->deviceBands > 0 || run->nodes > 1 ? &hint : NULL_HINT, done));
    MUST(ocrAddDependence(band->fields, edt, FIELDS, DB_MODE_EW));
    MUST(ocrAddDependence(band->ground, edt, GROUND, DB_MODE_CONST));
    MUST(ocrAddDependence(isStress ? edgeBelow(run, b) : edgeAbove(run, b), edt, EDGE_IN, DB_MODE_CONST));
    MUST(ocrAddDependence(isStress ? band->lowest : band->highest, edt, EDGE_OUT, DB_MODE_EW));
    return edt;
}

/* Creates the EDTs of the next iterations, and what comes when they are half done, or done if they are the last. */
static void createWindow(Run *run) {
    const u64 count = least(run->window, run->iterations - run->created);
    const bool isLast = run->created + count == run->iterations;
    const u64 wakes = isLast ? count - 1 : (count - 1) / 2; /* the iteration after which the next EDT runs */

    /* It cannot run before this EDT has released the run. */
    ocrGuid_t next;
    MUST(ocrEdtCreate(&next, isLast ? run->reportTemplate : run->extendTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF,
                      NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(run->self, next, RUN, DB_MODE_EW));
    for (u64 b = 0; isLast && b < run->bands; b++)
        MUST(ocrAddDependence(run->band[b].fields, next, FIRST_BAND + (u32)(run->bands + b), DB_MODE_CONST));

    for (u64 i = 0; i < count; i++) {
        for (u64 b = 0; b < run->bands; b++) {
            Band *band = &run->band[b];
            const ocrGuid_t edt = createPhase(run, b, true, run->created + i, false, &band->stressDone);
            if (i == 0) {
                band->first = edt; /* the gate: its control dependences come last */
                band->before = band->velocityDone;
            } else {
                MUST(ocrAddDependence(band->velocityDone, edt, AFTER_OWN, DB_MODE_NULL));
                MUST(ocrAddDependence(b + 1 < run->bands ? run->band[b + 1].velocityDone : NULL_GUID, edt,
                                      AFTER_NEIGHBOUR, DB_MODE_NULL));
            }
        }
        const bool isCounted = i + 1 == count && !isLast;
        for (u64 b = 0; b < run->bands; b++) {
            Band *band = &run->band[b];
            if (isCounted) { /* for this band's next stress EDT, that of the band above, and perhaps `next` */
                ocrEventParams_t params = { .EVENT_COUNTED = { .nbDeps = 1 + (b > 0) + (i == wakes) } };
                MUST(ocrEventCreateParams(&band->velocityDone, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params));
            }
            const ocrGuid_t edt = createPhase(run, b, false, run->created + i, isCounted, &band->velocityDone);
            MUST(ocrAddDependence(b > 0 ? run->band[b - 1].stressDone : NULL_GUID, edt, AFTER_NEIGHBOUR,
                                  DB_MODE_NULL));
            if (i == wakes)
                MUST(ocrAddDependence(band->velocityDone, next, FIRST_BAND + (u32)b, DB_MODE_NULL));
            MUST(ocrAddDependence(band->stressDone, edt, AFTER_OWN, DB_MODE_NULL));
        }
    }
    run->created += count;

    /* All is connected. A first stress EDT waits for what comes before the window, if something does. */
    for (u64 b = 0; b < run->bands; b++) {
        const bool hasBelow = b + 1 < run->bands;
        MUST(ocrAddDependence(run->band[b].before, run->band[b].first, AFTER_OWN, DB_MODE_NULL));
        MUST(ocrAddDependence(hasBelow ? run->band[b + 1].before : NULL_GUID, run->band[b].first, AFTER_NEIGHBOUR,
                              DB_MODE_NULL));
    }
}

static ocrGuid_t extend(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    createWindow(depv[RUN].ptr);
    return NULL_GUID;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* A row of velocities, from the fields of the band that has it. */
static const float *rowOf(const Run *run, const ocrEdtDep_t *fields, u64 row) {
    const float *v = fields[row / run->bandRows].ptr;
    return v + row % run->bandRows * waveStride((u32)run->width);
}

/* A pixel a cell: grey, the stiffer the ground the lighter; red where it moves one way, blue where the other. */
static void paint(u32 width, const float *v, const float *modulus, float greatest, u8 *pixels) {
    for (u32 i = 0; i < width; i++) {
        const float strength = greatest > 0 ? sqrtf(fabsf(v[i]) / greatest) : 0;
        const float grey = (1 - strength) * (60 + 150 * modulus[i]), bright = 255 * strength;
        pixels[3 * i] = (u8)(grey + (v[i] > 0 ? bright : 0));
        pixels[3 * i + 1] = (u8)(grey + bright / 4);
        pixels[3 * i + 2] = (u8)(grey + (v[i] < 0 ? bright : 0));
    }
}

static bool writePicture(const Run *run, const ocrEdtDep_t *fields, float greatest) {
    const u32 width = (u32)run->width, height = (u32)run->height, stride = waveStride(width);
    FILE *file = fopen(run->png, "wb");
    Png *png = malloc(sizeof *png);
    float *ground = malloc(waveBandSize(1, stride));
    u8 *pixels = malloc(3 * (size_t)width);
    const bool isReady = file != NULL && png != NULL && ground != NULL && pixels != NULL;
    bool isWhole = false;
    if (isReady) {
        pngBegin(png, file, width, height);
        for (u32 row = 0; row < height; row++) {
            waveGround(width, height, stride, row, 1, ground);
            paint(width, rowOf(run, fields, row), ground, greatest, pixels);
            pngRow(png, pixels, width);
        }
        isWhole = pngEnd(png);
    }
    if (file == NULL || (isReady && !isWhole))
        fail("--png %s cannot be written: %s", run->png, strerror(errno));
    else if (!isReady)
        fail("no memory for --png");
    if (file != NULL && fclose(file) != 0 && isWhole) {
        fail("--png %s cannot be written: %s", run->png, strerror(errno));
        isWhole = false;
    }
    free(png);
    free(ground);
    free(pixels);
    return isWhole;
}

/* Numbers below this are those that a device may take for 0 (denormal ones), and what that leads to. */
#define TINY 1e-30

/* Compares all cells with a serial computation. The sums are the same to the last bit, but for tiny numbers. */
static bool check(const Run *run, const ocrEdtDep_t *fields) {
    const u32 stride = waveStride((u32)run->width);
    float *expected = waveSerial((u32)run->width, (u32)run->height, run->iterations);
    if (expected == NULL) {
        fail("no memory for --check");
        return false;
    }
    double largest = 0;
    u64 atRow = 0, atColumn = 0;
    for (u64 row = 0; row < run->height; row++) {
        const float *v = rowOf(run, fields, row);
        for (u64 column = 0; column < run->width; column++) {
            double difference = fabs((double)v[column] - (double)expected[row * stride + column]);
            if (!(difference <= largest)) { /* of a NaN, too */
                largest = isnan(difference) ? (double)INFINITY : difference;
                atRow = row;
                atColumn = column;
            }
        }
    }
    free(expected);
    ocrPrintf("largest_difference: %g\n", largest);
    if (largest > TINY) {
        fail("--check: row %" PRIu64 ", column %" PRIu64 " differs from the serial computation by %g", atRow, atColumn,
             largest);
        return false;
    }
    ocrPrintf("check: ok\n");
    return true;
}

static ocrGuid_t report(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const Run *run = depv[RUN].ptr;
    const double seconds = now() - run->start;
    const ocrEdtDep_t *fields = depv + FIRST_BAND + run->bands;

    float greatest = 0;
    u32 sum = 0;
    for (u64 row = 0; row < run->height; row++) {
        const float *v = rowOf(run, fields, row);
        for (u64 column = 0; column < run->width; column++)
            greatest = fmaxf(greatest, fabsf(v[column]));
        for (u64 column = 0; column < run->width; column++) {
            const float value = v[column] + 0.0f; /* no zeros with a sign, which say nothing */
            sum = pngCrc(sum, &value, sizeof value);
        }
    }
    ocrPrintf("checksum: %" PRIu32 "\n", sum);
    ocrPrintf("greatest_velocity: %.9g\n", (double)greatest);
    ocrPrintf("seconds: %.6f\n", seconds);
    ocrPrintf("cells_per_second: %.6g\n", (double)run->width * (double)run->height * (double)run->iterations / seconds);
    ocrPrintf("bands: %" PRIu64 "\n", run->bands);
    ocrPrintf("band_rows: %" PRIu64 "\n", run->bandRows);
    printRan();
    if ((run->png[0] != '\0' && !writePicture(run, fields, greatest)) || (run->check && !check(run, fields)) ||
        !isWritten())
        return NULL_GUID;

    for (u64 b = 0; b < run->bands; b++) {
        ocrDbDestroy(run->band[b].fields);
        ocrDbDestroy(run->band[b].ground);
        ocrDbDestroy(run->band[b].highest);
        ocrDbDestroy(run->band[b].lowest);
    }
    ocrDbDestroy(run->still);
    ocrEdtTemplateDestroy(run->stressTemplate);
    ocrEdtTemplateDestroy(run->velocityTemplate);
    ocrEdtTemplateDestroy(run->extendTemplate);
    ocrEdtTemplateDestroy(run->reportTemplate);
    ocrDbDestroy(depv[RUN].guid);
    ocrShutdown();
    return NULL_GUID;
}

/* ---- what the user asks for -------------------------------------------------------------------------------------- */

enum { ITERATIONS_MAX = 1000000000, BANDS_MAX = 4096 };

static const char usage[] =
    "usage: seismic [options]\n"
    "\n"
    "Computes how a seismic wave spreads in a vertical cut through the ground, by time steps over a grid.\n"
    "\n"
    "  --width N         columns of the grid, 1 to 32768 (default: 1024)\n"
    "  --height N        rows of the grid, 1 to 32768 (default: 1024)\n"
    "  --iterations N    time steps, 1 to 1000000000 (default: 1500)\n"
    "  --bands N         bands of rows that the grid is cut into, 1 to 4096; some fewer where rows do not divide so.\n"
    "                    By default a band has about 512 KiB, and there are at least two for each worker\n"
    "  --band-rows N     rows of a band, in place of --bands; the last band may have fewer\n"
    "  --window N        iterations whose tasks exist at a time, 1 to 1000000; by default some thousand tasks\n"
    "  --device-bands N  the first N bands on the first OpenCL device, the others on workers, whatever OCR_SCHED says\n"
    "  --png FILE        write a picture of the wave at the end\n"
    "  --check           compare with a serial computation, to the last bit; cells may differ by up to 1e-30 where a\n"
    "                    device takes denormal numbers for 0\n"
    "  --help            this text\n"
    "\n"
    "The output has lines KEY: value. checksum is the CRC-32 of all velocities, the same however it was computed;\n"
    "cells_per_second counts a cell once in an iteration.\n"
    "\n"
    "Kernels are looked for in $OCR_KERNELS, in the source tree or the installation that this program is part of, and\n"
    "in ./kernels.\n";

typedef struct {
    u64 width, height, iterations;
    u64 bands, bandRows, window, deviceBands; /* 0: not given */
    const char *png;
    bool check, help;
} Options;

static bool parseOptions(void *arguments, Options *options) {
    for (u64 i = 1; i < ocrGetArgc(arguments); i++) {
        const char *argument = ocrGetArgv(arguments, i), *value;
        bool is, isRight = true;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            options->help = true;
            return true;
        } else if (strcmp(argument, "--check") == 0) {
            options->check = true;
        } else if (value = optionValue(arguments, &i, "--width", &is), is) {
            isRight = optionNumber("--width", value, 1, WAVE_SIDE_MAX, &options->width);
        } else if (value = optionValue(arguments, &i, "--height", &is), is) {
            isRight = optionNumber("--height", value, 1, WAVE_SIDE_MAX, &options->height);
        } else if (value = optionValue(arguments, &i, "--iterations", &is), is) {
            isRight = optionNumber("--iterations", value, 1, ITERATIONS_MAX, &options->iterations);
        } else if (value = optionValue(arguments, &i, "--bands", &is), is) {
            isRight = optionNumber("--bands", value, 1, BANDS_MAX, &options->bands);
        } else if (value = optionValue(arguments, &i, "--band-rows", &is), is) {
            isRight = optionNumber("--band-rows", value, 1, WAVE_SIDE_MAX, &options->bandRows);
        } else if (value = optionValue(arguments, &i, "--window", &is), is) {
            isRight = optionNumber("--window", value, 1, 1000000, &options->window);
        } else if (value = optionValue(arguments, &i, "--device-bands", &is), is) {
            isRight = optionNumber("--device-bands", value, 1, BANDS_MAX, &options->deviceBands);
        } else if (value = optionValue(arguments, &i, "--png", &is), is) {
            options->png = value;
            if (value == NULL || value[0] == '\0' || strlen(value) >= sizeof((Run *)0)->png) {
                fail("--png %s: give the name of a file", value != NULL ? value : "(nothing)");
                return false;
            }
        } else {
            fail("%s is no option; seismic --help lists the options", argument);
            return false;
        }
        if (!isRight)
            return false;
    }
    if (options->bands != 0 && options->bandRows != 0) {
        fail("--bands and --band-rows: give one of them");
        return false;
    }
    return true;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Rows of a band: such that its fields and its ground stay in a cache from one phase to the next, and that there are
 * bands for all. */
static u64 defaultBandRows(u64 width, u64 height) {
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    const u64 bytes = 512 << 10, row = 2 * waveBandSize(1, waveStride((u32)width));
    const u64 fitting = bytes / row, fair = height / (2 * stats.workers);
    const u64 rows = least(fitting, fair);
    return rows > 0 ? rows : 1;
}

/* Without kernels the phases run as C functions. */
static void addKernels(const Run *run) {
    char *source = kernelSource("seismic.cl");
    if (source == NULL) {
        fprintf(stderr, PROGRAM ": going on without kernels, on CPU cores alone\n");
        return;
    }
    const struct {
        ocrGuid_t template;
        const char *options, *kernel;
        ocrNdRangeFn_t range;
    } kernels[] = {
        { run->stressTemplate, "-ocr-device=cpu", "seismic_stress_cpu", rangeOneItem },
        { run->stressTemplate, "-ocr-device=gpu", "seismic_stress_gpu", rangeGpu },
        { run->velocityTemplate, "-ocr-device=cpu", "seismic_velocity_cpu", rangeOneItem },
        { run->velocityTemplate, "-ocr-device=gpu", "seismic_velocity_gpu", rangeGpu },
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (ocrEdtTemplateAddKernel(kernels[i].template, source, kernels[i].options, kernels[i].kernel,
                                    kernels[i].range, OCR_NO_RESULT) != 0)
            fprintf(stderr, PROGRAM ": a kernel could not be added; going on with the others\n");
    free(source);
}

/* The places for --device-bands. */
static bool findPlaces(Run *run) {
    ocrGuid_t device, worker;
    u64 devices = 0;
    if (ocrAffinityCount(AFFINITY_OCL, &devices) != 0 || devices == 0 ||
        ocrAffinityGetAt(AFFINITY_OCL, 0, &device) != 0 || ocrAffinityGetAt(AFFINITY_PD, 0, &worker) != 0) {
        fail("--device-bands: there is no OpenCL device; ocr info says why");
        return false;
    }
    run->deviceAffinity = ocrAffinityToHintValue(device);
    run->workerAffinity = ocrAffinityToHintValue(worker);
    return true;
}

static ocrGuid_t createZeros(size_t size) {
    ocrGuid_t block;
    void *ptr;
    MUST(ocrDbCreate(&block, &ptr, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(ptr, 0, size);
    MUST(ocrDbRelease(block));
    return block;
}

static void createBands(Run *run) {
    const u32 stride = waveStride((u32)run->width);
    const u64 sourceRow = waveSourceRow((u32)run->height);
    run->still = createZeros(stride * sizeof(float));
    for (u64 b = 0; b < run->bands; b++) {
        const u64 first = b * run->bandRows, rows = least(run->bandRows, run->height - first);
        Band *band = &run->band[b];
        *band = (Band){ .rows = rows, .source = UINT32_MAX };
        if (sourceRow >= first && sourceRow < first + rows)
            band->source = (sourceRow - first) * stride + waveSourceColumn((u32)run->width);
        band->fields = createZeros(waveBandSize((u32)rows, stride));
        band->highest = createZeros(stride * sizeof(float));
        band->lowest = createZeros(stride * sizeof(float));
        void *ptr;
        MUST(ocrDbCreate(&band->ground, &ptr, waveBandSize((u32)rows, stride), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        waveGround((u32)run->width, (u32)run->height, stride, (u32)first, (u32)rows, ptr);
        MUST(ocrDbRelease(band->ground));
    }
}

static void start(const Options *options) {
    const u64 width = options->width, height = options->height;
    u64 bandRows = options->bandRows;
    if (bandRows == 0 && options->bands != 0)
        bandRows = (height + options->bands - 1) / options->bands;
    else if (bandRows == 0)
        bandRows = defaultBandRows(width, height);
    const u64 bands = (height + bandRows - 1) / bandRows;

    ocrGuid_t self;
    void *ptr;
    MUST(ocrDbCreate(&self, &ptr, sizeof(Run) + bands * sizeof(Band), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    Run *run = ptr;
    *run = (Run){
        .width = width, .height = height, .iterations = options->iterations, .bandRows = bandRows, .bands = bands,
        .window = options->window, .deviceBands = options->deviceBands, .check = options->check, .self = self,
    };
    MUST(ocrAffinityCount(AFFINITY_PD, &run->nodes));
    if (options->png != NULL)
        strcpy(run->png, options->png);
    if (run->window == 0) /* some thousand EDTs; and not so few that `extend` is all there is to do */
        run->window = 4096 / (2 * bands) > 8 ? 4096 / (2 * bands) : 8;

    MUST(ocrEdtTemplateCreate(&run->stressTemplate, stress, STRESS_PARAMS, PHASE_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->velocityTemplate, velocity, VELOCITY_PARAMS, PHASE_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->extendTemplate, extend, 0, FIRST_BAND + (u32)bands));
    MUST(ocrEdtTemplateCreate(&run->reportTemplate, report, 0, FIRST_BAND + 2 * (u32)bands));
    addKernels(run);
    if (run->deviceBands > 0 && !findPlaces(run))
        return;
    createBands(run);
    run->start = now(); /* building kernels and laying the ground is not counted */
    createWindow(run);
    MUST(ocrDbRelease(self)); /* the first `extend`, or `report`, waits for it */
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    Options options = { .width = 1024, .height = 1024, .iterations = 1500 };
    if (!parseOptions(depv[0].ptr, &options))
        return NULL_GUID;
    if (options.help) {
        ocrPrintf("%s", usage);
        if (isWritten())
            ocrShutdown();
        return NULL_GUID;
    }
    start(&options);
    return NULL_GUID;
}
