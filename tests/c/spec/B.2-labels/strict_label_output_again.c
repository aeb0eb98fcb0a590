/*
 * Strict mode: an EDT on a label satisfies an event of the program as it ends; who depends on that creates the next EDT
 * on the label, which the first has left by then.
 */
// clause: B.2.3
// env: OCR_CHECK=strict
// workers: 2 8
#include "check.h"
#include <stdatomic.h>
#include <extensions/ocr-labeling.h>

enum { TIMES = 50 * 97 };

static ocrGuid_t label, on_label, follower;
static atomic_bool began;

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    began = true;
    return NULL_GUID;
}

/* paramv: how many times yet, and the event of the last time. */
static ocrGuid_t follows(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t last, edt = label, event = event_of(OCR_EVENT_STICKY_T);
    memcpy(&last, &paramv[1], sizeof last);
    if (!ocrGuidIsNull(last))
        OK(ocrEventDestroy(last));
    if (paramv[0] == 0) {
        ocrShutdown();
        return NULL_GUID;
    }
    began = false;
    OK(ocrEdtCreate(&edt, on_label, 0, NULL, 0, NULL, GUID_PROP_IS_LABELED | EDT_PROP_OEVT_VALID, NULL_HINT, &event));
    u64 params[] = {paramv[0] - 1, 0};
    memcpy(&params[1], &event, sizeof event);
    edt = edt_of(follower, 2, params, 1, NULL, EDT_PROP_NONE, NULL);
    /* Mostly, the event triggers about now, on another worker. */
    for (int i = 0; !began && i < 100000; i++)
        ;
    for (volatile u64 i = paramv[0] % 97 * 8; i > 0; i--)
        ;
    link_to(event, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range, none = NULL_GUID;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EDT));
    OK(ocrGuidFromIndex(&label, range, 1));
    on_label = template_of(begins, 0, 0);
    follower = template_of(follows, 2, 1);
    u64 params[] = {scaled(TIMES), 0};
    memcpy(&params[1], &none, sizeof none);
    edt_of(follower, 2, params, 1, &none, EDT_PROP_NONE, NULL);
    return NULL_GUID;
}
