/* A platform description of a machine of another name: there is no run. */
// clause: ocr-pdl.h
// status: 2
// stderr: ocr: error: $OCR_PLATFORM: the platform description /
// stderr: it is not of this machine: its host is "thinker of Lem", and this one is "
// stderr: Leave the setting out, correct the file, or have it written anew
#include "platform.h"

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"there is no run");
    return NULL_GUID;
}

static void removes(void) { unlink(platform_file); }

int main(void) {
    fclose(describe_host_with(sysconf(_SC_NPROCESSORS_ONLN), "thinker of Lem", 123456789));
    atexit(removes);
    setenv("OCR_PLATFORM", platform_file, 1);
    run(runs);
    return 0;
}
