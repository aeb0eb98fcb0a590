/*
 * A program starts threads while the devices are opened, and waits for what they do later. They do not count
 * as OpenCL's, so it is not accused of hanging, however few of them are left.
 */
// clause: hang
// needs: opencl
#include "kernel.h"
#include <pthread.h>
#include <stdatomic.h>

#define MOST 64

static const char source[] = "kernel void increment(global ulong *x) { x[0] += 1; }";

static atomic_bool opened;
static ocrGuid_t latch;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

/* Each lives longer than the one before. It wakes a worker, which looks whether the program hangs when it
 * sleeps again. */
static void *later(void *number) {
    while (!opened)
        usleep(1000);
    usleep(20000 + 5000 * (useconds_t)(u64)number);
    spawn(nothing, 0, NULL, 0, NULL);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return NULL;
}

/* Starts threads until the devices are open. */
static void *starts(void *unused) {
    for (u64 number = 0; !opened && number < MOST; number++) {
        pthread_t id;
        OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
        CHECK_EQ(pthread_create(&id, NULL, later, (void *)number), 0);
        CHECK_EQ(pthread_detach(id), 0);
        usleep(1000);
    }
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT));
    return unused;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    pthread_t id;
    latch = event_of(OCR_EVENT_LATCH_T);
    link_to(latch, end_after(1), 0, DB_MODE_NULL);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    CHECK_EQ(pthread_create(&id, NULL, starts, NULL), 0);
    CHECK_EQ(pthread_detach(id), 0);
    kernel_of(source, "increment", 0, 1);
    opened = true;
    return NULL_GUID;
}
