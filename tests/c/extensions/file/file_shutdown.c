/* Chunks that are left when the program ends are written, also where an EDT waits for one and never gets it. */
// clause: ocr-file.h
#include "file.h"
#include <extensions/ocr-legacy.h>

static char name[64];

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"it runs");
    return NULL_GUID;
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc; i++)
        memset(depv[i].ptr, 'a' + (int)i + 10 * (int)paramv[0], 100);
    /* One is waited for, one destroyed, one released, and one held at the end. */
    ocrGuid_t deps[] = {depv[0].guid, UNINITIALIZED_GUID};
    spawn(never, 0, NULL, 2, deps);
    OK(ocrDbDestroy(depv[1].guid));
    OK(ocrDbRelease(depv[2].guid));
    ocrShutdown();
    return NULL_GUID;
}

static void run(u64 round) {
    ocrGuid_t context, file, chunks[4];
    ocrConfig_t config = {0};
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, round == 0 ? "w" : "r+", NULL, 0));
    for (u64 i = 0; i < 4; i++)
        OK(ocrFileGetChunk(&chunks[i], file, 100 * i, 100));
    if (round == 1)
        OK(ocrFileRelease(file));
    spawn(fills, 1, &round, 4, chunks);
    OK(ocrLegacyFinalize(context, true));
    CHECK_EQ(times_open(name), 0);
    size_t size;
    unsigned char *bytes = read_file(name, &size);
    CHECK_EQ(size, 400);
    for (u64 i = 0; i < 400; i++)
        CHECK_EQ(bytes[i], 'a' + i / 100 + 10 * round);
    free(bytes);
}

int main(void) {
    file_name(name, "file_shutdown");
    run(0);
    run(1);
    CHECK_EQ(unlink(name), 0);
    return 0;
}
