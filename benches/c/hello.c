/* hello: starts, prints a line, ends. What is measured is the life of the process. */
#include "bench.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    figure("hello", 1);
    ocrShutdown();
    return NULL_GUID;
}
