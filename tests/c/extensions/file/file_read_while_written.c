/* Strict mode: a chunk is read of a file that is written meanwhile, opened a second time. Nothing is lost. */
// clause: ocr-file.h
// env: OCR_CHECK=strict
// stderr-without: is lost
#include "check.h"
#include <extensions/ocr-file.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/ocr-twice-XXXXXX";
static ocrGuid_t seen;

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((char *)depv[1].ptr)[5], 'a');
    OK(ocrDbDestroy(depv[1].guid));
    unlink(path);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memset(depv[0].ptr, 'b', 100);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char bytes[100];
    memset(bytes, 'a', sizeof bytes);
    const int descriptor = mkstemp(path);
    CHECK_EQ(write(descriptor, bytes, sizeof bytes), 100);
    close(descriptor);
    ocrGuid_t reading, writing, chunk, done, hold = UNINITIALIZED_GUID;
    OK(ocrFileOpen(&reading, path, "r", NULL, 0));
    OK(ocrFileOpen(&writing, path, "r+", NULL, 0));
    OK(ocrFileGetChunk(&seen, reading, 0, 100));
    OK(ocrFileGetChunk(&chunk, writing, 0, 100));
    OK(ocrFileRelease(reading));
    OK(ocrFileRelease(writing));
    ocrGuid_t writer = spawn_with(writes, 0, NULL, 1, &hold, EDT_PROP_NONE, &done);
    ocrGuid_t last = spawn(ends, 0, NULL, 2, NULL);
    link_to(done, last, 0, DB_MODE_NULL);
    link_to(seen, last, 1, DB_MODE_CONST);
    link_to(chunk, writer, 0, DB_MODE_EW);
    return NULL_GUID;
}
