// SIGUSR1 prints what runs, with a device open, too: OpenCL implementations have handlers of that signal. It
// says which EDTs a device has.
//
// clause: hang ocr-variants.h
// once: an EDT removes a file
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=device
#include "kernel.h"
#include "picture.h"

/* The EDT is the device's, and is launched when this returns. */
static void asks(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    one_item(paramc, paramv, depc, depSizes, range);
    take_picture();
    has(text_file, "\n  device ");
    const char *line = strstr(content(text_file), "\n  device ");
    CHECK(strstr(line, ") has EDT ") != NULL && strstr(line, "(adds_one)") != NULL);
}

static ocrGuid_t adds_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the policy is device");
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 8);
    forget_picture();
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, block = words_block(1, 7, 0), edt, done, last;
    OK(ocrEdtTemplateCreate(&tmpl, adds_one, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void add(__global uint *words) { words[0]++; }\n", NULL, "add", asks,
                               0));
    ocrGuid_t open = UNINITIALIZED_GUID, all[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &open, EDT_PROP_NONE, NULL_HINT, &done));
    last = spawn(ends, 0, NULL, 2, all);
    OK(ocrAddDependence(done, last, 1, DB_MODE_NULL));
    OK(ocrAddDependence(block, last, 0, DB_MODE_RO));
    OK(ocrAddDependence(block, edt, 0, DB_MODE_RW));
    return NULL_GUID;
}
