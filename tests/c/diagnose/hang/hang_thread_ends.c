// A program whose last thread of its own has ended without doing anything is found to hang.
//
// clause: hang
// status: nonzero
// stderr: hangs
// needs: halt
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static void *nothing(void *unused)
{
    usleep(200000);
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    pthread_t id;
    CHECK_EQ(pthread_create(&id, NULL, nothing, NULL), 0);
    CHECK_EQ(pthread_detach(id), 0);
    return NULL_GUID;
}
