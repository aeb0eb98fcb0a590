/*
 * A wavefront of 200 by 200 EDTs: each cell needs the one above and the one to the left, through
 * their output events. The numbers are lattice paths modulo a prime, so one missed dependence shows.
 */
// clause: application
#include "check.h"

enum { SIDE = 200 };
#define PRIME 1000000007u

static ocrGuid_t cell(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    u64 value = 0;
    for (int i = 0; i < 2; i++) {
        if (!ocrGuidIsNull(depv[i].guid)) {
            value += number_in(depv[i]);
        }
    }
    *(u64 *)addr = paramv[0] == 0 && paramv[1] == 0 ? 1 : value % PRIME;
    return block;
}

static ocrGuid_t corner(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    static u64 row[SIDE];
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            row[j] = i == 0 || j == 0 ? 1 : (row[j] + row[j - 1]) % PRIME;
        }
    }
    CHECK_EQ(number_in(depv[0]), row[SIDE - 1]);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static ocrGuid_t above[SIDE];
    ocrGuid_t tmpl = template_of(cell, 2, 3), start = event_of(OCR_EVENT_STICKY_T), output = NULL_GUID;
    for (u64 i = 0; i < SIDE; i++) {
        ocrGuid_t left = NULL_GUID;
        for (u64 j = 0; j < SIDE; j++) {
            u64 args[] = {i, j};
            ocrGuid_t slots[] = {i == 0 ? NULL_GUID : above[j], left, i + j == 0 ? start : NULL_GUID};
            edt_of(tmpl, 2, args, 3, slots, EDT_PROP_NONE, &output);
            /* Both neighbours connect to it before it can run: a sticky one in between. */
            left = event_of(OCR_EVENT_STICKY_T);
            link_to(output, left, 0, DB_MODE_NULL);
            above[j] = left;
        }
        output = left;
    }
    ocrGuid_t last = spawn(corner, 0, NULL, 1, NULL);
    link_to(output, last, 0, DB_MODE_CONST);
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}
