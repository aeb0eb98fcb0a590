/* Strict mode reports an end by exit, which is none of OCR's: no EDT is waited for. */
// clause: process
// needs: signals
// status: 0
// env: OCR_CHECK=strict
// stderr: ocr: note: strict mode: EDT
// stderr: (quits) called exit(0) while the runtime runs
// stderr: ends with ocrShutdown, or ocrAbort with a status (OCR 1.1.0, 2.3)
// stderr-without: ocr: error
#include "check.h"

static ocrGuid_t quits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    exit(0);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(quits, 0, NULL, 0, NULL);
    return NULL_GUID;
}
