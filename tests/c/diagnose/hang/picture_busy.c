/*
 * SIGUSR1 again and again while workers create, satisfy, block, destroy: the picture reads objects that
 * change under it. The results are right all the same, and pictures were printed.
 */
// clause: hang
// unordered: atomic additions to a block in mode RW
// stderr: ocr: note: after
// one-node: its EDTs share variables of the program
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_bool done;
static atomic_ullong ended;

static ocrGuid_t link_in_chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    /* Two chains share a block, which does not exclude them from each other in RW mode. */
    __atomic_fetch_add((u64 *)depv[0].ptr, 1, __ATOMIC_RELAXED);
    atomic_fetch_add(&ended, 1);
    if (paramv[0] == 0)
        return NULL_GUID;
    /* waits a moment for an event in front of an event, for the block, and in a finish scope of its own */
    u64 left = paramv[0] - 1;
    ocrGuid_t before = event_of(OCR_EVENT_ONCE_T), event = event_of(OCR_EVENT_ONCE_T);
    ocrGuid_t edt = spawn_with(link_in_chain, 1, &left, 2, NULL, left % 3 ? EDT_PROP_NONE : EDT_PROP_FINISH, NULL);
    link_to(before, event, 0, DB_MODE_NULL);
    link_to(before, event_of(OCR_EVENT_STICKY_T), 0, DB_MODE_NULL);
    link_to(event, edt, 1, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, left % 2 ? DB_MODE_EW : DB_MODE_RW);
    OK(ocrEventSatisfy(before, NULL_GUID));
    return NULL_GUID;
}

static ocrGuid_t chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 length = paramv[0];
    ocrGuid_t edt = spawn_with(link_in_chain, 1, &length, 2, NULL, EDT_PROP_NONE, NULL);
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&ended), paramv[0]);
    atomic_store(&done, true);
    /* Where all that was over at once, there is time for one picture. */
    OK(kill(getpid(), SIGUSR1));
    usleep(300000);
    ocrShutdown();
    return NULL_GUID;
}

static void *asks(void *unused) {
    while (!atomic_load(&done)) {
        OK(kill(getpid(), SIGUSR1));
        struct timespec nap = {0, 2000000};
        nanosleep(&nap, NULL);
    }
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 length = scaled(20000), want = 4 * (length + 1);
    ocrGuid_t outputs[4], block[2] = {block_with(0), block_with(0)};
    pthread_t id;
    OK(pthread_create(&id, NULL, asks, NULL));
    OK(pthread_detach(id));
    ocrGuid_t gate = event_of(OCR_EVENT_STICKY_T);
    for (int n = 0; n < 4; n++) {
        ocrGuid_t slots[] = {block[n / 2], gate};
        spawn_with(chain, 1, &length, 2, slots, EDT_PROP_FINISH, &outputs[n]);
    }
    spawn(ends, 1, &want, 4, outputs);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
