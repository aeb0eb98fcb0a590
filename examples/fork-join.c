/* Divide and conquer with events: the sum of the squares of 0 .. N - 1.
 *
 * No task waits for another one. A task that divides its range creates two tasks for the halves, and a third one that
 * depends on the results of both: the join. Whoever comes to know the sum of a range, a leaf or a join, satisfies the
 * event of that range with a data block that holds the sum.
 *
 * Prints: sum of squares below 100000: 333328333350000 */
#include <ocr.h>

#define N    100000u
#define LEAF 1000u /* a range that is not divided any more */

/* GUIDs travel as parameters: as many words as they have. */
typedef struct {
    u64 from, to;
    ocrGuid_t sumTemplate, joinTemplate, result;
} Range;

#define RANGE_WORDS ((sizeof(Range) + sizeof(u64) - 1) / sizeof(u64))

static void createSum(Range range) {
    ocrEdtCreate(NULL, range.sumTemplate, EDT_PARAM_DEF, (u64 *)&range, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
}

static void satisfyWith(ocrGuid_t event, u64 sum) {
    ocrGuid_t block;
    void *ptr;
    ocrDbCreate(&block, &ptr, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *(u64 *)ptr = sum;
    ocrDbRelease(block);
    ocrEventSatisfy(event, block);
}

static ocrGuid_t joinEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    satisfyWith(((Range *)paramv)->result, *(u64 *)depv[0].ptr + *(u64 *)depv[1].ptr);
    ocrDbDestroy(depv[0].guid);
    ocrDbDestroy(depv[1].guid);
    return NULL_GUID;
}

static ocrGuid_t sumEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const Range range = *(Range *)paramv;
    if (range.to - range.from <= LEAF) {
        u64 sum = 0;
        for (u64 i = range.from; i < range.to; i++)
            sum += i * i;
        satisfyWith(range.result, sum);
        return NULL_GUID;
    }

    Range half[2] = { range, range };
    half[0].to = half[1].from = range.from + (range.to - range.from) / 2;
    ocrGuid_t join;
    ocrEdtCreate(&join, range.joinTemplate, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                 NULL);
    for (u32 k = 0; k < 2; k++) {
        /* A once event is gone when it was satisfied: connect it before anybody can do that. */
        ocrEventCreate(&half[k].result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
        ocrAddDependence(half[k].result, join, k, DB_MODE_CONST);
        createSum(half[k]);
    }
    return NULL_GUID;
}

static ocrGuid_t reportEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u64 sum = *(u64 *)depv[0].ptr, expected = (u64)(N - 1) * N / 2 * (2 * (u64)N - 1) / 3;
    const Range *range = (Range *)paramv;
    ocrPrintf("sum of squares below %u: %" PRIu64 "\n", N, sum);
    ocrDbDestroy(depv[0].guid);
    ocrEdtTemplateDestroy(range->sumTemplate);
    ocrEdtTemplateDestroy(range->joinTemplate);
    if (sum == expected)
        ocrShutdown();
    else
        ocrAbort(1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    Range all = { .from = 0, .to = N };
    ocrEdtTemplateCreate(&all.sumTemplate, sumEdt, RANGE_WORDS, 0);
    ocrEdtTemplateCreate(&all.joinTemplate, joinEdt, RANGE_WORDS, 2);
    ocrEventCreate(&all.result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);

    ocrGuid_t reportTemplate, report;
    ocrEdtTemplateCreate(&reportTemplate, reportEdt, RANGE_WORDS, 1);
    ocrEdtCreate(&report, reportTemplate, EDT_PARAM_DEF, (u64 *)&all, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                 NULL);
    ocrEdtTemplateDestroy(reportTemplate);
    ocrAddDependence(all.result, report, 0, DB_MODE_CONST);
    createSum(all);
    return NULL_GUID;
}
