/* independent [EDTS]: empty EDTs with one parameter and no pre-slot, created by one EDT under one finish scope.
 *
 * ns_per_edt   creating and running, from the first creation to the end of the scope
 * ns_create    of that, until the creating EDT has created the last
 * ns_again     ns_per_edt of a second time in the same process */
#include "bench.h"

static u64 edts;
static int pass;
static double begin, created;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 1, 0);
    begin = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(NULL, emptyTemplate, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    created = now();
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    if (pass++ == 1) {
        figure("ns_again", (ended - begin) / (double)edts);
        ocrShutdown();
        return NULL_GUID;
    }
    expectEdts(edts);
    figure("ns_per_edt", (ended - begin) / (double)edts);
    figure("ns_create", (created - begin) / (double)edts);
    runScope(createAll, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 1000000);
    runScope(createAll, end);
    return NULL_GUID;
}
