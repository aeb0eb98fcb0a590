/* After ocrAbort chunks are not written, whatever it was given. */
// clause: ocr-file.h
// stderr: ocr: warning: 1 chunk of files was not written back
#include "file.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t aborts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    memset(depv[0].ptr, 'b', 100);
    ocrAbort(0);
    return NULL_GUID;
}

int main(void) {
    char name[64], a[100];
    ocrGuid_t context, file, chunk;
    ocrConfig_t config = {0};
    memset(a, 'a', sizeof a);
    write_file(file_name(name, "file_abort_zero"), a, sizeof a);
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "r+", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, sizeof a));
    spawn(aborts, 0, NULL, 1, &chunk);
    OK(ocrLegacyFinalize(context, true));
    size_t size;
    unsigned char *bytes = read_file(name, &size);
    CHECK_EQ(size, sizeof a);
    CHECK(memcmp(bytes, a, sizeof a) == 0);
    free(bytes);
    CHECK_EQ(unlink(name), 0);
    return 0;
}
