/*
 * Forty templates, each with a kernel of its own, are destroyed before their EDTs can run. A device keeps the programs
 * of a few templates that are gone; it compiles the others again for these EDTs. Each kernel comes again in a second
 * template.
 */
// clause: ocr-variants.h
// needs: opencl
#include "kernel.h"

enum { TEMPLATES = 40, WORDS = 16 };

static ocrGuid_t numbered(u64 number) {
    char source[120];
    snprintf(source, sizeof source, "__kernel void k(__global uint *out) { out[get_global_id(0)] += %u; }",
             (u32)number);
    return kernel_of(source, "k", 0, EDT_PARAM_UNK);
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 2 * paramv[0]);
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(TEMPLATES), edts[2][TEMPLATES], ends[2][TEMPLATES], checked;
    for (int round = 0; round < 2; round++) {
        for (u64 n = 0; n < TEMPLATES; n++) {
            ocrGuid_t tmpl = numbered(n);
            edts[round][n] = kernel_edt(tmpl, WORDS, 0, NULL, 1 + round, &ends[round][n]);
            OK(ocrEdtTemplateDestroy(tmpl));
        }
    }
    for (u64 n = 0; n < TEMPLATES; n++) {
        ocrGuid_t block = words_block(WORDS, 0, 0);
        ocrGuid_t check = spawn_with(checks, 1, &n, 2, NULL, EDT_PROP_NONE, &checked);
        link_to(checked, last, (u32)n, DB_MODE_NULL);
        link_to(ends[1][n], check, 1, DB_MODE_NULL);
        link_to(block, check, 0, DB_MODE_RO);
        link_to(ends[0][n], edts[1][n], 1, DB_MODE_NULL);
        link_to(block, edts[1][n], 0, DB_MODE_RW);
        link_to(block, edts[0][n], 0, DB_MODE_RW);
    }
    return NULL_GUID;
}
