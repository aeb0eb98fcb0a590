/*
 * Devices can be asked for before there is a kernel, as programs for the OpenCL interface of OCR-Vx do, which
 * start one task on each.
 */
// clause: ocr-opencl.h
// needs: opencl
// stdout: right on all devices
#include "check.h"

#include <extensions/ocr-affinity.h>
#include <extensions/ocr-opencl.h>

static const char *source = "__kernel void twice(__global ulong *data) { data[get_global_id(0)] *= 2; }";

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc / 2; ++i)
        CHECK_EQ(number_in(depv[2 * i]), 2 * (i + 1));
    printf("right on all devices\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = 0;
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    CHECK(count >= 1);
    ocrGuid_t *devices = malloc(count * sizeof *devices);
    OK(ocrAffinityGet(AFFINITY_OCL, &count, devices));

    ocrGuid_t twice, end = spawn(looks, 0, NULL, 2 * (u32)count, NULL);
    OK(ocrOpenclTemplateCreate(&twice, source, NULL, "twice", 0, 1, NULL));
    for (u64 i = 0; i < count; ++i) {
        const size_t size = 1;
        ocrGuid_t block = block_with(i + 1), task, done, where;
        u64 one = 1;
        OK(ocrAffinityGetAt(AFFINITY_OCL, i, &where));
        CHECK(ocrGuidIsEq(where, devices[i]));
        OK(ocrAffinityQuery(where, &one, &where));
        CHECK(ocrGuidIsEq(where, devices[i]));
        OK(ocrOpenclTaskCreate(&task, twice, 1, NULL, &size, NULL, 0, NULL, 1, NULL, EDT_PROP_NONE, devices[i], &done));
        link_to(done, end, 2 * (u32)i + 1, DB_MODE_NULL);
        link_to(block, end, 2 * (u32)i, DB_MODE_RO);
        link_to(block, task, 0, DB_MODE_RW);
    }
    free(devices);
    return NULL_GUID;
}
