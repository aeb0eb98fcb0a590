/* scaling [EDTS [STEPS]]: EDTs that compute for STEPS steps each, created by one EDT.
 *
 * To compare runs with different numbers of workers, give all of them the same STEPS.
 *
 * steps_per_us   how many steps take a microsecond
 * ns_per_edt     from the first creation to the end of the finish scope */
#include "bench.h"
#include "work.h"

static u64 edts, steps;
static double begin;

static ocrGuid_t compute(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    work(paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    double best = 0;
    for (int i = 0; i < 20; i++) {
        const double from = now();
        work(100000);
        const double perUs = 100000 / ((now() - from) / 1000);
        best = perUs > best ? perUs : best;
    }
    if (steps == 0)
        steps = (u64)best;
    figure("steps_per_us", best);
    const ocrGuid_t computeTemplate = template(compute, 1, 0);
    begin = now();
    for (u64 i = 0; i < edts; i++)
        MUST(ocrEdtCreate(NULL, computeTemplate, EDT_PARAM_DEF, &steps, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    expectEdts(edts);
    figure("ns_per_edt", (ended - begin) / (double)edts);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 200000);
    if (ocrGetArgc(depv[0].ptr) > 2)
        steps = sizeArgument(depv, 2, 1);
    runScope(createAll, end);
    return NULL_GUID;
}
