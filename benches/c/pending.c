/* pending [EDTS]: EDTs with two pre-slots and two parameters that all wait at the same time, and then run.
 *
 * bytes_per_edt   resident memory of the process: difference between before they are created and when all wait
 * ns_create       creating one
 * ns_per_edt      satisfying its two pre-slots and running it */
#include "bench.h"

#include <string.h>

static u64 edts;
static double begin, satisfying, bytesPerEdt, nsCreate;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 2, 2);
    ocrGuid_t *edt = malloc(edts * sizeof *edt);
    EXPECT(edt != NULL);
    memset(edt, 0xff, edts * sizeof *edt); /* resident, before it counts */
    const double before = residentBytes();
    begin = now();
    for (u64 i = 0; i < edts; i++) {
        u64 params[2] = { i, i };
        MUST(ocrEdtCreate(&edt[i], emptyTemplate, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
    }
    nsCreate = (now() - begin) / (double)edts;
    bytesPerEdt = (residentBytes() - before) / (double)edts;
    satisfying = now();
    for (u64 i = 0; i < edts; i++) {
        MUST(ocrAddDependence(NULL_GUID, edt[i], 0, DB_MODE_NULL));
        MUST(ocrAddDependence(NULL_GUID, edt[i], 1, DB_MODE_NULL));
    }
    free(edt);
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    expectEdts(edts);
    figure("bytes_per_edt", bytesPerEdt);
    figure("ns_create", nsCreate);
    figure("ns_per_edt", (ended - satisfying) / (double)edts);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 1000000);
    runScope(createAll, end);
    return NULL_GUID;
}
