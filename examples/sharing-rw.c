/* Mode RW: several tasks write one data block at the same time, each its own part.
 *
 * The runtime does not order such tasks; that their parts do not overlap is up to the program. What they wrote is seen
 * by the task that depends on all of them.
 *
 * Prints: 64 writers filled 65536 elements */
#include <ocr.h>

#define WRITERS 64u
#define PART    1024u

static u32 value(u64 i) {
    return (u32)(i * i + 1);
}

/* Parameter: which part. */
static ocrGuid_t writeEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *elements = depv[0].ptr;
    for (u64 i = paramv[0] * PART; i < (paramv[0] + 1) * PART; i++)
        elements[i] = value(i);
    return NULL_GUID;
}

static ocrGuid_t checkEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    const u32 *elements = depv[depc - 1].ptr;
    for (u64 i = 0; i < WRITERS * PART; i++) {
        if (elements[i] != value(i)) {
            ocrPrintf("element %" PRIu64 " is %u instead of %u\n", i, elements[i], value(i));
            ocrAbort(1);
            return NULL_GUID;
        }
    }
    ocrPrintf("%u writers filled %u elements\n", WRITERS, WRITERS * PART);
    ocrDbDestroy(depv[depc - 1].guid);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, writeTemplate, checkTemplate, check;
    void *unused;
    /* mainEdt does not use the block itself, so that it can come into being where the writers are. */
    ocrDbCreate(&block, &unused, WRITERS * PART * sizeof(u32), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC);
    ocrEdtTemplateCreate(&writeTemplate, writeEdt, 1, 1);
    ocrEdtTemplateCreate(&checkTemplate, checkEdt, 0, WRITERS + 1);
    ocrEdtCreate(&check, checkTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);

    for (u64 part = 0; part < WRITERS; part++) {
        ocrGuid_t writer, done;
        ocrEdtCreate(&writer, writeTemplate, EDT_PARAM_DEF, &part, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                     &done);
        ocrAddDependence(done, check, (u32)part, DB_MODE_NULL); /* first, since the next line lets the writer run */
        ocrAddDependence(block, writer, 0, DB_MODE_RW);
    }
    ocrAddDependence(block, check, WRITERS, DB_MODE_CONST);
    ocrEdtTemplateDestroy(writeTemplate);
    ocrEdtTemplateDestroy(checkTemplate);
    return NULL_GUID;
}
