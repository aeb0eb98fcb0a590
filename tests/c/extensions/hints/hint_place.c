/*
 * Hints that name data decide where an EDT runs under the policy "locality". OCR_HINT_EDT_SLOT_MAX_ACCESS names the
 * block that counts, though another one has more bytes. OCR_HINT_DB_AFFINITY names the place of a block, though its
 * content is elsewhere. Hints that name nothing that is there change nothing.
 */
// clause: ocr-hints.h ocr-variants.h B.1
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=locality
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"
#include <extensions/ocr-affinity.h>

enum { SMALL = 64, LARGE = 4096, NONE = -1 };

static const char *source = "__kernel void fill(__global uint *words) { words[get_global_id(0)] = 2; }\n"
                            "__kernel void both(__global uint *small, __global uint *large) { small[0] = 2; }\n";

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 1;
    return depv[0].guid;
}

/* By a kernel (2) or by the C function (1)? The parameters are the answer that is right, and the number of the case. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    check_eq(__FILE__, (int)paramv[1], "the place of the case", *(u32 *)depv[0].ptr, (long long)paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t s_fill, s_both, s_last, s_places[2];
static u32 s_case;

static ocrGuid_t hinted_block(u32 words, s64 home) {
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

/*
 * An EDT with both variants, a small block that a kernel has written, and a large one that the host has written. The
 * hints: its most used pre-slot, and where the two blocks should be, a place or NONE. The place where it should run is
 * a number: 1 is the host, 2 the device.
 */
static void runs_in(u64 place, s64 slot, s64 smallHome, s64 largeHome) {
    ocrGuid_t written, output, ended, edt, small = hinted_block(SMALL, smallHome),
                                           large = hinted_block(LARGE, largeHome);
    ocrHint_t hint;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    if (slot != NONE)
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_SLOT_MAX_ACCESS, slot));
    ocrGuid_t fill = kernel_edt(s_fill, SMALL, 0, NULL, 1, &written);
    OK(ocrEdtCreate(&edt, s_both, 0, NULL, 3, NULL, EDT_PROP_NONE, &hint, &output));
    u64 params[] = {place, s_case};
    ocrGuid_t check = spawn_with(checks, 2, params, 1, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, s_last, s_case++, DB_MODE_NULL);
    link_to(output, check, 0, DB_MODE_RO);
    link_to(written, edt, 2, DB_MODE_NULL);
    link_to(large, edt, 1, DB_MODE_RO);
    link_to(small, edt, 0, DB_MODE_EW);
    link_to(small, fill, 0, DB_MODE_EW);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    enum { HOST = 0, DEVICE = 1, NOWHERE = 2, CASES = 10 };
    u64 count = 1;
    s_fill = kernel_of(source, "fill", 0, 1);
    s_both = template_of(function, 0, 3);
    OK(ocrEdtTemplateAddKernel(s_both, source, NULL, "both", one_item, 0));
    OK(ocrAffinityGetAt(AFFINITY_PD, 0, &s_places[HOST]));
    OK(ocrAffinityGet(AFFINITY_OCL, &count, &s_places[DEVICE]));
    CHECK_EQ(count, 1);
    s_last = spawn(done, 0, NULL, CASES, NULL);
    runs_in(1, NONE, NONE, NONE);     /* most bytes are on the host */
    runs_in(2, 0, NONE, NONE);        /* the small block counts */
    runs_in(1, 1, NONE, NONE);        /* the large one */
    runs_in(1, 2, NONE, NONE);        /* no block in that pre-slot */
    runs_in(1, 99, NONE, NONE);       /* no such pre-slot */
    runs_in(2, NONE, NONE, DEVICE);   /* the large block should be on the device */
    runs_in(2, NONE, HOST, DEVICE);
    runs_in(1, 0, HOST, DEVICE);      /* the small block counts, and should be on the host */
    runs_in(1, NONE, DEVICE, NOWHERE);
    runs_in(2, 0, NOWHERE, NONE);     /* no such place: where the content is */
    CHECK_EQ(s_case, CASES);
    return NULL_GUID;
}
