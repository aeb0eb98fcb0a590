/* Where the setting names no directory, a program that asks for a checkpoint gets a status, and goes on. */
// clause: ocr-checkpoint.h
#include "check.h"
#include <extensions/ocr-checkpoint.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    REFUSED(OCR_ENOTSUP, ocrCheckpoint());
    ocrShutdown();
    return NULL_GUID;
}
