/* The runtime's own option, `-ocr:cfg FILE`, is taken out wherever it stands; the rest closes up. */
// args: one -ocr:cfg /dev/null two
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(ocrGetArgc(depv[0].ptr), 3);
    CHECK_EQ(strcmp(ocrGetArgv(depv[0].ptr, 1), "one"), 0);
    CHECK_EQ(strcmp(ocrGetArgv(depv[0].ptr, 2), "two"), 0);
    ocrShutdown();
    return NULL_GUID;
}
