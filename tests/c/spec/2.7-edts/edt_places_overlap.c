// The places of the GUIDs that ocrEdtCreate writes may overlap with the arrays that it reads. A chain
// is built with one variable. By OCR 1.1.0, 2.7.3, values are copied in.
// clause: 2.7.3
// one-node: its EDTs share variables of the program
#include "check.h"

enum { LINKS = 1000 };

static int runs;

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)depc, (void)depv;
    CHECK(paramc == 1 && paramv[0] == (u64)runs);
    if (++runs == LINKS) {
        ocrShutdown();
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, start, event, edt;
    CHECK_EQ(ocrEdtTemplateCreate(&tmpl, step, 1, 1), 0);
    CHECK_EQ(ocrEventCreate(&start, OCR_EVENT_ONCE_T, EVT_PROP_NONE), 0);
    event = start;
    for (u64 i = 0; i < LINKS; ++i) {
        /* The event that the EDT waits for, and then the one that it satisfies. */
        CHECK_EQ(ocrEdtCreate(&edt, tmpl, 1, &i, 1, &event, EDT_PROP_NONE, NULL_HINT, &event), 0);
    }
    CHECK_EQ(ocrEventSatisfy(start, NULL_GUID), 0);
    return NULL_GUID;
}
