/*
 * EDTs of ocrOpenclTaskCreate on labeled GUIDs: dependences on the label wait for the EDT, there is one at a time, and
 * no object of another kind.
 */
// clause: B.2.3 ocr-opencl.h
// needs: opencl
#include "kernel.h"

#include <extensions/ocr-labeling.h>

static const char *source = "__kernel void adds(__global int *words) { words[get_global_id(0)] += 1; }\n";

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < 4; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], i + 1);
    ocrShutdown();
    return NULL_GUID;
}

static u8 create(ocrGuid_t *guid, ocrGuid_t tmpl, u16 properties, ocrGuid_t *output) {
    const size_t items = 4;
    return ocrOpenclTaskCreate(guid, tmpl, 1, NULL, &items, NULL, 0, NULL, 2, NULL, properties, NULL_GUID, output);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edts, events, guid, output, label, of_events;
    OK(ocrGuidRangeCreate(&edts, 1, GUID_USER_EDT));
    OK(ocrGuidRangeCreate(&events, 1, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, edts, 0));
    OK(ocrGuidFromIndex(&of_events, events, 0));

    const ocrGuid_t tmpl = kernel_of(source, "adds", 0, 2), block = words_block(4, 0, 1);
    const ocrGuid_t last = spawn(ends, 0, NULL, 2, NULL);
    /* Before there is an EDT. */
    link_to(block, label, 0, DB_MODE_RW);
    guid = of_events;
    REFUSED(OCR_EINVAL, create(&guid, tmpl, GUID_PROP_IS_LABELED, &output));
    CHECK(ocrGuidIsEq(guid, of_events));
    const ocrGuid_t hold = event_of(OCR_EVENT_STICKY_T);
    link_to(hold, label, 1, DB_MODE_NULL);
    guid = label;
    OK(create(&guid, tmpl, GUID_PROP_CHECK, &output));
    CHECK(ocrGuidIsEq(guid, label));
    link_to(output, last, 1, DB_MODE_NULL);
    link_to(block, last, 0, DB_MODE_CONST);
    /* It has not run yet. */
    output = of_events;
    REFUSED(OCR_EGUIDEXISTS, create(&guid, tmpl, GUID_PROP_CHECK, &output));
    REFUSED(OCR_EGUIDEXISTS, create(&guid, tmpl, GUID_PROP_IS_LABELED, &output));
    CHECK(ocrGuidIsEq(guid, label));
    CHECK(ocrGuidIsEq(output, of_events));
    OK(ocrEventSatisfy(hold, NULL_GUID));
    return NULL_GUID;
}
