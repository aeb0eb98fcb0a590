// An EDT that crashes each time runs as often as OCR_RETRY says, and the crash is reported then, with the number of
// attempts. A process of its own crashes, with all its threads. What the last attempt has printed by ocrPrintf is
// there.
//
// clause: crash
// env: OCR_RETRY=2
// stderr: (uses) crashed with SIGSEGV and is undone; attempt 2 of 3 follows (OCR_RETRY); the instruction is in uses
// stderr: (uses) crashed with SIGSEGV at address 0x0
// stderr: OCR_RETRY: the EDT does not run again, as this was attempt 3 of 3, and all have failed.
// stdout-lines: 1 printed before
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
    if (getenv("CRASHES") == NULL) {
        run_to_crash();
        return NULL_GUID;
    }
    ocrGuid_t tmpl;
    OK(ocrEdtTemplateCreate(&tmpl, uses, 0, 1));
    edt_of(tmpl, 0, NULL, 1, &nothing, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}
