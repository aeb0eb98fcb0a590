/* fanout [EDTS]: one once event that EDTS EDTs wait for.
 *
 * ns_per_dependence   connecting a pre-slot with the event, and satisfying it
 * ns_connect          of that, ocrAddDependence
 * ns_satisfy          of that, ocrEventSatisfy, which makes all EDTs ready before it returns
 * ns_per_edt          all of it, with creating and running the EDTs
 * ns_aged             per dependence, the tenth time in the same memory: slots were freed and taken in many orders */
#include "bench.h"

#define ROUNDS 10

static u64 edts, rounds;
static double begin, created, connected, satisfied;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t fanOut(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 0, 1);
    ocrGuid_t event, *edt = malloc(edts * sizeof *edt);
    EXPECT(edt != NULL);
    MUST(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    begin = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(&edt[i], emptyTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
    created = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrAddDependence(event, edt[i], 0, DB_MODE_NULL));
    connected = now();
    MUST(ocrEventSatisfy(event, NULL_GUID));
    satisfied = now();
    free(edt);
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    if (rounds++ > 0) {
        if (rounds == ROUNDS) {
            figure("ns_aged", (satisfied - created) / (double)edts);
            ocrShutdown();
            return NULL_GUID;
        }
        runScope(fanOut, end);
        return NULL_GUID;
    }
    expectEdts(edts);
    figure("ns_per_dependence", (satisfied - created) / (double)edts);
    figure("ns_connect", (connected - created) / (double)edts);
    figure("ns_satisfy", (satisfied - connected) / (double)edts);
    figure("ns_per_edt", (ended - begin) / (double)edts);
    runScope(fanOut, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 1000000);
    runScope(fanOut, end);
    return NULL_GUID;
}
