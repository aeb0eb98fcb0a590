/* ocrAssert, ASSERT and VERIFY where they hold, also as the branch of an if without braces. */
// clause: ocr-std.h
// stdout: PASSED @ '
// stdout: assert_holds.c:17' as it should be
// stdout: FAILURE @ '
// stdout: assert_holds.c:18' number 2
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramv, (void)depv;
    ocrAssert(paramc == 0);
    ASSERT(depc == 1);
    if (depc == 1)
        ocrAssert(true);
    else
        ASSERT(false);
    VERIFY(paramc == 0, "as it should be\n");
    VERIFY(paramc == 1, "number %d\n", 2);
    ocrShutdown();
    return NULL_GUID;
}
