/*
 * A program as those for the OpenCL interface of OCR-Vx are: compiled with OCR_WITH_OPENCL it includes ocr-affinity.h
 * alone, its EDT has more pre-slots than the template says, and one block goes through a kernel on each device.
 */
// clause: ocr-opencl.h
// env: OCR_DEVICES=all
// stdout: 1 on each device
// needs: opencl
#define OCR_WITH_OPENCL 1
#define OCR_WITH_PDL 1
#include <ocr.h>
#include <extensions/ocr-affinity.h>
#include <cstddef>
#include <cstdio>
#include <vector>

static ocrGuid_t consume(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    u64 value = *static_cast<u32 *>(depv[0].ptr);
    if (paramc == 1 && depc == paramv[0] + 1 && value == 1 + paramv[0]) {
        std::printf("1 on each device\n");
    }
    ocrShutdown();
    return NULL_GUID;
}

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t[]) {
    u64 count, node;
    ocrAffinityCount(AFFINITY_OCL, &count);
    std::vector<ocrGuid_t> places(count ? count : 1), tasks(count), events(count);
    ocrAffinityGet(AFFINITY_OCL, &count, &places.front());
    ocrGuid_t data, consumeTemplate, consumer, kernelTemplate;
    void *address;
    ocrDbCreate(&data, &address, sizeof(u32), 0, NULL_HINT, NO_ALLOC);
    *static_cast<u32 *>(address) = 1;
    u64 params[] = {count};
    ocrEdtTemplateCreate(&consumeTemplate, consume, 1, 0);
    ocrEdtCreate(&consumer, consumeTemplate, 1, params, 1 + static_cast<u32>(count), 0, 0, 0, NULL);
    ocrOpenclTemplateCreate(&kernelTemplate, "__kernel void add(__global uint *i) { ++*i; }", "", "add", 0, 1,
                            const_cast<char *>("add"));
    std::size_t offset[] = {0}, size[] = {1};
    for (std::size_t i = 0; i < count; ++i) {
        pdlGetDevicePropertyInt(places[i], "node-index", &node);
        ocrOpenclTaskCreate(&tasks[i], kernelTemplate, 1, offset, size, 0, 0, 0, 1, 0, 0, places[i], &events[i]);
        ocrAddDependence(events[i], consumer, static_cast<u32>(i) + 1, DB_MODE_CONST);
    }
    ocrAddDependence(data, consumer, 0, DB_MODE_CONST);
    for (std::size_t i = 0; i < count; ++i) {
        ocrAddDependence(data, tasks[i], 0, DB_MODE_EW);
    }
    return NULL_GUID;
}
