/* The Cholesky factorisation of a matrix by tiles: four kinds of EDTs, each a C function and kernels, in a graph whose
 * critical path goes first.
 *
 * A symmetric positive definite matrix A becomes L * L', with L lower triangular. It is cut into square tiles, of which
 * the lower half is kept, each a data block that is overwritten in place. Step k has
 *
 *     potrf(k)        A(k,k) = its own factor                    for the tile on the diagonal
 *     trsm(i, k)      A(i,k) = A(i,k) * inverse of A(k,k)'       for each tile i below it
 *     syrk(i, k)      A(i,i) -= A(i,k) * A(i,k)'                 for each tile i on the diagonal further down
 *     gemm(i, j, k)   A(i,j) -= A(i,k) * A(j,k)'                 for each other tile further down, i > j > k
 *
 * The functions are in common/tiles.h, or in BLAS (see below); kernels/cholesky.cl has the kernels. This file is the
 * task graph.
 *
 * Dependences. The EDT that changes a tile has it in mode EW, those that read it in CONST; blocks are attached from
 * the start. Output events without data say what comes before what: an EDT waits for the one that changed its
 * tile in the step before, and for those that finished what it reads in this step. The block modes alone would not
 * order them: they say who may not use a block at the same time, not who comes first.
 *
 * Priorities. Of the EDTs that are ready, those should run first on which most others wait. The longest way to the
 * end leads through potrf, trsm and the update of the next diagonal tile, step by step; so the priority of an EDT (a
 * hint) is what is left of this way when its tile is factored or solved. Workers heed it; devices take EDTs as they
 * come.
 *
 * Steps ahead. The number of EDTs is a sixth of the cube of the tiles in a row. They are created step by step, and at
 * most STEPS_AHEAD steps before they can run: the EDT `step` creates step k when potrf(k - STEPS_AHEAD) is done. Output
 * events vanish when they are satisfied, so no EDT of step k - 1 may run before step k is connected to it. All of them
 * wait for potrf(k - 1), which gets its last dependence, the gate, when step k exists.
 *
 * BLAS. Where a library with CBLAS is found, --blas takes trsm, syrk and gemm from it. It is opened when the program
 * runs (dlopen), not linked: one executable then runs where there is none, and the libraries can be compared. It must
 * compute in the thread that calls it, since the EDTs are what is parallel; OpenBLAS is set to one thread. */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM         "cholesky"

#include <ocr.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

#include <dlfcn.h>
#include <math.h>

#include "common/kernel-source.h"
#include "common/program.h"
#include "common/tiles.h"

enum { STEPS_AHEAD = 8, TILE_MULTIPLE = 32, TILE_MAX = 2048, SIZE_MAX_ROWS = 65536, TILES_MAX = 512 };

/* ---- the EDTs of a step ------------------------------------------------------------------------------------------ */

/* What the C functions call; set before the first EDT is created, and never again. */
static TileFunctions functions;

/* Their only parameter, the side of a tile, and their pre-slots: first the blocks, in the order of the kernels'
 * arguments, then the control dependences. */
enum { TILE, TILE_PARAMS };
enum { POTRF_A, POTRF_AFTER_A, POTRF_GATE, POTRF_SLOTS };
enum { TRSM_L, TRSM_A, TRSM_AFTER_L, TRSM_AFTER_A, TRSM_SLOTS };
enum { SYRK_A, SYRK_C, SYRK_AFTER_A, SYRK_AFTER_C, SYRK_SLOTS };
enum { GEMM_A, GEMM_B, GEMM_C, GEMM_AFTER_A, GEMM_AFTER_B, GEMM_AFTER_C, GEMM_SLOTS };

static ocrGuid_t potrf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    functions.potrf((u32)paramv[TILE], depv[POTRF_A].ptr);
    return NULL_GUID;
}

static ocrGuid_t trsm(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    functions.trsm((u32)paramv[TILE], depv[TRSM_L].ptr, depv[TRSM_A].ptr);
    return NULL_GUID;
}

