/* An EDT makes a process by fork while devices are open, and that adds a kernel: no thread there could build it, so it
 * ends with a message, and does not wait indefinitely. The first process goes on. */
// clause: process ocr-opencl.h ocr-variants.h
// needs: opencl
// stderr: adding a kernel: this process was made by fork() while the runtime ran in process
#include "kernel.h"

#include <sys/wait.h>

static const char *source = "kernel void k(global uint *x) { x[0] += 7; }\n";

static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 12);
    ocrShutdown();
    return NULL_GUID;
}

static void in_another(bool variant) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        ocrGuid_t other;
        if (variant) {
            OK(ocrEdtTemplateCreate(&other, sees, 0, 1));
            ocrEdtTemplateAddKernel(other, source, "-DOTHER", "k", one_item, OCR_NO_RESULT);
        } else {
            ocrOpenclTemplateCreate(&other, source, "-DOTHER", "k", 0, 1, NULL);
        }
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 1);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrGuid_t kernel = kernel_of(source, "k", 0, 1), block = words_block(1, 5, 0);
    in_another(false);
    in_another(true);
    ocrGuid_t done, edt = kernel_edt(kernel, 1, 0, NULL, 1, &done), last = spawn(sees, 0, NULL, 2, NULL);
    link_to(done, last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
