/* `-ocr:version`, wherever it stands, prints the versions, and the program is not run. */
// clause: 2.2
// args: one -ocr:version
// stdout: OCR API 1.1.0
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the program runs");
    return NULL_GUID;
}