static ocrGuid_t syrk(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    functions.syrk((u32)paramv[TILE], depv[SYRK_A].ptr, depv[SYRK_C].ptr);
    return NULL_GUID;
}

static ocrGuid_t gemm(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    functions.gemm((u32)paramv[TILE], depv[GEMM_A].ptr, depv[GEMM_B].ptr, depv[GEMM_C].ptr);
    return NULL_GUID;
}

/* A work-group of 8 x 8 for each 32 x 32 numbers. */
static void rangeGpuUpdate(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    range->workDim = 2;
    range->globalSize[0] = range->globalSize[1] = paramv[TILE] / 4;
    range->localSize[0] = range->localSize[1] = 8;
}

/* A work-item for each row. */
static void rangeGpuTrsm(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = paramv[TILE];
    range->localSize[0] = 32;
}

/* One work-group. */
static void rangeGpuPotrf(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = least(paramv[TILE], 256);
}

/* ---- the state of the run ---------------------------------------------------------------------------------------- */

typedef struct {
    ocrGuid_t block;
    ocrGuid_t done; /* output event of the latest EDT so far that changes it; null before the first */
} Tile;

/* In a data block that goes from one `step` to the next, and to `report` at the end. */
typedef struct {
    u64 size, tile, tiles, seed; /* rows; side of a tile; tiles in a row */
    bool isDouble, check;
    ocrGuid_t self, report;
    ocrGuid_t potrfTemplate, trsmTemplate, syrkTemplate, gemmTemplate, stepTemplate, reportTemplate;
    ocrGuid_t gate;              /* potrf of the latest step, which waits for the next step to exist */
    ocrGuid_t lastStep;          /* output event of the latest `step`; or this block before there is one */
    double start;
    Tile lower[];                /* row by row: see tileAt */
} Run;

static u64 tileIndex(u64 i, u64 j) {
    return i * (i + 1) / 2 + j;
}

static Tile *tileAt(Run *run, u64 i, u64 j) {
    return &run->lower[tileIndex(i, j)];
}

/* ---- building the graph ------------------------------------------------------------------------------------------ */

enum { STEP_RUN, STEP_AFTER, STEP_SLOTS };
enum { REPORT_RUN, REPORT_AFTER, REPORT_TILES };

/* Creates an EDT that changes a tile. Its priority is the number of EDTs that are left on the longest way to the end,
 * three for each step. */
static ocrGuid_t createEdt(Run *run, ocrGuid_t template, u64 priority, Tile *changed) {
    u64 paramv[TILE_PARAMS] = { run->tile };
    ocrHint_t hint;
    MUST(ocrHintInit(&hint, OCR_HINT_EDT_T));
    MUST(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, priority));
    ocrGuid_t edt;
    MUST(ocrEdtCreate(&edt, template, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint,
                      &changed->done));
    return edt;
}

