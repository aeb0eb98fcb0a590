/* One EDT of 100000 pre-slots: blocks, NULL_GUID, events, output events, satisfied from anywhere. */
// clause: 2.8.1
#include "check.h"

enum { GROUP = 1000 };

static u64 expected(u64 slot) {
    return slot % 4 == 1 ? 0 : slot + 1; /* slots 1, 5, ... are pure control */
}

static ocrGuid_t produces(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return block_with(paramv[0] + 1);
}

static ocrGuid_t satisfies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (u32 i = 1; i < paramc; i++) {
        ocrGuid_t event = ((ocrGuid_t *)paramv)[i];
        u64 slot = paramv[0] + 4 * (i - 1) + 2;
        OK(ocrEventSatisfy(event, block_with(slot + 1)));
    }
    return NULL_GUID;
}

static ocrGuid_t wide(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++) {
        if (expected(i) == 0) {
            CHECK(ocrGuidIsNull(depv[i].guid) && depv[i].ptr == NULL);
        } else {
            CHECK_EQ(number_in(depv[i]), expected(i));
        }
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 slots = small_run() ? 4 * GROUP : 100000;
    ocrGuid_t edt = spawn(wide, 0, NULL, slots, NULL), producer = template_of(produces, 1, 1);
    for (u64 group = 0; group < slots; group += GROUP) {
        u64 args[1 + GROUP / 4] = {group};
        for (u64 slot = group; slot < group + GROUP; slot++) {
            ocrGuid_t source, open = UNINITIALIZED_GUID, made;
            switch (slot % 4) {
            case 0: link_to(block_with(slot + 1), edt, (u32)slot, DB_MODE_RO); break;
            case 1: link_to(NULL_GUID, edt, (u32)slot, DB_MODE_RW); break;
            case 2:
                source = event_of(slot % 8 == 2 ? OCR_EVENT_ONCE_T : OCR_EVENT_STICKY_T);
                link_to(source, edt, (u32)slot, DB_MODE_CONST);
                args[1 + (slot - group) / 4] = *(u64 *)&source;
                break;
            case 3:
                made = edt_of(producer, 1, &slot, 1, &open, EDT_PROP_NONE, &source);
                link_to(source, edt, (u32)slot, DB_MODE_RW);
                link_to(NULL_GUID, made, 0, DB_MODE_NULL);
                break;
            }
        }
        spawn(satisfies, 1 + GROUP / 4, args, 0, NULL);
    }
    OK(ocrEdtTemplateDestroy(producer));
    return NULL_GUID;
}
