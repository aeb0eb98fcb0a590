/* What OCR_REDUNDANT cannot compare it names with the reason: finish EDTs whose functions leave work to others, blocks
 * that functions release early, EDTs without blocks, kernels that cannot be launched. Other EDTs are none of its. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=2
// stderr: no EDT of "spreads" was compared; 1 was not compared, since the function leaves work to EDTs that it creates
// stderr: 1 EDT of "creates" ran as the C function and as a kernel: all left the same
// stderr: no EDT of "releases" was compared; 1 was not compared, since the function had released all blocks before it returned
// stderr: 1 EDT of "keeps" ran as the C function and as a kernel: all left the same, without 1 data block that the function had released before it returned
// stderr: no EDT of "has_none" was compared; 1 was not compared, since there is no data block
// stderr: no EDT of "too_large" was compared; 1 was not compared, since the kernel could not be launched
// stderr: (too_large) was not compared, since kernel 'ones' on device
// stderr-without: error
#include "kernel.h"

enum { WORDS = 64 };

static const char *source = "kernel void ones(global uint *out) { if (out != 0) out[get_global_id(0)] = 1; }\n"
                            "kernel void twos(global uint *out, global uint *more) {\n"
                            "    more[get_global_id(0)] = out[get_global_id(0)] = 1;\n"
                            "}\n";

static void fill(ocrEdtDep_t dep) {
    for (int i = 0; i < WORDS; i++)
        ((u32 *)dep.ptr)[i] = 1;
}

static ocrGuid_t child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    fill(depv[0]);
    return NULL_GUID;
}

static ocrGuid_t spreads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t edt = spawn(child, 0, NULL, 1, NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t creates(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    fill(depv[0]);
    ocrGuid_t edt = spawn(child, 0, NULL, 1, NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t releases(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    fill(depv[0]);
    OK(ocrDbRelease(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t keeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    fill(depv[0]);
    fill(depv[1]);
    OK(ocrDbRelease(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t has_none(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(depv[0].ptr == NULL);
    return NULL_GUID;
}

static ocrGuid_t too_large(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    fill(depv[0]);
    return NULL_GUID;
}

static void large_groups(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    per_word(paramc, paramv, depc, sizes, range);
    range->localSize[0] = (size_t)1 << 30;
}

static ocrGuid_t done(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 slot = 0; slot < depc; slot++)
        for (u32 i = 0; depv[slot].ptr != NULL && i < WORDS; i++)
            CHECK_EQ(((u32 *)depv[slot].ptr)[i], 1);
    ocrShutdown();
    return NULL_GUID;
}

enum { KINDS = 6 };

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t templates[KINDS], blocks[KINDS], output, last = spawn(done, 0, NULL, 2 * KINDS, NULL);
    OK(ocrEdtTemplateCreate(&templates[0], spreads, 0, 1));
    OK(ocrEdtTemplateCreate(&templates[1], creates, 0, 1));
    OK(ocrEdtTemplateCreate(&templates[2], releases, 0, 1));
    OK(ocrEdtTemplateCreate(&templates[3], has_none, 0, 1));
    OK(ocrEdtTemplateCreate(&templates[4], too_large, 0, 1));
    OK(ocrEdtTemplateCreate(&templates[5], keeps, 0, 2));
    for (u32 i = 0; i < KINDS; i++) {
        OK(ocrEdtTemplateAddKernel(templates[i], source, NULL, i == 5 ? "twos" : "ones",
                                   i == 4 ? large_groups : per_word, OCR_NO_RESULT));
        ocrGuid_t edt = edt_of(templates[i], 0, NULL, i == 5 ? 2 : 1, NULL, i == 0 ? EDT_PROP_FINISH : EDT_PROP_NONE,
                               &output);
        blocks[i] = i == 3 ? NULL_GUID : words_block(WORDS, 0, 0);
        link_to(output, last, 2 * i, DB_MODE_NULL);
        if (i == 5)
            link_to(words_block(WORDS, 0, 0), edt, 1, DB_MODE_RW);
        link_to(blocks[i], edt, 0, i == 3 ? DB_MODE_NULL : DB_MODE_RW);
    }
    for (u32 i = 0; i < KINDS; i++)
        link_to(blocks[i], last, 2 * i + 1, i == 3 ? DB_MODE_NULL : DB_MODE_CONST);
    return NULL_GUID;
}
