/* A failed ocrAssert ends the program and names the expression and the place. */
// clause: ocr-std.h
// status: nonzero
// stderr: depc == 99
// stderr: assert_fails.c
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depv;
    ocrAssert(depc == 99);
    (void)depc;
    ocrShutdown();
    return NULL_GUID;
}
