/* OCR_CHECK=leaks: what is left at the end makes the program fail. */
// clause: leak
// env: OCR_CHECK=leaks
// status: 1
// stderr: error: strict mode: 1 object was left at the end of the program
// stderr: 1 sticky event, created in mainEdt

#include "strict.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    event_of(OCR_EVENT_STICKY_T);
    ocrShutdown();
    return NULL_GUID;
}
