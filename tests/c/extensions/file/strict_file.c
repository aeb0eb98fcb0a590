/* Strict mode has nothing to say about files that are used as they should be, and lists a chunk that is left, which is
 * written. */
// clause: ocr-file.h
// env: OCR_CHECK=strict
// stderr: 1 data block, created in 
// stdout-lines: 1 the chunks were written
#include "file.h"

static char name[64];

static void looks(void) {
    size_t size;
    unsigned char *bytes = read_file(name, &size);
    if (size == 20 && memcmp(bytes, "xxxxxxxxxxyyyyyyyyyy", 20) == 0)
        puts("the chunks were written");
    free(bytes);
    fflush(stdout);
    unlink(name);
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memset(depv[0].ptr, 'x', 10);
    memset(depv[1].ptr, 'y', 10);
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t file = ocrFileGetGuid(depv[0].ptr), chunks[2];
    CHECK_EQ(ocrFileGetSize(depv[0].ptr), 0);
    for (u64 i = 0; i < 2; i++)
        OK(ocrFileGetChunk(&chunks[i], file, 10 * i, 10));
    OK(ocrFileRelease(file));
    OK(ocrDbDestroy(depv[0].guid));
    spawn(fills, 0, NULL, 2, chunks);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t file, descriptor;
    atexit(looks);
    OK(ocrFileOpen(&file, file_name(name, "strict_file"), "w+", &descriptor, 0));
    spawn(begins, 0, NULL, 1, &descriptor);
    return NULL_GUID;
}
