// A thread of the program satisfies an event that the program waits for. It is not accused of
// hanging meanwhile, and the runtime does not go away under the thread.
// clause: ocr-legacy.h
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static ocrGuid_t event;

static void *later(void *unused)
{
    usleep(50000);
    CHECK_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
    ocrGuid_t guid;
    /* Perhaps after the end: a status, and no crash. */
    for (int i = 0; i < 1000; ++i) {
        (void)ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
    }
    return unused;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, edt;
    CHECK_EQ(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE), 0);
    CHECK_EQ(ocrEdtTemplateCreate(&tmpl, last, 0, 1), 0);
    CHECK_EQ(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL), 0);
    pthread_t id;
    CHECK_EQ(pthread_create(&id, NULL, later, NULL), 0);
    CHECK_EQ(pthread_detach(id), 0);
    return NULL_GUID;
}
