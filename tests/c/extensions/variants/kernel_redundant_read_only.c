/* Functions and kernels that read a block in mode RO see the same content of it, while another EDT writes it. */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_REDUNDANT=2
// unordered: the readers and the writer of a block go on side by side
// stderr: 40 EDTs of "sums" ran as the C function and as a kernel: all left the same
// stderr-without: error
#include "kernel.h"

enum { WORDS = 4096, READERS = 40 };

static const char *source =
    "kernel void sums(global uint *out, global const uint *in) {\n"
    "    out[0] = 0;\n"
    "    for (uint i = 0; i < 4096; i++) out[0] = out[0] * 3 + in[i];\n"
    "}\n";

static volatile u32 s_left = READERS;

static ocrGuid_t sums(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(depv[1].mode, DB_MODE_RO);
    u32 sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum = sum * 3 + ((u32 *)depv[1].ptr)[i];
    *(u32 *)depv[0].ptr = sum;
    __atomic_fetch_sub(&s_left, 1, __ATOMIC_RELAXED);
    return NULL_GUID;
}

/* Writes until the readers have ended, or for a while where it keeps the only worker. */
static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 round = 0; round < 2000 && __atomic_load_n(&s_left, __ATOMIC_RELAXED) != 0; round++) {
        for (int i = 0; i < WORDS; i++)
            ((volatile u32 *)depv[0].ptr)[i] = round + (u32)i;
        breathe();
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, output, in = words_block(WORDS, 0, 1), last = end_after(READERS + 1);
    OK(ocrEdtTemplateCreate(&tmpl, sums, 0, 2));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "sums", one_item, OCR_NO_RESULT));
    ocrGuid_t writer = spawn_with(writes, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, last, READERS, DB_MODE_NULL);
    for (u32 i = 0; i < READERS; i++) {
        ocrGuid_t edt = edt_of(tmpl, 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, i, DB_MODE_NULL);
        link_to(in, edt, 1, DB_MODE_RO);
        link_to(words_block(1, 0, 0), edt, 0, DB_MODE_EW);
        if (i == 0)
            link_to(in, writer, 0, DB_MODE_RW);
    }
    return NULL_GUID;
}
