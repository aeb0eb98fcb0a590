/*
 * OCR_HINT_DB_LAZY: while the host reads what kernels have written, a CPU device brings such blocks to the host behind
 * the kernel, unasked. A block with the hint stays on the device alone, so that the policy "locality" has the next EDT
 * that uses it run there, though a smaller block of the EDT is on the host.
 */
// clause: ocr-hints.h ocr-variants.h B.1
// needs: opencl
// env: OCR_DEVICES=cpu
// env: OCR_SCHED=locality
#include "kernel.h"

enum { WORDS = 64, ROUNDS = 8 };

static const char *source = "__kernel void fill(__global uint *words) { words[get_global_id(0)] = 2; }\n"
                            "__kernel void both(__global uint *words, __global const uint *others) { words[0] = 2; }\n";
static ocrGuid_t s_fill, s_host, s_both, s_others;

static ocrGuid_t function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 1;
    return depv[0].guid;
}

/* Reads what a kernel has written, so that the host wants such blocks. */
static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[WORDS - 1], 2);
    return NULL_GUID;
}

static ocrGuid_t hinted_block(void) {
    ocrHint_t hint;
    u32 *data;
    ocrGuid_t block;
    OK(ocrHintInit(&hint, OCR_HINT_DB_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_DB_LAZY, 1));
    OK(ocrDbCreate(&block, (void **)&data, WORDS * sizeof(u32), DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC));
    return block;
}

static void begin_round(u64 round);

/* The kernel of an EDT with both variants leaves 2, the function 1. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 2);
    begin_round(paramv[0] + 1);
    return NULL_GUID;
}

/* The kernel has ended. What is brought behind it is brought in this time. */
static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t block = {.guid = paramv[1]};
    for (u32 i = 0; i < 100; i++)
        breathe();
    ocrGuid_t edt, output;
    OK(ocrEdtCreate(&edt, s_both, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, &output));
    link_to(output, spawn_with(checks, 1, paramv, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_RO);
    link_to(s_others, edt, 1, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}

static ocrGuid_t wanted(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t ended, block = hinted_block();
    ocrGuid_t kernel = kernel_edt(s_fill, WORDS, 0, NULL, 1, &ended);
    u64 params[] = {paramv[0], block.guid};
    link_to(ended, spawn_with(later, 2, params, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
    link_to(block, kernel, 0, DB_MODE_EW);
    return NULL_GUID;
}

/* A kernel writes a block that the host reads, and then one that has the hint. */
static void begin_round(u64 round) {
    if (round == ROUNDS) {
        ocrShutdown();
        return;
    }
    ocrGuid_t written, ended, block = bare_block(WORDS * sizeof(u32));
    ocrGuid_t kernel = kernel_edt(s_fill, WORDS, 0, NULL, 1, &written);
    ocrGuid_t host = edt_of(s_host, 0, NULL, 2, NULL, EDT_PROP_NONE, &ended);
    link_to(ended, spawn_with(wanted, 1, &round, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_NULL);
    link_to(written, host, 1, DB_MODE_NULL);
    link_to(block, host, 0, DB_MODE_RO);
    link_to(block, kernel, 0, DB_MODE_EW);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    needs_cpu_device();
    s_fill = kernel_of(source, "fill", 0, 1);
    s_host = template_of(reads, 0, 2);
    s_both = template_of(function, 0, 2);
    OK(ocrEdtTemplateAddKernel(s_both, source, NULL, "both", one_item, 0));
    s_others = words_block(WORDS / 2, 0, 1);
    begin_round(0);
    return NULL_GUID;
}