/* Creates the EDTs of step k, and opens the gate of the step before. */
static void createStep(Run *run, u64 k) {
    Tile *diagonal = tileAt(run, k, k);
    ocrGuid_t before = diagonal->done;
    const ocrGuid_t gated = createEdt(run, run->potrfTemplate, 3 * (run->tiles - k), diagonal);
    MUST(ocrAddDependence(diagonal->block, gated, POTRF_A, DB_MODE_EW));
    MUST(ocrAddDependence(before, gated, POTRF_AFTER_A, DB_MODE_NULL));

    for (u64 i = k + 1; i < run->tiles; i++) {
        Tile *tile = tileAt(run, i, k);
        before = tile->done;
        const ocrGuid_t edt = createEdt(run, run->trsmTemplate, 3 * (run->tiles - k) - 1, tile);
        MUST(ocrAddDependence(diagonal->block, edt, TRSM_L, DB_MODE_CONST));
        MUST(ocrAddDependence(tile->block, edt, TRSM_A, DB_MODE_EW));
        MUST(ocrAddDependence(before, edt, TRSM_AFTER_A, DB_MODE_NULL));
        MUST(ocrAddDependence(diagonal->done, edt, TRSM_AFTER_L, DB_MODE_NULL));
    }

    for (u64 i = k + 1; i < run->tiles; i++) {
        const Tile *left = tileAt(run, i, k);
        for (u64 j = k + 1; j <= i; j++) {
            const Tile *other = tileAt(run, j, k);
            Tile *tile = tileAt(run, i, j);
            before = tile->done;
            /* Tile (i, j) is factored or solved in step j: the nearer that is, the sooner it is wanted. */
            const u64 priority = 3 * (run->tiles - j) + (i == j);
            if (i == j) {
                const ocrGuid_t edt = createEdt(run, run->syrkTemplate, priority, tile);
                MUST(ocrAddDependence(left->block, edt, SYRK_A, DB_MODE_CONST));
                MUST(ocrAddDependence(tile->block, edt, SYRK_C, DB_MODE_EW));
                MUST(ocrAddDependence(before, edt, SYRK_AFTER_C, DB_MODE_NULL));
                MUST(ocrAddDependence(left->done, edt, SYRK_AFTER_A, DB_MODE_NULL));
            } else {
                const ocrGuid_t edt = createEdt(run, run->gemmTemplate, priority, tile);
                MUST(ocrAddDependence(left->block, edt, GEMM_A, DB_MODE_CONST));
                MUST(ocrAddDependence(other->block, edt, GEMM_B, DB_MODE_CONST));
                MUST(ocrAddDependence(tile->block, edt, GEMM_C, DB_MODE_EW));
                MUST(ocrAddDependence(before, edt, GEMM_AFTER_C, DB_MODE_NULL));
                MUST(ocrAddDependence(left->done, edt, GEMM_AFTER_A, DB_MODE_NULL));
                MUST(ocrAddDependence(other->done, edt, GEMM_AFTER_B, DB_MODE_NULL));
            }
        }
    }

    if (k + STEPS_AHEAD < run->tiles) {
        u64 paramv[] = { k + STEPS_AHEAD };
        ocrGuid_t step, done;
        MUST(ocrEdtCreate(&step, run->stepTemplate, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                          NULL_HINT, &done));
        MUST(ocrAddDependence(run->lastStep, step, STEP_RUN, DB_MODE_EW));
        MUST(ocrAddDependence(diagonal->done, step, STEP_AFTER, DB_MODE_NULL));
        run->lastStep = done;
    }
    const bool isLast = k + 1 == run->tiles;
    if (k + STEPS_AHEAD == run->tiles - 1 || (isLast && run->tiles <= STEPS_AHEAD))
        MUST(ocrAddDependence(run->lastStep, run->report, REPORT_RUN, DB_MODE_EW));
    if (isLast)
        MUST(ocrAddDependence(diagonal->done, run->report, REPORT_AFTER, DB_MODE_NULL));

    /* All that waits for EDTs of the step before is connected. */
    if (k > 0)
        MUST(ocrAddDependence(NULL_GUID, run->gate, POTRF_GATE, DB_MODE_NULL));
    if (isLast)
        MUST(ocrAddDependence(NULL_GUID, gated, POTRF_GATE, DB_MODE_NULL));
    run->gate = gated;
}

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    Run *run = depv[STEP_RUN].ptr;
    createStep(run, paramv[0]);
    return run->self;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* The factor as whole rows of doubles, 0 above the diagonal; to be freed. NULL if there is no memory. */
static double *factorRows(const Run *run, const ocrEdtDep_t *tiles) {
    const u64 size = run->size, tile = run->tile;
    double *rows = calloc(size * size, sizeof *rows);
    for (u64 i = 0; rows != NULL && i < size; i++)
        for (u64 j = 0; j <= i; j++) {
            const void *block = tiles[tileIndex(i / tile, j / tile)].ptr;
            const u64 at = i % tile + j % tile * tileStride((u32)tile);
            rows[i * size + j] = run->isDouble ? ((const double *)block)[at] : (double)((const float *)block)[at];
        }
    return rows;
}

