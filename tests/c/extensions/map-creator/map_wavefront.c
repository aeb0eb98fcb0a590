/* A matrix of EDTs, each after those above it and to its left, made by a map as they are needed: no EDT creates
 * the matrix, and each EDT but the first is asked for by the one or two EDTs before it. */
// clause: ocr-map-creator.h
// stdout-lines: 1 done: 5736
#include "check.h"
#include <extensions/ocr-map-creator.h>

#define MOST 48

typedef struct {
    ocrGuid_t map, tmpl;
    u64 width, height;
    u64 sums[MOST][MOST];
} Matrix;

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)paramc, (void)guidc;
    u64 place[] = {index % paramv[0], index / paramv[0]};
    ocrGuid_t deps[] = {guidv[0], place[0] == 0 ? NULL_GUID : UNINITIALIZED_GUID,
                        place[1] == 0 ? NULL_GUID : UNINITIALIZED_GUID};
    OK(ocrEdtCreate(&lid, guidv[1], EDT_PARAM_DEF, place, EDT_PARAM_DEF, deps, EDT_PROP_MAPPED, NULL_HINT, NULL));
    CHECK_EQ(ocrGetIdType(lid), OCR_ID_GUID);
}

static ocrGuid_t work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 x = paramv[0], y = paramv[1];
    Matrix *matrix = depv[0].ptr;
    CHECK_EQ(matrix->sums[y][x], 0);
    u64 left = x == 0 ? 0 : matrix->sums[y][x - 1], above = y == 0 ? 0 : matrix->sums[y - 1][x];
    matrix->sums[y][x] = 1 + (left > above ? left : above);
    ocrGuid_t next;
    if (x + 1 < matrix->width) {
        OK(ocrMapGet(&next, matrix->map, x + 1 + y * matrix->width));
        OK(ocrAddDependence(NULL_GUID, next, 1, DB_DEFAULT_MODE));
    }
    if (y + 1 < matrix->height) {
        OK(ocrMapGet(&next, matrix->map, x + (y + 1) * matrix->width));
        OK(ocrAddDependence(NULL_GUID, next, 2, DB_DEFAULT_MODE));
    }
    if (x + 1 == matrix->width && y + 1 == matrix->height) {
        u64 sum = 0;
        for (u64 i = 0; i < matrix->height; i++) {
            CHECK_EQ(matrix->sums[i][x], x + i + 1);
            sum += 2 * matrix->sums[i][x] - i;
        }
        ocrPrintf("done: %" PRIu64 "\n", sum);
        OK(ocrEdtTemplateDestroy(matrix->tmpl));
        OK(ocrMapDestroy(matrix->map));
        OK(ocrDbDestroy(depv[0].guid));
        ocrShutdown();
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    Matrix *matrix;
    ocrGuid_t block = block_of(sizeof *matrix, (void **)&matrix), first;
    memset(matrix, 0, sizeof *matrix);
    matrix->width = matrix->height = MOST;
    matrix->tmpl = template_of(work, 2, 3);
    u64 params[] = {matrix->width, matrix->height};
    ocrGuid_t guids[] = {block, matrix->tmpl};
    OK(ocrMapCreate(&matrix->map, matrix->width * matrix->height, creator, 2, params, 2, guids));
    OK(ocrMapGet(&first, matrix->map, 0));
    return NULL_GUID;
}
