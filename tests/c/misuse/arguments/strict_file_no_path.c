/* Strict mode: a file without a path. */
// misuse: OCR-arguments-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileOpen: path is NULL
// stderr: Pass a text that ends with a zero
#include "strict.h"

#include <extensions/ocr-file.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t file;
    ocrFileOpen(&file, NULL, "r", NULL, 0);
    CHECK(!"strict mode ends it");
    return NULL_GUID;
}
