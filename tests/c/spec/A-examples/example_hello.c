/* A.1: a program of one EDT, which prints a line and ends it. */
// clause: A.1
// stdout-lines: 1 Hello from mainEdt!
#include <ocr.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    PRINTF("Hello from mainEdt!\n");
    ocrShutdown();
    return NULL_GUID;
}
