// Strict mode: an EDT whose template the program calls "mainEdt", and that a thread outside of EDTs creates, is named
// as the program's. The thread waits for its output event, which does not last.
//
// misuse: OCR-legacy-e
// env: OCR_CHECK=strict
// status: 1
// stderr: ocrLegacyBlockProgress: a once event cannot be waited for
// stderr: created by ocrEdtCreate in a thread outside of EDTs (the main thread)
// stderr-without: created by the runtime when the program started
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, tmpl, edt, output, gate;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    gate = event_of(OCR_EVENT_STICKY_T);
    OK(ocrEdtTemplateCreate_internal(&tmpl, nothing, 0, 1, "mainEdt"));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &gate, EDT_PROP_NONE, NULL_HINT, &output));
    ocrLegacyBlockProgress(output, NULL, NULL, NULL, LEGACY_PROP_NONE);
    return 0;
}
