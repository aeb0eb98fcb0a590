/*
 * An EDT that waits for an event in a call, and releases and destroys the block that it gets, or only
 * one of both, as programs do whose messages are blocks. Nothing of that is a misuse.
 */
// clause: ocr-legacy.h
// env: OCR_CHECK=strict
// stdout: all received
#include "check.h"
#include <extensions/ocr-legacy.h>

enum { MESSAGES = 30 };

static ocrGuid_t receives(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramv, (void)depc, (void)depv;
    for (u32 i = 0; i < paramc; i++) {
        const ocrGuid_t event = {.guid = (intptr_t)paramv[i]};
        ocrGuid_t block;
        u64 *value = NULL, size = 0;
        OK(ocrLegacyBlockProgress(event, &block, (void **)&value, &size, LEGACY_PROP_NONE));
        CHECK_EQ(size, sizeof *value);
        CHECK_EQ(*value, i);
        if (i % 3 != 0) {
            OK(ocrDbRelease(block));
        }
        if (i % 3 != 1) {
            OK(ocrDbDestroy(block));
        }
        OK(ocrEventDestroy(event));
    }
    PRINTF("all received\n");
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t sends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block;
    u64 *value;
    OK(ocrDbCreate(&block, (void **)&value, sizeof *value, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *value = paramv[1];
    OK(ocrDbRelease(block));
    OK(ocrEventSatisfy((ocrGuid_t){.guid = (intptr_t)paramv[0]}, block));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t receiver, sender, edt;
    u64 events[MESSAGES];
    OK(ocrEdtTemplateCreate(&receiver, receives, MESSAGES, 0));
    OK(ocrEdtTemplateCreate(&sender, sends, 2, 0));
    for (u64 i = 0; i < MESSAGES; i++) {
        ocrGuid_t event;
        OK(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
        events[i] = (u64)event.guid;
    }
    OK(ocrEdtCreate(&edt, receiver, MESSAGES, events, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    for (u64 i = 0; i < MESSAGES; i++) {
        u64 params[] = {events[i], i};
        OK(ocrEdtCreate(&edt, sender, 2, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    return NULL_GUID;
}
