/*
 * kernel_crash.h - crashes in a program that uses a device. OpenCL implementations install handlers for the
 * signals that crashes raise, among them one that has a kernel go on after an integer division by zero. The
 * kernel goes on here, and an EDT that does the same does not, in each run of the process.
 */
#ifndef KERNEL_CRASH_H
#define KERNEL_CRASH_H

#include "crash.h"
#include "kernel.h"

#include <extensions/ocr-legacy.h>

static const char *source = "__kernel void divides(__global int *words) {"
                            "    words[1] = words[0] / words[1];"
                            "    words[2] = 7;"
                            "}\n";

static ocrGuid_t is_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u32 *)depv[0].ptr)[2] = 7;
    return NULL_GUID;
}

/* What the including program tries, in an EDT. */
static void crash_all(ocrEdtDep_t depv[]);

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[2], 7);
    crash_all(depv);
    ocrShutdown();
    return NULL_GUID;
}

static inline void run_kernel_and_crash(bool function) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, tmpl, of_crashes, divides, ended, block;
    u64 *words;
    ocrLegacyInit(&context, &config);
    block = block_of(64, (void **)&words);
    memset(words, 0, 64);
    OK(ocrDbRelease(block));
    if (function) {
        tmpl = template_of(is_function, 0, 1);
        OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "divides", one_item, OCR_NO_RESULT));
    } else {
        tmpl = kernel_of(source, "divides", 0, 1);
    }
    OK(ocrEdtTemplateCreate(&of_crashes, crashes, 0, 2));
    const ocrGuid_t last = edt_of(of_crashes, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL);
    divides =
        function ? edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &ended) : kernel_edt(tmpl, 1, 0, NULL, 1, &ended);
    link_to(ended, last, 1, DB_MODE_NULL);
    link_to(block, divides, 0, DB_MODE_RW);
    link_to(block, last, 0, DB_MODE_RW);
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEdtTemplateDestroy(of_crashes));
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
}

#endif
