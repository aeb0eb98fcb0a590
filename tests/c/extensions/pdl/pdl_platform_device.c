/* A platform description of another device than this machine has: the run ends as soon as the devices are known. */
// clause: ocr-pdl.h
// needs: opencl
// env: OCR_DEVICES=all
// status: 1
// stderr: ocr: error: $OCR_PLATFORM: the platform description /
// stderr: it is not of this machine: device 0 has the name "
// stderr: and not "abacus". Leave the setting out, correct the file, or have it written anew
#include "platform.h"

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 devices;
    unlink(platform_file);
    ocrAffinityCount(AFFINITY_OCL, &devices);
    CHECK(!"the run goes on");
    return NULL_GUID;
}

int main(void) {
    FILE *file = describe_host(sysconf(_SC_NPROCESSORS_ONLN));
    describe_device(file, 0, "abacus", "wood", "other");
    fclose(file);
    setenv("OCR_PLATFORM", platform_file, 1);
    run(asks);
    return 0;
}
