// An EDT that fails after another one has shut down still decides the exit status.
// By OCR 1.1.0, 2.3.1, statements after ocrShutdown may or may not be executed.
//
// clause: 2.3.2
// status: 3
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    ocrAbort(3);
    return NULL_GUID;
}
