/* A platform description of a machine with more memory than there is: there is no run. */
// clause: ocr-pdl.h
// status: 2
// stderr: ocr: error: $OCR_PLATFORM: the platform description /
// stderr: it is not of this machine: its host has memory = 9000000000000000000; here it is more than 0, and at most 
// stderr: Leave the setting out, correct the file, or have it written anew
#include "platform.h"

static ocrGuid_t runs(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"there is no run");
    return NULL_GUID;
}

static void removes(void) { unlink(platform_file); }

int main(void) {
    char name[256] = "";
    CHECK(gethostname(name, sizeof name - 1) == 0);
    fclose(describe_host_with(sysconf(_SC_NPROCESSORS_ONLN), name, 9000000000000000000));
    atexit(removes);
    setenv("OCR_PLATFORM", platform_file, 1);
    run(runs);
    return 0;
}
