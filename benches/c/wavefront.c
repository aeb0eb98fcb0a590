/* wavefront [SIDE]: SIDE x SIDE EDTs, of which each waits for its upper and its left neighbour's output event.
 *
 * Built row by row while the first EDT waits; it runs when that is let go.
 *
 * ns_per_edt          building and running
 * ns_per_dependence   the same, by the 2 SIDE (SIDE - 1) dependences
 * ns_build, ns_run    per EDT, the two parts of ns_per_edt
 * ns_again            ns_per_edt of a second time in the same process */
#include "bench.h"

static u64 side;
static int pass;
static double begin, built;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t build(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 0, 2);
    ocrGuid_t *above = malloc(side * sizeof *above), first = NULL_GUID;
    EXPECT(above != NULL);
    begin = now();
    for (u64 i = 0; i < side; i++) {
        ocrGuid_t left = NULL_GUID;
        for (u64 j = 0; j < side; j++) {
            const bool corner = i == 0 && j == 0;
            ocrGuid_t slots[2] = { i > 0 ? above[j] : NULL_GUID, left }, output;
            if (corner)
                slots[0] = UNINITIALIZED_GUID;
            MUST(ocrEdtCreate(corner ? &first : NULL, emptyTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, slots,
                              EDT_PROP_NONE, NULL_HINT, &output));
            above[j] = left = output;
        }
    }
    built = now();
    free(above);
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now(), edts = (double)side * (double)side;
    UNUSED;
    if (pass++ == 1) {
        figure("ns_again", (ended - begin) / edts);
        ocrShutdown();
        return NULL_GUID;
    }
    expectEdts(side * side);
    figure("ns_per_edt", (ended - begin) / edts);
    figure("ns_per_dependence", (ended - begin) / (2.0 * (double)side * (double)(side - 1)));
    figure("ns_build", (built - begin) / edts);
    figure("ns_run", (ended - built) / edts);
    runScope(build, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    side = sizeArgument(depv, 1, 1000);
    EXPECT(side > 1);
    runScope(build, end);
    return NULL_GUID;
}
