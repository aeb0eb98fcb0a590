/*
 * A kernel fails while the run ends. What it may have left half written does not get into the file: the program ends
 * with a message, and another one says that the chunk was not written. The kernel fails in so far as OpenCL
 * reports that when the runtime asks. A device with memory of its own leaves the host's copy as it was.
 */
// clause: ocr-file.h ocr-variants.h
// needs: opencl
// env: OCR_DEVICES=cpu
// env: OCR_DEVICE_FORCE_COPIES=
// status: 1
// stderr: kernel 'writes'
// stderr: its data may be half written
// stderr: ocr: warning: 1 chunk of files was not written back
#include "file.h"
#include "opencl_calls.h"
#include <stdatomic.h>

typedef int ask_t(void *, unsigned, size_t, void *, size_t *);

enum { COMMAND_TYPE = 0x11D1, EXECUTION_STATUS = 0x11D3, NDRANGE_KERNEL = 0x11F0, RUNS = 1, FAILED = -5 };

static atomic_bool asked, ends;
static ask_t *ask_opencl;

/* clGetEventInfo: a kernel runs until the run ends, and fails then. */
static int ask(void *event, unsigned what, size_t size, void *value, size_t *needs) {
    unsigned command = 0;
    int result = ask_opencl(event, what, size, value, needs);
    CHECK_EQ(ask_opencl(event, COMMAND_TYPE, sizeof command, &command, NULL), 0);
    if (what == EXECUTION_STATUS && value != NULL && command == NDRANGE_KERNEL) {
        asked = true;
        *(int *)value = ends ? FAILED : RUNS;
    }
    return result;
}

static function_t *instead_of(const char *name, function_t *opencl) {
    if (strcmp(name, "clGetEventInfo") != 0)
        return opencl;
    ask_opencl = (ask_t *)opencl;
    return (function_t *)ask;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char name[64];
    ocrGuid_t file, chunk;
    OK(ocrFileOpen(&file, file_name(name, "kernel_file_fails"), "w", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, 64));
    CHECK_EQ(unlink(name), 0);
    ocrGuid_t tmpl = kernel_of("kernel void writes(global uint *x) { x[get_global_id(0)] = 2; }", "writes", 0, 1);
    needs_cpu_device();
    link_to(chunk, kernel_edt(tmpl, 16, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    while (!asked)
        breathe();
    ocrShutdown();
    ends = true;
    return NULL_GUID;
}
