/* An EDT cannot end the run that it is a part of. */
// misuse: OCR-legacy-a
// status: 1
// env: OCR_CHECK=strict
// stderr: ocrLegacyFinalize: an EDT cannot end the run that it is a part of
// stderr: Call ocrShutdown in the EDT
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrLegacyFinalize(NULL_GUID, false);
    return NULL_GUID;
}

int main(void) {
    ocrGuid_t context;
    ocrLegacyInit(&context, NULL);
    spawn(ends, 0, NULL, 0, NULL);
    return ocrLegacyFinalize(context, true);
}
