/* Strict mode: two chunks of a file overlap. */
// misuse: OCR-file-c
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileGetChunk: there is a chunk already in these bytes of the file "strict_file_overlap.
// stderr: (extensions/ocr-file.h)
#include "file.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t file, chunk;
    OK(ocrFileOpen(&file, file_name(name, "strict_file_overlap"), "w", NULL, 0));
    CHECK_EQ(unlink(name), 0);
    OK(ocrFileGetChunk(&chunk, file, 0, 100));
    ocrFileGetChunk(&chunk, file, 99, 100);
    return NULL_GUID;
}
