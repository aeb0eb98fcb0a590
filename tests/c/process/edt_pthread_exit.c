/*
 * An EDT that ends its thread, not itself, would keep the program waiting indefinitely: the runtime says which.
 */
// clause: process
// status: 1
// stderr: (quits) has ended the worker that it ran on: it called pthread_exit
// stderr-without: hangs
#include "check.h"

#include <pthread.h>

static ocrGuid_t quits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    pthread_exit(NULL);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(quits, 0, NULL, 0, NULL);
    return NULL_GUID;
}
