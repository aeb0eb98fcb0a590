/*
 * SIGUSR1 while EDTs whose pre-slots have memory of their own wait for a block, run and end: the picture looks at
 * pre-slots, and memory that was given back is not mapped any more.
 */
// clause: hang
// stderr: ocr: note: after
// one-node: its EDTs share variables of the program
#include "check.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { SLOTS = 20000 };

static atomic_bool done;
static pthread_t asker;

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr += 1;
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(*(u64 *)depv[0].ptr, paramv[0]);
    atomic_store(&done, true);
    OK(pthread_join(asker, NULL)); /* no handler catches the signal when the run has ended */
    ocrShutdown();
    return NULL_GUID;
}

static void *asks(void *unused) {
    while (!atomic_load(&done)) {
        OK(kill(getpid(), SIGUSR1));
        struct timespec nap = {0, 200000};
        nanosleep(&nap, NULL);
    }
    return unused;
}

static ocrGuid_t makes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    ocrGuid_t tmpl = template_of(adds, 0, SLOTS);
    ocrGuid_t *slots = malloc(SLOTS * sizeof *slots);
    CHECK(slots != NULL);
    slots[0] = UNINITIALIZED_GUID;
    for (int n = 1; n < SLOTS; n++)
        slots[n] = NULL_GUID;
    for (u64 n = 0; n < paramv[0]; n++)
        link_to(depv[0].guid, edt_of(tmpl, 0, NULL, SLOTS, slots, EDT_PROP_NONE, NULL), 0, DB_MODE_EW);
    free(slots);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = 200, rounds = small_run() ? 1 : 5, want = count * rounds;
    /* memory of this size is then always given back to the system at once, by the allocators that know this */
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    OK(pthread_create(&asker, NULL, asks, NULL));
    ocrGuid_t block = block_with(0), before = NULL_GUID;
    for (u64 n = 0; n < rounds; n++) {
        ocrGuid_t output, edt = spawn_with(makes, 1, &count, 2, NULL, EDT_PROP_FINISH, &output);
        ocrGuid_t after = event_of(OCR_EVENT_STICKY_T);
        link_to(output, after, 0, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RO);
        link_to(before, edt, 1, DB_MODE_NULL);
        before = after;
    }
    ocrGuid_t end = spawn(ends, 1, &want, 2, NULL);
    link_to(block, end, 0, DB_MODE_RO);
    link_to(before, end, 1, DB_MODE_NULL);
    return NULL_GUID;
}
