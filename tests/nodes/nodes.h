/* What programs of several nodes share: where objects are, and a block that is compared at the end. */
#ifndef NODES_H
#define NODES_H

#include <ocr.h>
#include <extensions/ocr-affinity.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) ocrAssert((call) == 0)

static inline u64 nodes(void)
{
    u64 count = 0;
    MUST(ocrAffinityCount(AFFINITY_PD, &count));
    return count;
}

/* The number of the node that calls. */
static inline u64 here(void)
{
    ocrGuid_t current, all[64];
    u64 count = 64;
    MUST(ocrAffinityGetCurrent(&current));
    MUST(ocrAffinityGet(AFFINITY_PD, &count, all));
    for (u64 node = 0; node < count; node++) {
        if (ocrGuidIsEq(all[node], current)) {
            return node;
        }
    }
    ocrAssert(false);
    return 0;
}

static inline void onNode(ocrHint_t *hint, u64 node)
{
    ocrGuid_t affinity;
    MUST(ocrAffinityGetAt(AFFINITY_PD, node % nodes(), &affinity));
    MUST(ocrHintInit(hint, OCR_HINT_EDT_T));
    MUST(ocrSetHintValue(hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity)));
}

static inline ocrGuid_t template(ocrEdt_t function, u32 paramc, u32 depc)
{
    ocrGuid_t guid;
    MUST(ocrEdtTemplateCreate(&guid, function, paramc, depc));
    return guid;
}

static inline ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)depc;
    const u64 is = *(const u64 *)depv[0].ptr;
    ocrAssert(paramc == 1);
    if (is == paramv[0]) {
        printf("right: %lu on node %lu\n", (unsigned long)is, (unsigned long)here());
    } else {
        printf("wrong: %lu, not %lu\n", (unsigned long)is, (unsigned long)paramv[0]);
    }
    fflush(stdout);
    MUST(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

/* An EDT that compares a block with what should be in it, when `event` is satisfied, and ends the program. */
static inline void compareAfter(ocrGuid_t event, ocrGuid_t block, u64 wanted, u64 node)
{
    ocrGuid_t edt, of = template(done, 1, 2);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &wanted, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrAddDependence(block, edt, 0, DB_MODE_RO));
    MUST(ocrAddDependence(event, edt, 1, DB_MODE_NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

static inline ocrGuid_t zero(void)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = 0;
    MUST(ocrDbRelease(block));
    return block;
}

/* Creates an EDT on a node, without a GUID for the caller, which gets these blocks. */
static inline void start(ocrEdt_t function, u64 node, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *depv)
{
    ocrGuid_t of = template(function, paramc, depc);
    ocrHint_t hint;
    onNode(&hint, node);
    MUST(ocrEdtCreate(NULL, of, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, depv, EDT_PROP_NONE, &hint, NULL));
    MUST(ocrEdtTemplateDestroy(of));
}

#endif
