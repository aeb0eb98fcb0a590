/* A chain of kernels with a checkpoint in its midst, where the block of the chain is on the device alone, and EDTs for
 * kernels wait and are on their way. */
#include "common.h"
#include "kernel.h"

enum { WORDS = 1000, BEFORE = 40, BEHIND = 40 };

static const char source[] = "kernel void more(ulong by, global uint *words) { words[get_global_id(0)] += (uint)by; }";

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    die_unless_restored(1);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + 2 * (BEFORE + BEHIND));
    printf("the kernels have run\n");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrCheckpoint());
    /* The last EDT does not begin before, however late this one runs. */
    OK(ocrEventSatisfy((ocrGuid_t){.guid = (intptr_t)paramv[0]}, NULL_GUID));
    return NULL_GUID;
}

/* A chain of kernels that begins with an event; its end. */
static ocrGuid_t chain(ocrGuid_t tmpl, ocrGuid_t block, ocrGuid_t after, int len) {
    u64 two = 2;
    for (int i = 0; i < len; i++) {
        ocrGuid_t next, edt = kernel_edt(tmpl, WORDS, 1, &two, 2, &next);
        link_to(block, edt, 0, DB_MODE_RW);
        link_to(after, edt, 1, DB_MODE_NULL);
        after = next;
    }
    return after;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 devices;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    if (devices == 0)
        NOT_RUN("there is no OpenCL device");
    ocrGuid_t tmpl = kernel_of(source, "more", 1, 2), block = words_block(WORDS, 0, 1);
    ocrGuid_t begin = event_of(OCR_EVENT_ONCE_T);
    ocrGuid_t half = event_of(OCR_EVENT_STICKY_T), end = spawn(reads, 0, NULL, 3, NULL);
    ocrGuid_t asked = event_of(OCR_EVENT_STICKY_T);
    u64 param = (u64)asked.guid;
    link_to(chain(tmpl, block, begin, BEFORE), half, 0, DB_MODE_NULL);
    ocrGuid_t ask = spawn(asks, 1, &param, 1, NULL);
    ocrGuid_t behind = chain(tmpl, block, half, BEHIND);
    link_to(block, end, 0, DB_MODE_RO);
    link_to(behind, end, 1, DB_MODE_NULL);
    link_to(asked, end, 2, DB_MODE_NULL);
    link_to(half, ask, 0, DB_MODE_NULL);
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEventSatisfy(begin, NULL_GUID));
    return NULL_GUID;
}
