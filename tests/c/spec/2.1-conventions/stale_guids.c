/*
 * GUIDs of objects that are gone, used after thousands of others were made in their place: a code,
 * never a success, and no harm to those others. Events that are gone are not remembered.
 */
// clause: 2.1 1.4
// unordered: dependences on events that are gone are asked for, and refused
// deviates: 1.4 2.1
// env: OCR_GONE_EVENTS=0
// one-node: its EDTs share variables of the program
#include "check.h"

enum { OLD = 200, NEW = 2000 };
/* GUIDs of one round, kept outside of data blocks: what is tested is that they mean nothing. */
static ocrGuid_t s_old[6][OLD];

static ocrGuid_t quick(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t expects(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    CHECK_EQ(number_in(depv[1]), paramv[0]);
    return NULL_GUID;
}

static ocrGuid_t makes_and_tries(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static ocrGuid_t edts[NEW], events[NEW], blocks[NEW], templates[NEW];
    for (u64 i = 0; i < NEW; i++) {
        templates[i] = template_of(expects, 1, 2);
        events[i] = event_of(i % 2 ? OCR_EVENT_ONCE_T : OCR_EVENT_STICKY_T);
        blocks[i] = block_with(i + 1);
        u64 value = i + 1;
        ocrGuid_t slots[] = {events[i], UNINITIALIZED_GUID};
        edts[i] = edt_of(templates[i], 1, &value, 2, slots, EDT_PROP_NONE, NULL);
    }
    for (int i = 0; i < OLD; i++) {
        ocrGuid_t guid;
        for (int kind = 0; kind < 6; kind++) {
            ocrGuid_t old = s_old[kind][i];
            REFUSED(OCR_EINVAL, ocrEventSatisfy(old, NULL_GUID));
            REFUSED(OCR_EINVAL, ocrEventSatisfySlot(old, blocks[i], 1));
            REFUSED(OCR_EINVAL, ocrEventDestroy(old));
            REFUSED(OCR_EINVAL, ocrEdtDestroy(old));
            REFUSED(OCR_EINVAL, ocrEdtTemplateDestroy(old));
            REFUSED(OCR_EINVAL, ocrDbRelease(old));
            /* Nothing there, or nothing that could be connected: OCR_EINVAL or OCR_EPERM. */
            CHECK(ocrAddDependence(old, edts[i], 1, DB_MODE_EW) != 0);
            CHECK(ocrAddDependence(blocks[i], old, 0, DB_MODE_EW) != 0);
            CHECK(ocrAddDependence(NULL_GUID, old, 0, DB_MODE_NULL) != 0);
            REFUSED(OCR_EINVAL, ocrEventSatisfy(events[i], old));
            REFUSED(OCR_EINVAL, ocrEdtCreate(&guid, old, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
            u8 code = ocrDbDestroy(old);
            CHECK(code == OCR_EINVAL || (kind == 5 && code == OCR_EPERM));
        }
    }
    for (u64 i = 0; i < NEW; i++) {
        OK(ocrEventSatisfy(events[i], blocks[i]));
        link_to(blocks[i], edts[i], 1, DB_MODE_RW);
        OK(ocrEdtTemplateDestroy(templates[i]));
    }
    return NULL_GUID;
}

static ocrGuid_t makes_old(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < OLD; i++) {
        void *addr;
        s_old[0][i] = spawn_with(quick, 0, NULL, 1, NULL, EDT_PROP_NONE, &s_old[1][i]);
        link_to(NULL_GUID, s_old[0][i], 0, DB_MODE_NULL); /* the EDT and its output event */
        s_old[2][i] = event_of(OCR_EVENT_ONCE_T);
        OK(ocrEventSatisfy(s_old[2][i], NULL_GUID));
        s_old[3][i] = event_of(OCR_EVENT_STICKY_T);
        OK(ocrEventSatisfy(s_old[3][i], NULL_GUID));
        OK(ocrEventDestroy(s_old[3][i]));
        s_old[4][i] = template_of(quick, 0, 0);
        OK(ocrEdtTemplateDestroy(s_old[4][i]));
        s_old[5][i] = block_of(24, &addr);
        OK(ocrDbDestroy(s_old[5][i]));
    }
    return NULL_GUID;
}

static ocrGuid_t rounds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 round = paramv[0] + 1;
    if (round == 10) {
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(round % 2 ? makes_old : makes_and_tries, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(rounds, 1, &round, 1, &done);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 round = 0;
    ocrGuid_t slot = NULL_GUID;
    spawn(rounds, 1, &round, 1, &slot);
    return NULL_GUID;
}
