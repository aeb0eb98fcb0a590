// An EDT that crashes has the name of its function, though the program makes its templates in a function of its own,
// whose parameter's name ocrEdtTemplateCreate passes on. A process of its own crashes, with all its threads.
//
// clause: crash
// once: an EDT changes the environment of the process
// stderr: crashed with SIGSEGV at address 0x0
// stderr: the instruction is in uses, at 0x
// stderr: its function is uses
// stdout: printed before
// needs: signals
#include "crash.h"

static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrPrintf("printed before\n");
    *(volatile u64 *)depv[0].ptr = 1;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t nothing = NULL_GUID;
    if (getenv("CRASHES") == NULL)
        run_to_crash();
    else
        spawn(uses, 0, NULL, 1, &nothing);
    return NULL_GUID;
}
