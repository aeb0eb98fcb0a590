/* A chunk that cannot be written ends the program, with a message. */
// clause: ocr-file.h
// status: 1
// stderr: cannot be written back to bytes 4096 to 8192 of the file "file_full.
// stderr: File too large
// stderr: ocr: warning: 1 chunk of files was not written back
#include "file.h"
#include <signal.h>
#include <sys/resource.h>

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(char *)depv[0].ptr = 'x';
    ocrDbDestroy(depv[0].guid);
    CHECK(!"the program goes on");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t file, chunk, left;
    OK(ocrFileOpen(&file, file_name(name, "file_full"), "w", NULL, 0));
    OK(ocrFileGetChunk(&left, file, 0, 4096));
    OK(ocrFileGetChunk(&chunk, file, 4096, 4096));
    CHECK_EQ(unlink(name), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {4096, 4096};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ocrGuid_t other;
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&other, file, 8192, 10)); /* it cannot be enlarged */
    spawn(fills, 0, NULL, 1, &chunk);
    return NULL_GUID;
}
