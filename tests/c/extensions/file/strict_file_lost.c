/* Strict mode: an EDT writes to a chunk of a file that was opened for reading alone. */
// clause: ocr-file.h
// env: OCR_CHECK=strict
// stderr: ocr: note: strict mode: what was written to the data block 0x
// stderr: bytes 70000 to 150000 of the file
// stderr: Open it with "r+" to keep it
#include "check.h"
#include <extensions/ocr-file.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 200000 };
static char path[] = "/tmp/ocr-lost-XXXXXX";

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    unlink(path);
    ocrShutdown();
    return NULL_GUID;
}

/* The second of two chunks is written, at its end. */
static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((char *)depv[0].ptr)[69999], 1);
    ((char *)depv[1].ptr)[79999] = 2;
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static char bytes[BYTES];
    memset(bytes, 1, sizeof bytes);
    const int descriptor = mkstemp(path);
    CHECK_EQ(write(descriptor, bytes, sizeof bytes), BYTES);
    close(descriptor);
    ocrGuid_t file, first, second, done;
    OK(ocrFileOpen(&file, path, "r", NULL, 0));
    OK(ocrFileGetChunk(&first, file, 0, 70000));
    OK(ocrFileGetChunk(&second, file, 70000, 80000));
    OK(ocrFileRelease(file));
    ocrGuid_t edt = spawn_with(writes, 0, NULL, 2, NULL, EDT_PROP_NONE, &done);
    spawn(ends, 0, NULL, 1, &done);
    link_to(second, edt, 1, DB_MODE_EW);
    link_to(first, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
