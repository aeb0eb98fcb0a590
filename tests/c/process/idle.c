/* While there is no work but what a thread of the program may do, the runtime sleeps. */
// clause: process
// workers: 1 8
#include "check.h"
#include <pthread.h>
#include <time.h>

static void *idles(void *unused) {
    usleep(300000);
    const clock_t before = clock();
    usleep(1000000);
    CHECK(clock() - before < CLOCKS_PER_SEC / 4);
    ocrShutdown();
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    pthread_t id;
    CHECK_EQ(pthread_create(&id, NULL, idles, NULL), 0);
    CHECK_EQ(pthread_detach(id), 0);
    return NULL_GUID;
}
