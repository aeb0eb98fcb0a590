/* Strict mode: a file is used after its release. */
// misuse: OCR-file-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileGetChunk: a file was used after it had been released (argument fileGuid)
// stderr: created by ocrFileOpen in EDT
// stderr: destroyed by ocrFileRelease in EDT
#include "file.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t file, chunk;
    OK(ocrFileOpen(&file, file_name(name, "strict_file_released"), "w", NULL, 0));
    CHECK_EQ(unlink(name), 0);
    OK(ocrFileRelease(file));
    ocrFileGetChunk(&chunk, file, 0, 100);
    return NULL_GUID;
}
