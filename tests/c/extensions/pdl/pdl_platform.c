/*
 * Two runs: the first asks the system and OpenCL, the second has a platform description, whose values are the answers
 * then, and the speeds of links, which only it has.
 */
// clause: ocr-pdl.h
// needs: opencl
// env: OCR_DEVICES=all
#include "platform.h"

static const char *name, *platform, *kind;

static ocrGuid_t without(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t device;
    u64 devices, value = 5;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    CHECK(devices > 0);
    OK(ocrAffinityGetAt(AFFINITY_OCL, 0, &device));
    is_text(NULL_GUID, "role", "Master");
    is_text(NULL_GUID, "kind", "CPU");
    is_text(device, "role", "Worker");
    is_text(device, "to-device-source", NULL);
    name = pdlGetDevicePropertyString(device, "device-name");
    platform = pdlGetDevicePropertyString(device, "platform-name");
    kind = pdlGetDevicePropertyString(device, "kind");
    CHECK(kind != NULL);
    CHECK_EQ(number_of(NULL_GUID, "compute-units"), sysconf(_SC_NPROCESSORS_ONLN));
    CHECK_EQ(number_of(NULL_GUID, "memory-size"), (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE));
    CHECK(number_of(device, "compute-units") - 1 < 1 << 16);
    CHECK(number_of(device, "memory-size") >= 1 << 20);
    CHECK(number_of(device, "local-memory-size") >= 1 << 10);
    CHECK(number_of(device, "max-work-group-size") >= 1);
    CHECK(number_of(device, "shares-host-memory") <= 1);
    /* It is not known. */
    OK(pdlGetDevicePropertyInt(device, "to-device-latency", &value));
    OK(pdlGetDevicePropertyInt(device, "from-device-bandwidth", &value));
    OK(pdlGetDevicePropertyInt(NULL_GUID, "local-memory-size", &value));
    CHECK_EQ(value, 5);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t with(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t device;
    u64 devices, value = 5;
    OK(ocrAffinityCount(AFFINITY_OCL, &devices));
    OK(ocrAffinityGetAt(AFFINITY_OCL, 0, &device));
    is_text(NULL_GUID, "role", "Hybrid");
    CHECK_EQ(number_of(NULL_GUID, "memory-size"), 123456789);
    CHECK(number_of(NULL_GUID, "thread-count") > 0);
    is_text(device, "role", "Worker");
    is_text(device, "kind", kind);
    CHECK_EQ(number_of(device, "compute-units"), 77);
    CHECK_EQ(number_of(device, "memory-size"), 1000);
    CHECK_EQ(number_of(device, "local-memory-size"), 1001);
    CHECK_EQ(number_of(device, "max-work-group-size"), 1002);
    CHECK_EQ(number_of(device, "shares-host-memory"), 0);
    CHECK_EQ(number_of(device, "device-index"), 0);
    CHECK_EQ(number_of(device, "to-device-latency"), 1500);
    CHECK_EQ(number_of(device, "to-device-bandwidth"), 12000000000);
    CHECK_EQ(number_of(device, "from-device-latency"), 2);
    CHECK_EQ(number_of(device, "from-device-bandwidth"), 3);
    is_text(device, "to-device-source", "given");
    is_text(device, "from-device-source", "measured 2026-01-31");
    is_text(NULL_GUID, "to-device-source", NULL);
    OK(pdlGetDevicePropertyInt(NULL_GUID, "to-device-latency", &value));
    CHECK_EQ(value, 5);
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    run(without);
    FILE *file = describe_host(sysconf(_SC_NPROCESSORS_ONLN));
    describe_device(file, 0, name, platform, kind);
    describe_link(file, "host", "device 0", "latency-ns = 1500\nbandwidth = 12e9\nsource = \"given\"");
    describe_link(file, "device 0", "host", "latency-ns = 1.6\nbandwidth = 3\nsource = \"measured 2026-01-31\"");
    fclose(file);
    setenv("OCR_PLATFORM", platform_file, 1);
    run(with);
    unlink(platform_file);
    return 0;
}
