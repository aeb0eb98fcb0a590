/* chain [EDTS]: EDTs of which each waits for the output event of the one before.
 *
 * A new output event is a once event, so the chain is built while its first EDT waits, and runs when that is let go.
 *
 * ns_per_edt   building and running
 * ns_build     of that, creating an EDT, its output event, and the dependence on the event before
 * ns_run       the rest: running an EDT and satisfying its output event
 * ns_again     ns_per_edt of a second time in the same process */
#include "bench.h"

static u64 edts;
static int pass;
static double begin, built;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t build(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 0, 1);
    begin = now();
    ocrGuid_t first, before, output;
    MUST(ocrEdtCreate(&first, emptyTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                      &output));
    for (u64 i = 1; i < edts; i++) {
        before = output;
        MUST(ocrEdtCreate(NULL, emptyTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &before, EDT_PROP_NONE, NULL_HINT,
                          &output));
    }
    built = now();
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
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
    figure("ns_build", (built - begin) / (double)edts);
    figure("ns_run", (ended - built) / (double)edts);
    runScope(build, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 1000000);
    runScope(build, end);
    return NULL_GUID;
}
