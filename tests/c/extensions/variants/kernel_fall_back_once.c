/*
 * Two EDTs hold a block that is written once in RW mode on a device. The kernel of one cannot be launched, so it runs
 * its C function, when the other has released the block: it is not accused of writing again. All launches go to one
 * device, whose manager is held up meanwhile.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_CHECK=strict
// env: OCR_SCHED=device
// env: OCR_DEVICES=0
// stderr: ran its C function
// stdout-lines: 1 both have written
#include "kernel.h"
#include <stdatomic.h>

static atomic_bool held_up, all_there;
static const char source[] =
    "kernel void writes(uint n, global uint *words) { words[n] = n + 1; }\n"
    "kernel void fails(uchar n, global uint *words) { words[n] = n + 1; } /* its parameter is too large */\n"
    "kernel void begins(global uint *one, global uint *after) { one[0] = 1; }\n";

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 n = paramv[0] & 255;
    ((u32 *)depv[0].ptr)[n] = n + 1;
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"its kernel runs");
    return NULL_GUID;
}

/* The device's manager calls this, and does nothing else until both EDTs have the block. */
static void holds_up(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    atomic_store(&held_up, true);
    while (!atomic_load(&all_there))
        breathe();
    one_item(paramc, paramv, depc, sizes, range);
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[2].ptr)[0], 1);
    CHECK_EQ(((u32 *)depv[2].ptr)[1], 2);
    puts("both have written");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t of_kernel(ocrEdt_t function, const char *kernel, u32 paramc, u32 depc, ocrNdRangeFn_t range) {
    ocrGuid_t tmpl = template_of(function, paramc, depc);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, kernel, range, OCR_NO_RESULT));
    return tmpl;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t once, output;
    void *addr;
    ocrGuid_t good = of_kernel(never, "writes", 1, 1, one_item), bad = of_kernel(writes, "fails", 1, 1, one_item);
    ocrGuid_t begins = edt_of(of_kernel(never, "begins", 0, 2, one_item), 0, NULL, 2, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t follows = edt_of(of_kernel(never, "begins", 0, 2, holds_up), 0, NULL, 2, NULL, EDT_PROP_NONE, NULL);
    link_to(words_block(1, 0, 0), follows, 0, DB_MODE_EW);
    link_to(output, follows, 1, DB_MODE_NULL);
    link_to(words_block(1, 0, 0), begins, 0, DB_MODE_EW);
    link_to(NULL_GUID, begins, 1, DB_MODE_NULL);
    while (!atomic_load(&held_up))
        breathe();

    OK(ocrDbCreate(&once, &addr, 2 * sizeof(u32), DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    ocrGuid_t last = spawn(looks, 0, NULL, 3, NULL);
    for (u64 n = 0; n < 2; n++) {
        u64 param = n == 0 ? 256 : n;
        ocrGuid_t edt = edt_of(n == 0 ? bad : good, 1, &param, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)n, DB_MODE_NULL);
        link_to(once, edt, 0, DB_MODE_RW);
    }
    link_to(once, last, 2, DB_MODE_RO);
    atomic_store(&all_there, true);
    return NULL_GUID;
}
