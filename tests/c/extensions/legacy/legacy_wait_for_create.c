/*
 * LEGACY_PROP_WAIT_FOR_CREATE: the program's thread waits for a labeled event that an EDT creates and
 * satisfies later. Without the property, and for a GUID that is no label, the call does not wait.
 */
// clause: ocr-legacy.h
#include "check.h"
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>

enum { ANSWER = 42 };

static ocrGuid_t creator(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t label = {(s64)paramv[0]}, block;
    u64 *number;
    usleep(20000);
    OK(ocrDbCreate(&block, (void **)&number, sizeof *number, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *number = ANSWER;
    OK(ocrDbRelease(block));
    OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK));
    usleep(20000);
    OK(ocrEventSatisfy(label, block));
    return NULL_GUID;
}

int main(int argc, const char *argv[]) {
    ocrConfig_t config;
    ocrGuid_t context, range, label, edt, guid;
    void *memory;
    u64 size;
    ocrParseArgs(argc, argv, &config);
    ocrLegacyInit(&context, &config);
    OK(ocrGuidRangeCreate(&range, 2, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 1));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_NONE));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_WAIT_IF_CREATED));
    REFUSED(OCR_EINVAL, ocrLegacyBlockProgress(NULL_GUID, NULL, NULL, NULL, LEGACY_PROP_WAIT_FOR_CREATE));
    u64 param = (u64)label.guid;
    ocrGuid_t template = template_of(creator, 1, 0);
    OK(ocrEdtCreate(&edt, template, 1, &param, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrLegacyBlockProgress(label, &guid, &memory, &size, LEGACY_PROP_WAIT_FOR_CREATE));
    CHECK_EQ(size, sizeof(u64));
    CHECK_EQ(*(u64 *)memory, ANSWER);
    OK(ocrLegacyBlockProgress(label, NULL, NULL, NULL, LEGACY_PROP_WAIT_IF_CREATED));
    OK(ocrDbDestroy(guid));
    OK(ocrEventDestroy(label));
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
