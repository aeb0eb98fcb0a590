/* A chunk that cannot be written at the end: a message, status 1, and the other chunks are written. */
// clause: ocr-file.h
// status: 1
// stderr: cannot be written back to bytes 4096 to 8192 of the file "file_full_shutdown.
// stderr: File too large
// stdout: the other was written
#include "file.h"
#include <signal.h>
#include <sys/resource.h>

static char name[64];

static void looks(void) {
    FILE *file = fopen(name, "rb");
    unlink(name);
    if (file != NULL && fgetc(file) == 'x')
        puts("the other was written");
    fflush(stdout);
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(char *)depv[0].ptr = *(char *)depv[1].ptr = 'x';
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t file, chunks[2];
    atexit(looks);
    OK(ocrFileOpen(&file, file_name(name, "file_full_shutdown"), "wb+", NULL, 0));
    OK(ocrFileGetChunk(&chunks[0], file, 4096, 4096));
    OK(ocrFileGetChunk(&chunks[1], file, 0, 4096));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {4096, 4096};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    spawn(fills, 0, NULL, 2, chunks);
    return NULL_GUID;
}
