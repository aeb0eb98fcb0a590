/*
 * 1.4.4 constant: while an EDT holds a block in CONST mode, no write of another EDT is seen in it:
 * it is as one writer left it, from the first look to the last. Writers come in both modes.
 */
// clause: 1.4.4
// unordered: readers beside the writers of a block, in the order of luck: each sees one writer whole
#include "check.h"

enum { WORDS = 512 };

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    volatile u64 *words = (volatile u64 *)depv[0].ptr;
    for (u64 i = 0; i < WORDS; i++) {
        words[i] = paramv[0];
        if (i == WORDS / 2) {
            sched_yield();
        }
    }
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    volatile u64 *words = (volatile u64 *)depv[0].ptr;
    u64 first = words[0];
    for (int look = 0; look < 3; look++) {
        for (u64 i = 0; i < WORDS; i++) {
            CHECK_EQ(words[i], first);
        }
        sched_yield();
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t exclusive = ((ocrGuid_t *)paramv)[0];
    ocrGuid_t writer = template_of(writes, 1, 2), reader = template_of(reads, 0, 1);
    ocrGuid_t chain = NULL_GUID;
    void *addr;
    ocrGuid_t shared = block_of(WORDS * sizeof(u64), &addr);
    memset(addr, 0, WORDS * sizeof(u64));
    OK(ocrDbRelease(shared));
    for (u64 i = 0; i < scaled(3000); i++) {
        link_to(exclusive, edt_of(reader, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_CONST);
        if (i % 4 == 0) {
            ocrGuid_t edt = edt_of(writer, 1, &i, 2, NULL, EDT_PROP_NONE, NULL);
            link_to(exclusive, edt, 0, DB_MODE_EW);
            link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
        }
        /* RW writers would share the block, so they are chained by their output events. */
        link_to(shared, edt_of(reader, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL), 0, DB_MODE_CONST);
        if (i % 4 == 2) {
            ocrGuid_t output, edt = edt_of(writer, 1, &i, 2, NULL, EDT_PROP_NONE, &output);
            ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
            link_to(output, sticky, 0, DB_MODE_NULL);
            link_to(shared, edt, 0, DB_MODE_RW);
            link_to(chain, edt, 1, DB_MODE_NULL);
            chain = sticky;
        }
    }
    OK(ocrEdtTemplateDestroy(writer));
    OK(ocrEdtTemplateDestroy(reader));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(WORDS * sizeof(u64), &addr), done, hold = UNINITIALIZED_GUID;
    memset(addr, 0, WORDS * sizeof(u64));
    OK(ocrDbRelease(block));
    ocrGuid_t edt = spawn_with(all, 1, (u64 *)&block, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
