/*
 * A process that is forked when the run has ended, and OpenCL was used, begins runs of its own. OpenCL's threads are in
 * the first process: an EDT with a C function beside its kernel runs as that, with a note; one that has a kernel alone
 * ends the process with a message, whatever devices are asked for. The first process goes on with its devices.
 */
// clause: process ocr-variants.h
// needs: opencl
// stderr: ocr: note: EDTs of template "k" ran as its C function: This process was made by fork() after process
// stderr: no variant that can run here: it has no C function
// stderr: Fork before the first kernel is added or a device is asked for
#include "kernel.h"

#include <extensions/ocr-legacy.h>
#include <sys/wait.h>

static ocrGuid_t as_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ((u32 *)depv[0].ptr)[0] = 8;
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((u32 *)depv[0].ptr)[0], paramv[0]);
    return NULL_GUID;
}

/* One run, whose EDT makes the word in a block `result`. */
static int run(bool function, u64 result) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, output, ended, first, second;
    ocrLegacyInit(&context, &config);
    ended = event_of(OCR_EVENT_STICKY_T);
    const ocrGuid_t kernel = kernel_of("kernel void k(global uint *x) { x[0] = 7; }\n", "k", 0, 1);
    if (function)
        OK(ocrEdtTemplateAddFunction(kernel, as_function, NULL));
    const ocrGuid_t block = words_block(1, 0, 0), edt = kernel_edt(kernel, 1, 0, NULL, 1, &first);
    ocrGuid_t slots[2] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    const ocrGuid_t last = spawn_with(reads, 1, &result, 2, slots, EDT_PROP_NONE, &second);
    output = second;
    link_to(output, ended, 0, DB_MODE_NULL);
    link_to(first, last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrLegacyBlockProgress(ended, NULL, NULL, NULL, LEGACY_PROP_NONE));
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}

static void in_another(bool function, int expected) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        exit(run(function, 8));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), expected);
}

int main(void) {
    OK(run(false, 7));
    in_another(true, 0);
    in_another(false, 1);
    CHECK_EQ(setenv("OCR_DEVICES", "all", 1), 0);
    in_another(false, 1);
    in_another(true, 0);
    CHECK_EQ(unsetenv("OCR_DEVICES"), 0);
    OK(run(false, 7));
    return 0;
}
