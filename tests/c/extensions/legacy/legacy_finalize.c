/*
 * The ways a run ends in a program with its own main: an EDT shuts down while main waits for the end,
 * while it waits for an event that comes with the end of that EDT, and for one that never comes; main
 * ends it with EDTs left; ocrAbort from an EDT and from main. In an EDT, the code behind ocrAbort does
 * not run.
 */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t shuts_down(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ocrLegacyFinalize(NULL_GUID, true), OCR_EPERM); /* not from an EDT */
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t aborts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrAbort((u8)paramv[0]);
    fprintf(stderr, "ocrAbort has returned to its EDT\n");
    _exit(9);
    return NULL_GUID;
}

static ocrGuid_t forever(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 next = paramv[0] + 1;
    spawn(forever, 1, &next, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t begin(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    return context;
}

int main(void) {
    u64 code;
    for (int round = 0; round < 20; round++) {
        ocrGuid_t context = begin(), handle, slot, never, guid;
        spawn(shuts_down, 0, NULL, 0, NULL);
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);

        context = begin();
        OK(ocrLegacySpawnOCR(&handle, template_of(shuts_down, 0, 1), 0, NULL, 1, &slot, context));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);

        context = begin();
        never = event_of(OCR_EVENT_STICKY_T);
        spawn(shuts_down, 0, NULL, 0, NULL);
        REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(never, &guid, NULL, NULL, LEGACY_PROP_NONE));
        CHECK(ocrGuidIsNull(guid));
        REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(never, &guid, NULL, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);

        context = begin();
        code = 0;
        spawn(forever, 1, &code, 0, NULL);
        never = event_of(OCR_EVENT_STICKY_T);
        spawn(shuts_down, 0, NULL, 1, &never);
        CHECK_EQ(ocrLegacyFinalize(context, false), 0);

        context = begin();
        code = 7;
        spawn(aborts, 1, &code, 0, NULL);
        CHECK_EQ(ocrLegacyFinalize(context, true), 7);

        context = begin();
        code = 125;
        spawn(aborts, 1, &code, 0, NULL);
        never = event_of(OCR_EVENT_STICKY_T);
        REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(never, NULL, NULL, NULL, LEGACY_PROP_NONE));
        CHECK_EQ(ocrLegacyFinalize(context, true), 125);

        context = begin();
        ocrAbort(3);
        CHECK_EQ(ocrLegacyFinalize(context, true), 3);
    }
    return 0;
}
