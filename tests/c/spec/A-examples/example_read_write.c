/* A.5: EDTs write parts of one block at the same time, in mode RW; an EDT behind all of them finds what each has
 * written. */
// clause: A.5
#include "check.h"

enum { WRITERS = 4, NUMBERS = 1000 };

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u64 i = paramv[0] * NUMBERS; i < (paramv[0] + 1) * NUMBERS; i++)
        ((u64 *)depv[0].ptr)[i] = i + 1;
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u64 i = 0; i < WRITERS * NUMBERS; i++)
        CHECK_EQ(((u64 *)depv[depc - 1].ptr)[i], i + 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(WRITERS * NUMBERS * sizeof(u64), &addr), last = spawn(looks, 0, NULL, WRITERS + 1, NULL);
    OK(ocrDbRelease(block));
    for (u64 i = 0; i < WRITERS; i++) {
        ocrGuid_t output, edt = spawn_with(writes, 1, &i, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)i, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RW);
    }
    link_to(block, last, WRITERS, DB_MODE_RO);
    return NULL_GUID;
}
