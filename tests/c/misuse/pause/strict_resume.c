/* Strict mode: a pause is ended twice. */
// misuse: OCR-pause-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrResume: the caller has not paused the runtime, or has resumed it
// stderr: (mainEdt): ocrResume(flag 1)
// stderr: pass on to ocrResume what it returned
#include "strict.h"
#include <extensions/ocr-pause.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ocrPause(true), 1);
    ocrResume(1);
    ocrResume(1);
    return NULL_GUID;
}
