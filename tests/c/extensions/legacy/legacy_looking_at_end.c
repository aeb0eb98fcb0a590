/*
 * A program with its own main, whose EDTs wait by ocrInformLegacyCodeBlocking when a run ends: ocrLegacyFinalize
 * returns though one looks for what never comes. One that looks for what a thread of the program does, after
 * ocrShutdown has ended its waiting in a call, runs to its end. All that again, ended by ocrAbort and by main, and
 * beside the threads that the first runs have left.
 */
// clause: ocr-legacy.h
// needs: halt
// stderr: (looks_in_vain): it waits with ocrInformLegacyCodeBlocking
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int looking, ended;
static atomic_bool never, cancelled;
static ocrGuid_t unsatisfied;

static void look_for(atomic_bool *flag) {
    OK(ocrInformLegacyCodeBlocking());
    atomic_fetch_add(&looking, 1);
    while (!atomic_load(flag))
        OK(ocrInformLegacyCodeBlocking());
}

static ocrGuid_t looks_in_vain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&never);
    CHECK(false);
    return NULL_GUID;
}

static ocrGuid_t looks_for_cancelled(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    look_for(&cancelled);
    atomic_fetch_add(&ended, 1);
    return NULL_GUID;
}

static void *waits(void *unused) {
    REFUSED(OCR_ECANCELED, ocrLegacyBlockProgress(unsatisfied, NULL, NULL, NULL, LEGACY_PROP_NONE));
    usleep(5000);
    atomic_store(&cancelled, true);
    return unused;
}

static ocrGuid_t shuts_down(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    while (atomic_load(&looking) != 2)
        OK(ocrInformLegacyCodeBlocking());
    if (paramv[0])
        ocrAbort((u8)paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    for (int run = 0; run < 4; run++) {
        u64 code = run == 1 ? 7 : 0;
        pthread_t thread;
        ocrGuid_t context, tmpl;
        atomic_store(&looking, 0);
        atomic_store(&ended, 0);
        atomic_store(&cancelled, false);
        ocrLegacyInit(&context, NULL);
        unsatisfied = event_of(OCR_EVENT_STICKY_T);
        CHECK_EQ(pthread_create(&thread, NULL, waits, NULL), 0);
        OK(ocrEdtTemplateCreate(&tmpl, looks_in_vain, 0, 0));
        edt_of(tmpl, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL);
        spawn(looks_for_cancelled, 0, NULL, 0, NULL);
        if (run < 3)
            spawn(shuts_down, 1, &code, 0, NULL);
        while (run == 3 && atomic_load(&looking) != 2)
            breathe();
        CHECK_EQ(ocrLegacyFinalize(context, run < 3), code);
        CHECK_EQ(atomic_load(&ended), 1);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    return 0;
}
