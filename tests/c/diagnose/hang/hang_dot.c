// The graph of a program that hangs is written before the message.
//
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: ocr: warning: the graph of what waits cannot be written to /dev/null/waiting.dot: 
// env: OCR_HALT_DOT=/dev/null/waiting.dot
// needs: halt
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    end_after(1);
    return NULL_GUID;
}