static double dot(const double *x, const double *y, u64 count) {
    double sum[8] = { 0 }, all = 0;
    u64 i = 0;
    for (; i + 8 <= count; i += 8)
        for (u64 part = 0; part < 8; part++)
            sum[part] += x[i + part] * y[i + part];
    for (; i < count; i++)
        all += x[i] * y[i];
    for (u64 part = 0; part < 8; part++)
        all += sum[part];
    return all;
}

/* The residual |A - L * L'| / (|A| * size * epsilon), with the greatest sum of a row as norm. Of a right factorisation
 * it is well below 1, since errors add up like random numbers; RESIDUAL_MAX is what LAPACK's own tests allow. It is
 * greater by orders of magnitude where one number of L is wrong. */
#define RESIDUAL_MAX 30

static bool check(const Run *run, const ocrEdtDep_t *tiles) {
    const u64 size = run->size;
    double *rows = factorRows(run, tiles), *sums = calloc(2 * size, sizeof *sums);
    if (rows == NULL || sums == NULL) {
        free(rows);
        free(sums);
        fail("no memory for --check");
        return false;
    }
    double *errors = sums + size;
    for (u64 i = 0; i < size; i++)
        for (u64 j = 0; j <= i; j++) {
            double element = matrixElement(run->seed, size, i, j);
            if (!run->isDouble)
                element = (double)(float)element;
            const double error = fabs(element - dot(rows + i * size, rows + j * size, j + 1));
            sums[i] += fabs(element);
            errors[i] += error;
            if (i != j) { /* it stands for (j, i), too */
                sums[j] += fabs(element);
                errors[j] += error;
            }
        }
    double norm = 0, error = 0;
    for (u64 i = 0; i < size; i++) {
        norm = fmax(norm, sums[i]);
        error = isnan(errors[i]) ? (double)INFINITY : fmax(error, errors[i]);
    }
    free(rows);
    free(sums);
    const double epsilon = run->isDouble ? 0x1p-52 : 0x1p-23, residual = error / (norm * (double)size * epsilon);
    ocrPrintf("residual: %.6g\n", residual);
    if (!(residual < RESIDUAL_MAX)) {
        fail("--check: the residual |A - L L'| / (|A| n epsilon) is %g, and should be less than %d", residual,
             RESIDUAL_MAX);
        return false;
    }
    ocrPrintf("check: ok\n");
    return true;
}

/* The logarithm of the determinant of the matrix: twice the sum of those of the diagonal of L. */
static double logDeterminant(const Run *run, const ocrEdtDep_t *tiles) {
    double sum = 0;
    for (u64 i = 0; i < run->size; i++) {
        const void *block = tiles[tileIndex(i / run->tile, i / run->tile)].ptr;
        const u64 at = i % run->tile * (tileStride((u32)run->tile) + 1);
        sum += 2 * log(run->isDouble ? ((const double *)block)[at] : (double)((const float *)block)[at]);
    }
    return sum;
}

static ocrGuid_t report(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    const Run *run = depv[REPORT_RUN].ptr;
    const double seconds = now() - run->start, size = (double)run->size;
    const ocrEdtDep_t *tiles = depv + REPORT_TILES;
    ocrPrintf("log_determinant: %.6g\n", logDeterminant(run, tiles));
    ocrPrintf("seconds: %.6f\n", seconds);
    ocrPrintf("gflops: %.3f\n", size * size * size / 3 / seconds * 1e-9);
    ocrPrintf("tile: %" PRIu64 "\n", run->tile);
    printRan();
    ocrPrintf("functions: %s\n", functions.name);
    if ((run->check && !check(run, tiles)) || !isWritten())
        return NULL_GUID;

    ocrEdtTemplateDestroy(run->potrfTemplate);
    ocrEdtTemplateDestroy(run->trsmTemplate);
    ocrEdtTemplateDestroy(run->syrkTemplate);
    ocrEdtTemplateDestroy(run->gemmTemplate);
    ocrEdtTemplateDestroy(run->stepTemplate);
    ocrEdtTemplateDestroy(run->reportTemplate);
    for (u32 slot = REPORT_TILES; slot < depc; slot++)
        ocrDbDestroy(depv[slot].guid);
    ocrDbDestroy(depv[REPORT_RUN].guid);
    ocrShutdown();
    return NULL_GUID;
}

