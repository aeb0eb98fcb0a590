/* A range function crashes: that is said, and of which EDT, not of the one that has let it go. */
// clause: crash ocr-variants.h
// once: an EDT changes the environment of the process
// env: OCR_SCHED=device
// env: OCR_DEVICES=all
// needs: opencl
// needs: signals
// stderr: ocr: error: the range function for EDT 0x
// stderr: (doubles) crashed with SIGSEGV at address 0x0
#include "crash.h"
#include "kernel.h"
#include <extensions/ocr-variants.h>

static const char *source = "kernel void k(global ulong *numbers) { numbers[get_global_id(0)] *= 2; }";

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *space) {
    (void)paramc, (void)depc, (void)sizes;
    space->workDim = 1;
    /* There are no parameters. */
    space->globalSize[0] = ((const volatile u64 *)paramv)[0];
}

static ocrGuid_t doubles(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the policy is the device");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    OK(ocrEdtTemplateCreate(&tmpl, doubles, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "k", range, 0));
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    link_to(block_with(21), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
