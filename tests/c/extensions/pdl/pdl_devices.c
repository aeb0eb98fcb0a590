/* What can be asked of the OpenCL devices in use: their names, and their numbers. */
// clause: ocr-pdl.h
// needs: opencl
// env: OCR_DEVICES=all
#include "kernel.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-pdl.h>

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    kernel_of("__kernel void nothing(void) {}\n", "nothing", 0, 0); /* opens the devices */
    u64 devices = 0, value = 77;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    CHECK(devices > 0);
    for (u64 i = 0; i < devices; i++) {
        ocrGuid_t device;
        OK(ocrAffinityGetAt(AFFINITY_OCL, i, &device));
        const char *name = pdlGetDevicePropertyString(device, "device-name");
        const char *platform = pdlGetDevicePropertyString(device, "platform-name");
        CHECK(name != NULL && *name != 0);
        CHECK(platform != NULL && *platform != 0);
        CHECK(pdlGetDevicePropertyString(device, "hostname") == pdlGetDevicePropertyString(NULL_GUID, "hostname"));
        OK(pdlGetDevicePropertyInt(device, "device-index", &value));
        CHECK_EQ(value, i);
        OK(pdlGetDevicePropertyInt(device, "node-index", &value));
        CHECK_EQ(value, 0);
        value = 77;
        OK(pdlGetDevicePropertyInt(device, "thread-count", &value));
        CHECK_EQ(value, 77);
    }
    ocrShutdown();
    return NULL_GUID;
}
