// What is said of a program that crashes when it has ended: in a function that it has given to atexit, as where the C
// library finds its memory corrupted.
//
// clause: crash
// stderr: in no EDT, crashed with SIGABRT when the OCR program had ended
// stderr: OCR_CHECK=strict finds many mistakes before they crash
// stdout: printed before
// status: nonzero
// needs: signals
#include "check.h"

static void aborts(void) { abort(); }

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atexit(aborts), 0);
    ocrPrintf("printed before\n");
    ocrShutdown();
    return NULL_GUID;
}
