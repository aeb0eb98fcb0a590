/*
 * A program with its own main: arguments, calls from main outside of any EDT, waiting for an EDT's
 * result, and the end by ocrShutdown from main. Several times in one process.
 */
// clause: ocr-legacy.h
// deviates: 1.5
// workers: 2
// args: one -ocr:workers 3 two -ocr:stats=0
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t doubles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 1);
    CHECK_EQ(depc, 2);
    CHECK(ocrGuidIsNull(depv[0].guid));
    return block_with(2 * paramv[0] + number_in(depv[1]));
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that was refused");
    return NULL_GUID;
}

/* Another EDT of the finish scope, which the handle waits for. */
static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (int n = 0; n < 20; n++)
        breathe();
    *(volatile u64 *)paramv[0] = 1;
    return NULL_GUID;
}

static ocrGuid_t has_child(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    spawn(late, 1, paramv, 0, NULL);
    return NULL_GUID;
}

static void round_trip(ocrGuid_t context, int round) {
    u64 param = (u64)round, size = 77;
    void *result = NULL;
    ocrGuid_t handle, guid, slots[] = {NULL_GUID, block_with(5)}, tmpl = template_of(doubles, 1, 2);
    OK(ocrLegacySpawnOCR(&handle, tmpl, 1, &param, 2, slots, context));
    CHECK(ocrGuidIsUninitialized(slots[0]));
    OK(ocrLegacyBlockProgress(handle, &guid, &result, &size, LEGACY_PROP_NONE));
    CHECK_EQ(size, sizeof(u64));
    CHECK_EQ(*(u64 *)result, 2 * round + 5);
    /* again, without waiting, and without places */
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_CHECK));
    CHECK(ocrGuidIsEq(ocrWait(handle), guid));
    OK(ocrDbDestroy(guid));
    OK(ocrEventDestroy(handle));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(handle, &guid, &result, &size, LEGACY_PROP_NONE));
    CHECK(ocrGuidIsError(ocrWait(handle)));
}

static void no_data(ocrGuid_t context) {
    u64 size = 77;
    void *result = &size;
    ocrGuid_t handle, guid = block_with(1), slot, tmpl = template_of(nothing, 0, 1);
    OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 1, &slot, context));
    OK(ocrLegacyBlockProgress(handle, &guid, &result, &size, LEGACY_PROP_NONE));
    CHECK(ocrGuidIsNull(guid));
    CHECK(result == NULL);
    CHECK_EQ(size, 0);
    CHECK(ocrGuidIsNull(ocrWait(handle)));
}

static void waits_for_children(ocrGuid_t context) {
    volatile u64 done = 0;
    u64 param = (u64)&done;
    ocrGuid_t handle, slot, tmpl = template_of(has_child, 1, 1);
    OK(ocrLegacySpawnOCR(&handle, tmpl, 1, &param, 1, &slot, context));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    CHECK_EQ(done, 1);
}

static void refusals(ocrGuid_t context) {
    ocrGuid_t handle, slot, sticky = event_of(OCR_EVENT_STICKY_T), once = event_of(OCR_EVENT_ONCE_T);
    ocrGuid_t tmpl = template_of(nothing, 0, 1), no_slots = template_of(never, 0, 0);
    u64 param = 0;
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(sticky, NULL, NULL, NULL, LEGACY_PROP_CHECK));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(once, NULL, NULL, NULL, LEGACY_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(tmpl, NULL, NULL, NULL, LEGACY_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(NULL_GUID, NULL, NULL, NULL, LEGACY_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 0, NULL, context));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(NULL, tmpl, 0, NULL, 1, &slot, context));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(&handle, tmpl, EDT_PARAM_UNK, &param, 1, &slot, context));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(&handle, sticky, 0, NULL, 1, &slot, context));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, (u64)1 << 32 | 1, &slot, context));
    REFUSED(OCR_EINVAL, ocrLegacySpawnOCR(&handle, no_slots, 0, NULL, EDT_PARAM_DEF, &slot, context));
    OK(ocrEventSatisfy(sticky, NULL_GUID));
    OK(ocrLegacyBlockProgress(sticky, NULL, NULL, NULL, LEGACY_PROP_CHECK));
    /* the output event of an EDT */
    ocrGuid_t output;
    u64 done = 0, place = (u64)&done;
    ocrGuid_t gate = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t edt = spawn_with(late, 1, &place, 1, &gate, EDT_PROP_NONE, &output);
    (void)edt;
    OK(ocrEventSatisfy(gate, NULL_GUID));
    /* a once event may have come and gone */
    ocrGuid_t answer = ocrWait(output);
    CHECK(ocrGuidIsNull(answer) || ocrGuidIsError(answer));
}

int main(int argc, char **argv) {
    /* outside of a run, everything is refused */
    ocrGuid_t context = NULL_GUID, guid;
    CHECK_EQ(ocrLegacyFinalize(context, false), OCR_EPERM);
    CHECK_EQ(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_NONE), OCR_EPERM);
    for (int round = 0; round < 20; round++) {
        ocrConfig_t config;
        ocrParseArgs(argc, (const char **)argv, &config);
        CHECK_EQ(config.userArgc, 3);
        CHECK(strcmp(config.userArgv[1], "one") == 0);
        CHECK(strcmp(config.userArgv[2], "two") == 0);
        ocrLegacyInit(&context, &config);
        CHECK(!ocrGuidIsNull(context));
        CHECK_EQ(ocrNbWorkers(), 3);
        round_trip(context, round);
        no_data(context);
        waits_for_children(context);
        refusals(context);
        /* a thread that ends the run need not have released everything */
        void *addr;
        (void)block_of(100, &addr);
        ocrShutdown();
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    }
    return 0;
}