/* ---- BLAS -------------------------------------------------------------------------------------------------------- */

/* The words of CBLAS for: by columns, as it is, transposed, the lower triangle, on the right, any diagonal. */
enum { COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112, LOWER = 122, RIGHT = 142, NON_UNIT = 131 };

static struct {
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                  int);
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    void (*dsyrk)(int, int, int, int, int, double, const double *, int, double, double *, int);
    void (*ssyrk)(int, int, int, int, int, float, const float *, int, float, float *, int);
    void (*dtrsm)(int, int, int, int, int, int, int, double, const double *, int, double *, int);
    void (*strsm)(int, int, int, int, int, int, int, float, const float *, int, float *, int);
} blas;

#define BLAS_FUNCTIONS(kind, x, real)                                                                                 \
    static void blasTrsm##kind(u32 tile, const void *l, void *a) {                                                    \
        const int n = (int)tile, stride = (int)tileStride(tile);                                                      \
        blas.x##trsm(COLUMNS, RIGHT, LOWER, TRANSPOSED, NON_UNIT, n, n, 1, (const real *)l, stride, (real *)a,        \
                     stride);                                                                                         \
    }                                                                                                                 \
    static void blasSyrk##kind(u32 tile, const void *a, void *c) {                                                    \
        const int n = (int)tile, stride = (int)tileStride(tile);                                                      \
        blas.x##syrk(COLUMNS, LOWER, PLAIN, n, n, -1, (const real *)a, stride, 1, (real *)c, stride);                 \
    }                                                                                                                 \
    static void blasGemm##kind(u32 tile, const void *a, const void *b, void *c) {                                     \
        const int n = (int)tile, stride = (int)tileStride(tile);                                                      \
        blas.x##gemm(COLUMNS, PLAIN, TRANSPOSED, n, n, n, -1, (const real *)a, stride, (const real *)b, stride, 1,    \
                     (real *)c, stride);                                                                              \
    }

BLAS_FUNCTIONS(Double, d, double)
BLAS_FUNCTIONS(Float, s, float)

/* Makes the C functions those of a BLAS. After `false` the program has been ended. */
static bool useBlas(const char *library, bool isDouble) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fail("--blas: %s; give another library that has CBLAS, or leave --blas out", dlerror());
        return false;
    }
    const struct {
        const char *name;
        void *function; /* a pointer to the function pointer */
    } wanted[] = {
        { "cblas_dgemm", &blas.dgemm }, { "cblas_sgemm", &blas.sgemm }, { "cblas_dsyrk", &blas.dsyrk },
        { "cblas_ssyrk", &blas.ssyrk }, { "cblas_dtrsm", &blas.dtrsm }, { "cblas_strsm", &blas.strsm },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(handle, wanted[i].name);
        if (found == NULL) {
            fail("--blas %s: it has no %s; give another library that has CBLAS, or leave --blas out", library,
                 wanted[i].name);
            return false;
        }
        memcpy(wanted[i].function, &found, sizeof found);
    }
    void (*setThreads)(int) = NULL;
    void *found = dlsym(handle, "openblas_set_num_threads");
    memcpy(&setThreads, &found, sizeof found);
    if (setThreads != NULL)
        setThreads(1);
    functions.name = library;
    functions.trsm = isDouble ? blasTrsmDouble : blasTrsmFloat;
    functions.syrk = isDouble ? blasSyrkDouble : blasSyrkFloat;
    functions.gemm = isDouble ? blasGemmDouble : blasGemmFloat;
    return true;
}

