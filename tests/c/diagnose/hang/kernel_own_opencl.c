/* A program that has asked OpenCL for its devices itself, within an EDT: its hang is found beside OpenCL's threads. */
// clause: hang
// needs: opencl
// needs: halt
// workers: 2
// status: 1
// stderr: the program hangs
// stderr: (never) waits on
#include "own_opencl.h"

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ask_opencl();
    spawn(never, 0, NULL, 1, NULL);
    return NULL_GUID;
}
