/* Strict mode: a file with a mode that does not exist. */
// misuse: OCR-file-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileOpen: there is no mode "a+"
// stderr: (mainEdt)
// stderr: Pass r, r+, w or w+, with or without b
#include "strict.h"

#include <extensions/ocr-file.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t file;
    ocrFileOpen(&file, "/dev/null", "a+", NULL, 0);
    CHECK(!"strict mode ends it");
    return NULL_GUID;
}
