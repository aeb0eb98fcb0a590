/* A C++ program whose mainEdt has the name that C++ gives it. */
// clause: 2.2
// deviates: 2.2
// stdout-lines: 1 argc 1
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 0);
    CHECK(paramv == nullptr);
    CHECK_EQ(depc, 1);
    ocrPrintf("argc %d\n", (int)ocrGetArgc(depv[0].ptr));
    ocrShutdown();
    return NULL_GUID;
}