/* ---- what the user asks for -------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: cholesky [options]\n"
    "\n"
    "Factors a random symmetric positive definite matrix by tiles, and reports how fast that was.\n"
    "\n"
    "  --size N         rows of the matrix, 1 to 65536 (default: 2048)\n"
    "  --tile N         side of a tile, 1 to 2048; rounded up to a multiple of 32. By default a 16th of the matrix, but\n"
    "                   at least 64 and at most 192. A matrix has at most 512 tiles in a row\n"
    "  --seed N         which random matrix (default: 1)\n"
    "  --precision P    double (default) or float; a device without double precision runs kernels for float alone\n"
    "  --blas[=FILE]    for the C functions, take trsm, syrk and gemm from this library, which has CBLAS; by default\n"
    "                   libopenblas.so.0. Without this option they are functions of this program\n"
    "  --check          compare L * L' with the matrix: the residual |A - L L'| / (|A| n epsilon) must be less than\n"
    "                   30; takes a few times as long as the factorisation\n"
    "  --help           this text\n"
    "\n"
    "The output has lines KEY: value. log_determinant is that of the matrix; gflops counts N^3/3 operations.\n"
    "\n"
    "TILE_FORM=portable or avx2 limits the vectors that the C functions use. Kernels are looked for in $OCR_KERNELS,\n"
    "in the source tree or the installation that this program is part of, and in ./kernels.\n";

typedef struct {
    u64 size, tile, seed; /* tile 0: by the size */
    bool isDouble, check, help;
    const char *blas; /* or NULL */
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
        } else if (strcmp(argument, "--blas") == 0) {
            options->blas = "libopenblas.so.0";
        } else if (strncmp(argument, "--blas=", 7) == 0) {
            options->blas = argument + 7;
        } else if (value = optionValue(arguments, &i, "--size", &is), is) {
            isRight = optionNumber("--size", value, 1, SIZE_MAX_ROWS, &options->size);
        } else if (value = optionValue(arguments, &i, "--tile", &is), is) {
            isRight = optionNumber("--tile", value, 1, TILE_MAX, &options->tile);
        } else if (value = optionValue(arguments, &i, "--seed", &is), is) {
            isRight = optionNumber("--seed", value, 0, UINT64_MAX, &options->seed);
        } else if (value = optionValue(arguments, &i, "--precision", &is), is) {
            options->isDouble = value != NULL && strcmp(value, "double") == 0;
            if (!options->isDouble && (value == NULL || strcmp(value, "float") != 0)) {
                fail("--precision %s: give double or float", value != NULL ? value : "(nothing)");
                return false;
            }
        } else {
            fail("%s is no option; cholesky --help lists the options", argument);
            return false;
        }
        if (!isRight)
            return false;
    }
    return true;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Without kernels the tiles are done by C functions. */
