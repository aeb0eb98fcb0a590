// Blocks in RW mode under OCR_RETRY: an EDT that runs as an attempt has them for itself, and one that crashes once
// leaves no trace in them. An EDT that waits for another in a call is open from then on, and does not keep a block from
// it.
//
// clause: crash
// env: OCR_RETRY=1
// stderr: ocr: note: OCR_RETRY: 10 attempts crashed and were undone; 10 EDTs ended well after that.
// needs: signals
#include "crash.h"

#include <extensions/ocr-legacy.h>

#define ADDERS 50

static u32 begun[ADDERS];

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    /* Another attempt has the block only when this one has ended, so nothing is lost. */
    volatile u64 *sum = depv[0].ptr;
    *sum += 1;
    if (paramv[0] % 5 == 0 && ++begun[paramv[0]] == 1)
        of_null((ocrEdtDep_t[2]){{.ptr = NULL}, {.ptr = NULL}});
    return NULL_GUID;
}

/* Adds one by another EDT, for which it waits while it holds the block in RW mode itself. */
static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 none = 1;
    ocrGuid_t output, tmpl = template_of(adds, 1, 2), edt = edt_of(tmpl, 1, &none, 2, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t sticky = event_of(OCR_EVENT_STICKY_T);
    link_to(output, sticky, 0, DB_MODE_NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    OK(ocrLegacyBlockProgress(sticky, NULL, NULL, NULL, LEGACY_PROP_NONE));
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), ADDERS + 1);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = spawn(looks, 0, NULL, 2, NULL), block = block_with(0), output, last = NULL_GUID;
    ocrGuid_t tmpl = template_of(adds, 1, 2), waiter = template_of(waits, 0, 2);
    for (u64 at = 0; at <= ADDERS; at++) {
        const bool is_last = at == ADDERS;
        ocrGuid_t edt = is_last ? edt_of(waiter, 0, NULL, 2, NULL, EDT_PROP_NONE, &output)
                                : edt_of(tmpl, 1, &at, 2, NULL, EDT_PROP_NONE, &output);
        ocrGuid_t ended = event_of(OCR_EVENT_STICKY_T);
        link_to(output, ended, 0, DB_MODE_NULL);
        link_to(last, edt, 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RW);
        last = ended;
    }
    link_to(last, end, 1, DB_MODE_NULL);
    link_to(block, end, 0, DB_MODE_CONST);
    return NULL_GUID;
}
