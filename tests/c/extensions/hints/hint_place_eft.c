/*
 * Hints that name data decide where an EDT runs under the policy "eft", too, as far as copies decide it. The place of
 * OCR_HINT_DB_AFFINITY counts as the one where the block is, and the block of OCR_HINT_EDT_SLOT_MAX_ACCESS as the only
 * one. First, both places run some EDTs, so that their times and those of copies are known.
 */
// clause: ocr-hints.h ocr-variants.h B.1
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=eft
// env: OCR_BIND=off
// env: OCR_MODELS=off
// env: OCR_DEVICE_FORCE_COPIES=1
// once: run twice, its EDTs take more than a quarter of a millisecond, and one is tried elsewhere
#include "kernel.h"
#include <extensions/ocr-affinity.h>
#include <time.h>

enum { SMALL = 64, LARGE = 8 << 20, NONE = -1, HOST = 0, DEVICE = 1, NOWHERE = 2, LEARN = 12 };

static const char *source = "__kernel void fill(__global uint *words) { words[get_global_id(0)] = 2; }\n"
                            "__kernel void both(__global uint *small, __global uint *large) { small[0] = 2; }\n";

/* Where the large block's content is at first; the hints; and the place where the EDT is to run. */
static const struct {
    int large_at, slot, small_home, large_home, place;
} cases[] = {
    {HOST, NONE, NONE, NONE, HOST},     /* the copy of the large block decides */
    {DEVICE, NONE, NONE, NONE, DEVICE},
    {HOST, NONE, NONE, DEVICE, DEVICE}, /* the large block is to be elsewhere */
    {DEVICE, NONE, NONE, HOST, HOST},
    {DEVICE, 1, NONE, HOST, HOST},
    {HOST, 1, NONE, NONE, HOST},
    {HOST, 2, NONE, NONE, HOST},        /* no block in that pre-slot */
    {HOST, 99, NONE, NONE, HOST},       /* no such pre-slot */
    {HOST, 0, NONE, NONE, DEVICE},      /* the small block counts, which is on the device */
    {HOST, NONE, NONE, NOWHERE, HOST},  /* no such place: where the content is */
};
enum { CASES = sizeof cases / sizeof cases[0] };

static ocrGuid_t s_fill, s_both, s_places[2];

/* The device is better where the small block alone counts. An EDT of a quarter of a millisecond or more would be tried,
 * at times, in the place that is worse. */
static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 150000);
    *(u32 *)depv[0].ptr = 1;
    return NULL_GUID;
}

static ocrGuid_t hinted_block(u32 words, int home) {
    ocrHint_t hint;
    u32 *data;
    ocrGuid_t block;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    if (home != NONE)
        OK(ocrSetHintValue(&hint, OCR_HINT_DB_AFFINITY, home < 2 ? ocrAffinityToHintValue(s_places[home]) : 12345));
    OK(ocrDbCreate(&block, (void **)&data, words * sizeof(u32), DB_PROP_NONE, &hint, NO_ALLOC));
    memset(data, 0, words * sizeof(u32));
    OK(ocrDbRelease(block));
    return block;
}

static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* The block of the EDT says where it ran: 1 is the host, 2 the device. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    check_eq(__FILE__, (int)paramv[0], "the place of the step", *(u32 *)depv[0].ptr - 1, (long long)paramv[1]);
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    spawn(next, 1, paramv, 0, NULL);
    return NULL_GUID;
}

/* One EDT after the other: the first ones go where a hint says. */
static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u64 step = paramv[0];
    if (step == LEARN + CASES) {
        ocrShutdown();
        return NULL_GUID;
    }
    const bool learns = step < LEARN;
    const int at = learns ? 0 : (int)(step - LEARN);
    const int place = learns ? (int)(step % 2) : cases[at].place, large_at = learns ? 1 - place : cases[at].large_at;
    ocrGuid_t small = hinted_block(SMALL, learns ? NONE : cases[at].small_home);
    ocrGuid_t large = hinted_block(LARGE, learns ? NONE : cases[at].large_home);
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    if (learns)
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(s_places[place])));
    else if (cases[at].slot != NONE)
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_SLOT_MAX_ACCESS, cases[at].slot));
    ocrGuid_t small_written, large_written = NULL_GUID, ended, edt, large_fill = NULL_GUID;
    ocrGuid_t small_fill = kernel_edt(s_fill, SMALL, 0, NULL, 1, &small_written);
    if (large_at == DEVICE)
        large_fill = kernel_edt(s_fill, LARGE, 0, NULL, 1, &large_written);
    OK(ocrEdtCreate(&edt, s_both, 0, NULL, 4, NULL, EDT_PROP_NONE, &hint, &ended));
    u64 params[] = {step + 1, (u64)place};
    ocrGuid_t check = spawn(checks, 2, params, 3, NULL);
    link_to(ended, check, 2, DB_MODE_NULL);
    link_to(small, check, 0, DB_MODE_RO);
    link_to(large, check, 1, DB_MODE_RO);
    link_to(small_written, edt, 2, DB_MODE_NULL);
    link_to(large_written, edt, 3, DB_MODE_NULL);
    link_to(large, edt, 1, DB_MODE_RO);
    link_to(small, edt, 0, DB_MODE_EW);
    link_to(small, small_fill, 0, DB_MODE_EW);
    if (large_at == DEVICE)
        link_to(large, large_fill, 0, DB_MODE_EW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = 1, first = 0;
    s_fill = kernel_of(source, "fill", 0, 1);
    s_both = template_of(function, 0, 4);
    OK(ocrEdtTemplateAddKernel(s_both, source, NULL, "both", one_item, OCR_NO_RESULT));
    OK(ocrAffinityGetAt(AFFINITY_PD, 0, &s_places[HOST]));
    OK(ocrAffinityGet(AFFINITY_OCL, &count, &s_places[DEVICE]));
    CHECK_EQ(count, 1);
    spawn(next, 1, &first, 0, NULL);
    return NULL_GUID;
}
