/*
 * 2.5.2, 2.5.3: what ocrDbRelease and ocrDbDestroy answer: released twice, never acquired,
 * destroyed twice, no block at all, any bit pattern.
 */
// clause: 2.5.2 2.5.3
// deviates: 2.5.2 2.5.3
#include "check.h"

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 5);
    OK(ocrDbDestroy(depv[0].guid));
    REFUSED(OCR_EPERM, ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t wrong_calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = ((ocrGuid_t *)paramv)[0];
    /* Not acquired by this EDT. */
    REFUSED(OCR_EACCES, ocrDbRelease(block));
    /* Every GUID one bit away from a live block is some other object or none: never a success. */
    for (int bit = 0; bit < 64; bit++) {
        ocrGuid_t other = {.guid = (s64)((u64)block.guid ^ (u64)1 << bit)};
        u8 code = ocrDbRelease(other);
        CHECK(code == OCR_EINVAL || code == OCR_EACCES);
    }
    const s64 patterns[] = {
        -1, -2, -3, -1000, INT64_MIN, INT64_MIN + 1, INT64_MAX, 0x5555555555555555, 0x7f00000000000000};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        ocrGuid_t garbage = {.guid = patterns[i]};
        REFUSED(OCR_EINVAL, ocrDbRelease(garbage));
        REFUSED(OCR_EINVAL, ocrDbDestroy(garbage));
    }
    /* Objects of other kinds. */
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), tmpl = template_of(ends, 0, 1);
    ocrGuid_t waiting = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
    ocrGuid_t others[] = {event, tmpl, waiting};
    for (int i = 0; i < 3; i++) {
        REFUSED(OCR_EINVAL, ocrDbRelease(others[i]));
        REFUSED(OCR_EINVAL, ocrDbDestroy(others[i]));
    }
    /* No block: there is nothing to do. */
    OK(ocrDbRelease(NULL_GUID));
    OK(ocrDbDestroy(NULL_GUID));
    /* Memory inside a block is not managed. */
    void *inside = &block;
    u64 offset = 42;
    REFUSED(OCR_EINVAL, ocrDbMalloc(block, 1, &inside));
    REFUSED(OCR_EINVAL, ocrDbMallocOffset(block, 1, &offset));
    REFUSED(OCR_EINVAL, ocrDbFree(block, &block));
    REFUSED(OCR_EINVAL, ocrDbFreeOffset(block, 0));
    CHECK(inside == &block && offset == 42);

    /* All the objects have survived. */
    link_to(event, waiting, 0, DB_MODE_EW);
    OK(ocrEventSatisfy(event, block));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t slots(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 5);
    OK(ocrDbRelease(depv[0].guid));
    REFUSED(OCR_EACCES, ocrDbRelease(depv[0].guid));
    spawn(wrong_calls, 1, (u64 *)&depv[0].guid, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t released = block_of(16, &addr);
    OK(ocrDbRelease(released));
    REFUSED(OCR_EACCES, ocrDbRelease(released));
    OK(ocrDbDestroy(released));
    REFUSED(OCR_EPERM, ocrDbDestroy(released));

    /* Destroying releases: there is nothing left to release. */
    ocrGuid_t held = block_of(16, &addr);
    OK(ocrDbDestroy(held));
    REFUSED(OCR_EPERM, ocrDbDestroy(held));
    REFUSED(OCR_EINVAL, ocrDbRelease(held));

    ocrGuid_t block = block_with(5);
    spawn(slots, 0, NULL, 1, &block);
    return NULL_GUID;
}
