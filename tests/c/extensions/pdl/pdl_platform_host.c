/* A platform description of a machine with more cores: there is no run. */
// clause: ocr-pdl.h
// status: 2
// stderr: ocr: error: $OCR_PLATFORM: the platform description /
// stderr: it is not of this machine: its host has 12345 cores, and this one has
#include "platform.h"

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"there is no run");
    return NULL_GUID;
}

static void removes(void) { unlink(platform_file); }

int main(void) {
    FILE *file = describe_host(12345);
    fclose(file);
    atexit(removes);
    setenv("OCR_PLATFORM", platform_file, 1);
    run(runs);
    return 0;
}
