/* After ocrAbort, chunks that are left are not written, and a message says so. */
// clause: ocr-file.h
// status: 3
// stderr: ocr: warning: 2 chunks of files were not written back
#include "file.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t file, chunk;
    OK(ocrFileOpen(&file, file_name(name, "file_abort"), "w", NULL, 0));
    for (u64 i = 0; i < 3; i++)
        OK(ocrFileGetChunk(&chunk, file, 8 * i, 8));
    OK(ocrDbDestroy(chunk));
    CHECK_EQ(unlink(name), 0);
    ocrAbort(3);
    return NULL_GUID;
}
