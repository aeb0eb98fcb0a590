/* What objects on another node cost. Run on two nodes, each with one worker.
 *
 *   hop N          an empty EDT on node 0 creates the next one on node 1, which creates the next one on node 0, N times
 *   read N BYTES   the same, and each EDT reads a block of node 0
 *   write N BYTES  the same, and each EDT writes it
 *   create N       an EDT of node 0 creates N empty EDTs for its own node, whose GUIDs it does not ask for
 *   create N 1     the same for node 1
 *   nothing        the program ends
 *
 * Prints `ns`, a hop or an EDT. Processes of one machine have one clock, and these are on one machine. */
#include "bench.h"

#include <extensions/ocr-affinity.h>
#include <string.h>

static u64 bitsOf(double value) {
    u64 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double valueOf(u64 bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void onNode(ocrHint_t *hint, u64 node) {
    ocrGuid_t affinity;
    u64 nodes;
    MUST(ocrAffinityCount(AFFINITY_PD, &nodes));
    MUST(ocrAffinityGetAt(AFFINITY_PD, node % nodes, &affinity));
    MUST(ocrHintInit(hint, OCR_HINT_EDT_T));
    MUST(ocrSetHintValue(hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)));
}

enum { LEFT, TIMES, BEGUN, TEMPLATE, MODE, HOP_PARAMS };

/* A hop, which has a block where the mode of that is not DB_MODE_NULL. */
static ocrGuid_t hop(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    if (depv[0].ptr != NULL && paramv[MODE] == DB_MODE_RW)
        *(u64 *)depv[0].ptr += 1;
    if (paramv[LEFT] == 0) {
        EXPECT(depv[0].ptr == NULL || paramv[MODE] != DB_MODE_RW || *(u64 *)depv[0].ptr == paramv[TIMES] + 1);
        figure("ns", (now() - valueOf(paramv[BEGUN])) / (double)paramv[TIMES]);
        ocrShutdown();
        return NULL_GUID;
    }
    ocrHint_t hint;
    ocrGuid_t next, of = {.guid = (intptr_t)paramv[TEMPLATE]};
    u64 params[HOP_PARAMS];
    memcpy(params, paramv, sizeof params);
    params[LEFT]--;
    onNode(&hint, params[TIMES] - params[LEFT]);
    if (paramv[MODE] == DB_MODE_NULL) {
        ocrGuid_t none = NULL_GUID;
        MUST(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &none, EDT_PROP_NONE, &hint, NULL));
    } else {
        MUST(ocrEdtCreate(&next, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
        MUST(ocrAddDependence(depv[0].guid, next, 0, (ocrDbAccessMode_t)paramv[MODE]));
    }
    return NULL_GUID;
}

static void hops(u64 times, ocrDbAccessMode_t mode, u64 bytes) {
    ocrGuid_t first, block = NULL_GUID, of = template(hop, HOP_PARAMS, 1);
    u64 params[HOP_PARAMS] = {times, times, bitsOf(now()), (u64)of.guid, mode};
    if (mode != DB_MODE_NULL) {
        void *start;
        MUST(ocrDbCreate(&block, &start, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(start, 0, bytes);
        MUST(ocrDbRelease(block));
    }
    MUST(ocrEdtCreate(&first, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(block, first, 0, mode));
}

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    ocrHint_t hint;
    ocrGuid_t of = template(empty, 0, 0);
    onNode(&hint, paramv[1]);
    for (u64 i = 0; i < paramv[0]; i++)
        MUST(ocrEdtCreate(NULL, of, 0, NULL, 0, NULL, EDT_PROP_NONE, &hint, NULL));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    figure("ns", (now() - valueOf(paramv[1])) / (double)paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

static void createAll(u64 count, u64 node) {
    ocrGuid_t first, ended;
    u64 params[2] = {count, node}, end[2] = {count, bitsOf(now())};
    MUST(ocrEdtCreate(&first, template(creates, 2, 1), EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH,
                      NULL_HINT, &ended));
    MUST(ocrEdtCreate(NULL, template(ends, 2, 1), EDT_PARAM_DEF, end, EDT_PARAM_DEF, &ended, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    EXPECT(ocrGetArgc(depv[0].ptr) > 1);
    const char *what = ocrGetArgv(depv[0].ptr, 1);
    const u64 bytes = sizeArgument(depv, 3, 64);
    if (strcmp(what, "hop") == 0) {
        hops(sizeArgument(depv, 2, 1000), DB_MODE_NULL, 0);
    } else if (strcmp(what, "read") == 0) {
        hops(sizeArgument(depv, 2, 1000), DB_MODE_RO, bytes);
    } else if (strcmp(what, "write") == 0) {
        hops(sizeArgument(depv, 2, 1000), DB_MODE_RW, bytes);
    } else if (strcmp(what, "create") == 0) {
        createAll(sizeArgument(depv, 2, 1000), ocrGetArgc(depv[0].ptr) > 3);
    } else {
        EXPECT(strcmp(what, "nothing") == 0);
        ocrShutdown();
    }
    return NULL_GUID;
}
