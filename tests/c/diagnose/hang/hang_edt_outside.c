// EDTs that wait indefinitely in functions that are none of the runtime's are found and named, and so are EDTs
// that are ready, but which no worker is left to run.
//
// clause: hang
// once: an EDT lets another run, and waits for it outside of the runtime
// status: nonzero
// stderr: the program hangs: every thread of the process waits for another one to wake it
// stderr: (wait_for_other), which waits outside of the runtime
// stderr: 1 EDT is ready, and the workers that would run what is ready wait so
// needs: halt
// workers: 2
#include "check.h"

#include "extensions/ocr-runtime-itf.h"
#include <semaphore.h>

static sem_t told;

static ocrGuid_t tell_other(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    sem_post(&told);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t wait_for_other(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    // The others wait already, or will.
    if (paramv[0])
        spawn(tell_other, 0, NULL, 0, NULL);
    sem_wait(&told);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(sem_init(&told, 0, 0), 0);
    u64 workers = ocrNbWorkers();
    for (u64 i = 0; i < workers; ++i) {
        u64 last = i == workers - 1;
        spawn(wait_for_other, 1, &last, 0, NULL);
    }
    return NULL_GUID;
}
