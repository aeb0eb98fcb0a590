/* 2.2: without arguments argc counts the program alone; what mainEdt returns is ignored. */
// clause: 2.2
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 1);
    CHECK_EQ(ocrGetArgc(depv[0].ptr), 1);
    CHECK(strlen(ocrGetArgv(depv[0].ptr, 0)) > 0);
    end_after(0);
    return depv[0].guid;
}
