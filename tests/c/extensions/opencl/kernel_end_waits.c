// The run ends while main waits for a block that is on a device, and is on its way: main gets it.
//
// clause: ocr-opencl.h
// workers: 1 2
// needs: opencl
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-opencl.h>

static ocrGuid_t event, block;

static ocrGuid_t passes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrEventSatisfy(event, block));
    ocrShutdown();
    return NULL_GUID;
}

static void run(int argc, char **argv, u64 size) {
    ocrConfig_t config;
    ocrGuid_t context, template, kernel, ended, data, open[1] = {UNINITIALIZED_GUID};
    size_t items = 1;
    void *address = NULL;
    u64 got = 0;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(size, &address);
    *(u64 *)address = 1;
    OK(ocrDbRelease(block));
    event = event_of(OCR_EVENT_STICKY_T);
    OK(ocrOpenclTemplateCreate(&template, "kernel void add(global ulong *of) { of[0] += 6; }", NULL, "add", 0, 1,
                               NULL));
    OK(ocrOpenclTaskCreate(&kernel, template, 1, NULL, &items, NULL, 0, NULL, 1, open, EDT_PROP_NONE, NULL_GUID,
                           &ended));
    spawn(passes, 0, NULL, 1, &ended);
    OK(ocrAddDependence(block, kernel, 0, DB_MODE_RW));
    OK(ocrLegacyBlockProgress(event, &data, &address, &got, LEGACY_PROP_NONE));
    CHECK_EQ(got, size);
    CHECK_EQ(*(u64 *)address, 7);
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
}

int main(int argc, char **argv) {
    for (int i = 0; i < 5; i++)
        run(argc, argv, i % 2 ? 4096 : 64 << 20);
    return 0;
}
