/* Strict mode: an EDT pauses the runtime and ends. */
// misuse: OCR-pause-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: an EDT has ended without ocrResume after its ocrPause
// stderr: seen at the end of EDT 0x
// stderr: (pauses)
// stderr: Call ocrResume, with what ocrPause returned
#include "strict.h"
#include <extensions/ocr-pause.h>

static ocrGuid_t pauses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ocrPause(true), 1);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(pauses, 0, NULL, 0, NULL);
    return NULL_GUID;
}
