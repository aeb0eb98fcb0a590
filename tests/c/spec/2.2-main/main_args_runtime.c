/*
 * The runtime's own option, `-ocr:cfg FILE`, is taken out wherever it stands; the rest closes up. The
 * machine descriptions that programs name there and in OCR_CONFIG are not looked at. A driver that
 * appends `-ocr:cfg $OCR_CONFIG` names none if that is not set.
 */
// clause: 2.2
// args: one -ocr:cfg /nonexistent/mach-hc-8w.cfg two -ocr:cfg
// env: OCR_CONFIG=/nonexistent/mach-hc-4w.cfg
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(ocrGetArgc(depv[0].ptr), 3);
    CHECK_EQ(strcmp(ocrGetArgv(depv[0].ptr, 1), "one"), 0);
    CHECK_EQ(strcmp(ocrGetArgv(depv[0].ptr, 2), "two"), 0);
    ocrShutdown();
    return NULL_GUID;
}
