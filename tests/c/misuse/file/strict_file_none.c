/* Strict mode: what is no file is released. */
// misuse: OCR-file-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileRelease: fileGuid (0x
// stderr: ) is not the GUID of a file that is open

#include "strict.h"
#include <extensions/ocr-file.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrFileRelease(event_of(OCR_EVENT_STICKY_T));
    return NULL_GUID;
}
