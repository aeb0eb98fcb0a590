// The message about a program that hangs comes before its graph, which has no room here.
//
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: ocr: warning: the graph of what waits cannot be written to /dev/full: 
// env: OCR_HALT_DOT=/dev/full
// needs: halt
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    end_after(1);
    return NULL_GUID;
}
