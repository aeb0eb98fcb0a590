/* Strict mode: a chunk of a file that no file can have. */
// misuse: OCR-file-d
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrFileGetChunk: offset and size are more than the file
// stderr: fewer than 2^63 bytes
#include "strict.h"
#include <extensions/ocr-file.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t file, chunk;
    OK(ocrFileOpen(&file, "/proc/self/exe", "r", NULL, 0));
    ocrFileGetChunk(&chunk, file, (u64)-8, 16);
    return NULL_GUID;
}
