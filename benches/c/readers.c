/* readers [EDTS]: EDTs that all read one data block, against EDTs that wait for nothing in its place.
 *
 * What the block costs each EDT, and, with more workers, what it costs that all of them write to the block's header.
 *
 * ns_per_edt   creating an EDT, a dependence on the block in RO mode, and running it
 * ns_without   the same with NULL_GUID in place of the block; both in memory that has been used before */
#include "bench.h"

static u64 edts;
static int pass;
static double begin, without;
static ocrGuid_t block;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 0, 1), source = pass == 2 ? block : NULL_GUID;
    begin = now();
    for (u64 i = 0; i < edts; i++) {
        ocrGuid_t edt;
        MUST(ocrEdtCreate(&edt, emptyTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
        MUST(ocrAddDependence(source, edt, 0, DB_MODE_RO));
    }
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ns = (now() - begin) / (double)edts;
    UNUSED;
    switch (pass++) {
    case 0: /* has got the memory */
        break;
    case 1:
        without = ns;
        break;
    default:
        expectEdts(3 * edts);
        figure("ns_per_edt", ns);
        figure("ns_without", without);
        ocrShutdown();
        return NULL_GUID;
    }
    runScope(createAll, end);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *number;
    edts = sizeArgument(depv, 1, 1000000);
    MUST(ocrDbCreate(&block, (void **)&number, sizeof *number, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *number = 0;
    MUST(ocrDbRelease(block));
    runScope(createAll, end);
    return NULL_GUID;
}
