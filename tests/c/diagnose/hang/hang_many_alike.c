/*
 * A program in which hundreds of EDTs that do the same wait, and one that does something else: that one is among those
 * that are described, and the others are counted.
 */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: (different) waits on
// stderr: more EDTs wait for dependences: 281 of same (OCR_HALT_DOT=FILE writes all into a graph)
// needs: halt
#include "strict.h"

static ocrGuid_t same(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t different(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int n = 0; n < 300; n++)
        EDT(same, 0, NULL, 1, NULL);
    EDT(different, 0, NULL, 1, NULL);
    return NULL_GUID;
}