static void addKernels(const Run *run) {
    char *source = kernelSource("cholesky.cl");
    if (source == NULL) {
        fprintf(stderr, PROGRAM ": going on without kernels, on CPU cores alone\n");
        return;
    }
    char cpu[64], gpu[64];
    const int precision = run->isDouble ? 64 : 32;
    snprintf(cpu, sizeof cpu, "-ocr-device=cpu -DPRECISION=%d", precision);
    snprintf(gpu, sizeof gpu, "-ocr-device=gpu -DPRECISION=%d", precision);
    const struct {
        ocrGuid_t template;
        const char *cpu, *gpu;
        ocrNdRangeFn_t range;
    } kernels[] = {
        { run->potrfTemplate, "cholesky_potrf_cpu", "cholesky_potrf_gpu", rangeGpuPotrf },
        { run->trsmTemplate, "cholesky_trsm_cpu", "cholesky_trsm_gpu", rangeGpuTrsm },
        { run->syrkTemplate, "cholesky_syrk_cpu", "cholesky_syrk_gpu", rangeGpuUpdate },
        { run->gemmTemplate, "cholesky_gemm_cpu", "cholesky_gemm_gpu", rangeGpuUpdate },
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (ocrEdtTemplateAddKernel(kernels[i].template, source, cpu, kernels[i].cpu, rangeOneItem,
                                    OCR_NO_RESULT) != 0 ||
            ocrEdtTemplateAddKernel(kernels[i].template, source, gpu, kernels[i].gpu, kernels[i].range,
                                    OCR_NO_RESULT) != 0) {
            fprintf(stderr, PROGRAM ": a kernel could not be added; going on without it%s\n",
                    run->isDouble ? ". A device without double precision has kernels with --precision float" : "");
        }
    free(source);
}

static void start(const Options *options) {
    u64 tile = options->tile;
    if (tile == 0)
        tile = least(options->size / 16 > 64 ? options->size / 16 : 64, 192);
    tile = least((tile + TILE_MULTIPLE - 1) / TILE_MULTIPLE * TILE_MULTIPLE,
                 (options->size + TILE_MULTIPLE - 1) / TILE_MULTIPLE * TILE_MULTIPLE);
    const u64 tiles = (options->size + tile - 1) / tile, kept = tiles * (tiles + 1) / 2;
    if (tiles > TILES_MAX) {
        fail("--tile %" PRIu64 ": a matrix of %" PRIu64 " rows has %" PRIu64 " such tiles in a row; %d is the most, so "
             "give at least %" PRIu64, tile, options->size, tiles, TILES_MAX,
             (options->size + TILES_MAX - 1) / TILES_MAX);
        return;
    }
    functions = tileFunctions(options->isDouble);
    if (options->blas != NULL && !useBlas(options->blas, options->isDouble))
        return;

    ocrGuid_t self;
    void *ptr;
    MUST(ocrDbCreate(&self, &ptr, sizeof(Run) + kept * sizeof(Tile), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    Run *run = ptr;
    *run = (Run){
        .size = options->size, .tile = tile, .tiles = tiles, .seed = options->seed, .isDouble = options->isDouble,
        .check = options->check, .self = self, .lastStep = self,
    };
    MUST(ocrEdtTemplateCreate(&run->potrfTemplate, potrf, TILE_PARAMS, POTRF_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->trsmTemplate, trsm, TILE_PARAMS, TRSM_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->syrkTemplate, syrk, TILE_PARAMS, SYRK_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->gemmTemplate, gemm, TILE_PARAMS, GEMM_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->stepTemplate, step, 1, STEP_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->reportTemplate, report, 0, REPORT_TILES + (u32)kept));
    addKernels(run);

    MUST(ocrEdtCreate(&run->report, run->reportTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                      NULL_HINT, NULL));
    const u64 bytes = tileNumbers((u32)tile) * (run->isDouble ? sizeof(double) : sizeof(float));
    for (u64 i = 0; i < tiles; i++)
        for (u64 j = 0; j <= i; j++) {
            Tile *at = tileAt(run, i, j);
            *at = (Tile){ .done = NULL_GUID };
            MUST(ocrDbCreate(&at->block, &ptr, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
            matrixTile(run->isDouble, run->seed, run->size, (u32)tile, i, j, ptr);
            MUST(ocrDbRelease(at->block));
            MUST(ocrAddDependence(at->block, run->report, REPORT_TILES + (u32)tileIndex(i, j), DB_MODE_CONST));
        }

    run->start = now(); /* building kernels and making the matrix is not counted */
    for (u64 k = 0; k < least(tiles, STEPS_AHEAD); k++)
        createStep(run, k);
    MUST(ocrDbRelease(self)); /* the first `step`, or `report`, waits for it */
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    Options options = { .size = 2048, .seed = 1, .isDouble = true };
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
