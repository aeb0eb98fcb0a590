/*
 * A program hangs that has run a kernel and has a thread that waits indefinitely: the handlers of signals that OpenCL
 * has installed are not the program's.
 */
// clause: hang
// status: nonzero
// needs: opencl
// needs: halt
// stderr: the program hangs: every thread of the process waits for another one to wake it
// stderr: (late) waits on

#include "check.h"
#include <extensions/ocr-opencl.h>

#include <pthread.h>

static const char source[] = "kernel void increment(global ulong *x) { x[0] += 1; }";

static void *wait_for_work(void *unused) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&changed, &mutex);
    return unused;
}

static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the event is not satisfied");
    return NULL_GUID;
}

static ocrGuid_t ran(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    pthread_t thread;
    CHECK_EQ(*(u64 *)depv[0].ptr, 2);
    CHECK_EQ(pthread_create(&thread, NULL, wait_for_work, NULL), 0);
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T);
    spawn(late, 0, NULL, 1, &event);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, done = event_of(OCR_EVENT_STICKY_T), block = block_with(1), slots[] = {block, done}, edt;
    size_t one = 1;
    spawn(ran, 0, NULL, 2, slots);
    OK(ocrOpenclTemplateCreate(&tmpl, source, NULL, "increment", 0, 1, NULL));
    OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &one, NULL, 0, NULL, 1, &block, EDT_PROP_OEVT_VALID, NULL_GUID, &done));
    return NULL_GUID;
}
