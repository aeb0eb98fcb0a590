/*
 * One EDT holds a whole and waits for two other blocks. Another one needs a part of the whole, and the second of
 * these, which it must not hold while it waits for the part.
 */
// clause: ocr-db-partitioning.h
// one-node: parts of a block are for EDTs of its node
#include "check.h"
#include <extensions/ocr-db-partitioning.h>

enum { OTHERS = 200 };

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 i = 0; i < paramv[0]; i++)
        breathe();
    return NULL_GUID;
}

static ocrGuid_t ends_part(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t others[OTHERS], done[3], end = end_after(3);
    /* Enough that there are blocks on both sides of the parts, in the order of the GUIDs. */
    for (u32 i = 0; i < OTHERS; i++)
        others[i] = block_with(i);
    for (u32 i = 0; i < OTHERS; i++)
        for (u32 j = i + 1; j < OTHERS; j++)
            if ((u64)others[j].guid < (u64)others[i].guid) {
                ocrGuid_t one = others[i];
                others[i] = others[j], others[j] = one;
            }
    ocrGuid_t whole = others[0], first = others[1], second = others[2];
    u64 times[] = {10, 0};
    ocrGuid_t keeps = spawn_with(uses, 1, &times[0], 1, NULL, EDT_PROP_NONE, &done[0]);
    ocrGuid_t holds = spawn_with(uses, 1, &times[1], 3, NULL, EDT_PROP_NONE, &done[1]);
    ocrGuid_t ends = spawn_with(ends_part, 0, NULL, 3, NULL, EDT_PROP_NONE, &done[2]);
    for (u32 i = 0; i < 3; i++)
        link_to(done[i], end, i, DB_MODE_NULL);
    link_to(first, keeps, 0, DB_MODE_EW);
    link_to(whole, holds, 0, DB_MODE_EW);
    link_to(first, holds, 1, DB_MODE_RW);
    link_to(second, holds, 2, DB_MODE_EW);
    ocrDbPart_t part = {.offset = 0, .size = 8, .guid = NULL_GUID}, inner = {.offset = 4, .size = 2, .guid = NULL_GUID};
    OK(ocrDbPartition(whole, 1, &part, 0));
    OK(ocrDbPartition(part.guid, 1, &inner, 0));
    OK(ocrDbDestroy(part.guid));
    link_to(inner.guid, ends, 0, DB_MODE_EW);
    link_to(second, ends, 1, DB_MODE_EW);
    link_to(others[OTHERS - 1], ends, 2, DB_MODE_CONST);
    return NULL_GUID;
}
