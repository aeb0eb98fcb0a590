/* OCR_REDUNDANT compares a block once that is on two pre-slots in different modes, and none that its function has
 * destroyed. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=3
// stderr: 1 EDT of "both" ran as the C function and as a kernel: all left the same
// stderr: 1 EDT of "destroys" ran as the C function and as a kernel: all left the same, without 1 data block that the function had released before it returned
// stderr-without: error
#include "kernel.h"

enum { WORDS = 64 };

static const char *source =
    "kernel void both(global const uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = in[i] * 3; }\n"
    "kernel void destroys(global uint *one, global uint *other) { other[get_global_id(0)] = one[get_global_id(0)]; }\n";

static ocrGuid_t both(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(depv[0].mode, DB_MODE_RO);
    CHECK_EQ(depv[1].mode, DB_MODE_RW);
    for (u32 i = 0; i < WORDS; i++)
        ((u32 *)depv[1].ptr)[i] = ((u32 *)depv[0].ptr)[i] * 3;
    return NULL_GUID;
}

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memcpy(depv[1].ptr, depv[0].ptr, WORDS * sizeof(u32));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i * 3);
        CHECK_EQ(((u32 *)depv[1].ptr)[i], i);
    }
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t boths, destroying, ended[2], last = spawn(done, 0, NULL, 4, NULL);
    OK(ocrEdtTemplateCreate(&boths, both, 0, 2));
    OK(ocrEdtTemplateAddKernel(boths, source, NULL, "both", per_word, OCR_NO_RESULT));
    OK(ocrEdtTemplateCreate(&destroying, destroys, 0, 2));
    OK(ocrEdtTemplateAddKernel(destroying, source, NULL, "destroys", per_word, OCR_NO_RESULT));
    ocrGuid_t shared = words_block(WORDS, 0, 1), gone = words_block(WORDS, 0, 1), left = words_block(WORDS, 0, 0);
    ocrGuid_t edt = edt_of(boths, 0, NULL, 2, NULL, EDT_PROP_NONE, &ended[0]);
    ocrGuid_t other = edt_of(destroying, 0, NULL, 2, NULL, EDT_PROP_NONE, &ended[1]);
    link_to(ended[0], last, 2, DB_MODE_NULL);
    link_to(ended[1], last, 3, DB_MODE_NULL);
    link_to(shared, edt, 0, DB_MODE_RO);
    link_to(shared, edt, 1, DB_MODE_RW);
    link_to(gone, other, 0, DB_MODE_RW);
    link_to(left, other, 1, DB_MODE_RW);
    link_to(shared, last, 0, DB_MODE_RW);
    link_to(left, last, 1, DB_MODE_RW);
    OK(ocrEdtTemplateDestroy(boths));
    OK(ocrEdtTemplateDestroy(destroying));
    return NULL_GUID;
}
