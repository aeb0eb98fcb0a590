// What is said of a kernel whose work-item has more private memory than the stack of OpenCL's thread that executes it. A
// process of its own crashes, with all its threads. The array is touched on each page from
// its end, where the stack begins: an interpreter, which keeps it elsewhere, is done soon.
//
// clause: crash ocr-opencl.h
// stderr: a thread of OpenCL, which executes kernels, crashed with SIGSEGV at address
// stderr: : its stack is full. What the work-items of a work-group keep may be there
// stderr: On devices are EDT
// stderr: (fills)
// stderr-without: index beyond a block
// needs: opencl
// needs: signals
#include "crash.h"
#include "kernel.h"

static const char *source = "__kernel void fills(__global int *a) {"
                            "    volatile int many[16 << 20];"
                            "    for (int i = (16 << 20) - 1; i >= 0; i -= 512)"
                            "        many[i] = a[i & 7];"
                            "    a[0] = many[a[1] & ((16 << 20) - 1)];"
                            "}\n";

static void check_crash(void) {
    int status;
    CHECK_EQ(setenv("CRASHES", "1", 1), 0);
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        execl("/proc/self/exe", "crashes", (char *)NULL);
        _exit(1);
    }
    CHECK_EQ(waitpid(other, &status, 0), other);
    if (!WIFSIGNALED(status))
        NOT_RUN("a kernel has so much private memory here, or is refused");
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
    ocrShutdown();
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("CRASHES") == NULL) {
        check_crash();
        return NULL_GUID;
    }
    ocrGuid_t ended;
    const ocrGuid_t edt = kernel_edt(kernel_of(source, "fills", 0, 1), 1, 0, NULL, 1, &ended);
    link_to(ended, end_after(1), 0, DB_MODE_NULL);
    link_to(words_block(16, 0, 0), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
