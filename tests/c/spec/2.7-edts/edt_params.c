/*
 * 2.7.3: parameters are copied by the call, however they are given: an array, the address of a GUID,
 * an array of GUIDs, a struct, a piece of a data block; many of them; an EDT without a GUID.
 */
// clause: 2.7.3
#include "check.h"

typedef struct {
    u64 rows, columns;
    ocrGuid_t block;
    double scale;
    s64 offset;
} params_t;

enum { MANY = 5000 };

static ocrGuid_t takes_struct(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const params_t *params = (const params_t *)paramv;
    CHECK_EQ(paramc, sizeof(params_t) / sizeof(u64));
    CHECK_EQ(depc, 1);
    CHECK_EQ(params->rows * 10 + params->columns, 34);
    CHECK(ocrGuidIsEq(params->block, depv[0].guid));
    CHECK(params->scale == 0.125);
    CHECK_EQ(params->offset, -9);
    return NULL_GUID;
}

static ocrGuid_t takes_guids(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const ocrGuid_t *guids = (const ocrGuid_t *)paramv;
    CHECK_EQ(paramc, depc);
    for (u32 i = 0; i < paramc; i++) {
        CHECK(ocrGuidIsEq(guids[i], depv[i].guid));
    }
    return NULL_GUID;
}

static ocrGuid_t takes_many(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (u32 i = 0; i < paramc; i++) {
        CHECK_EQ(paramv[i], 3 * i + paramc);
        paramv[i] = 0; /* the EDT's own copy */
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edt, guids[] = {block_with(1), block_with(2), block_with(3)};
    params_t params = {3, 4, guids[0], 0.125, -9};
    edt = spawn(takes_struct, sizeof params / sizeof(u64), (u64 *)&params, 1, NULL);
    ocrGuid_t block = params.block;
    memset(&params, 0xee, sizeof params); /* copied: this changes nothing */
    link_to(block, edt, 0, DB_MODE_RO);

    edt = spawn(takes_guids, 1, (u64 *)&guids[2], 1, NULL);
    link_to(guids[2], edt, 0, DB_MODE_CONST);
    spawn(takes_guids, 3, (u64 *)guids, 3, guids);

    static const u32 counts[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000, MANY};
    ocrGuid_t tmpl = template_of(takes_many, EDT_PARAM_UNK, 0);
    void *addr;
    block = block_of(MANY * sizeof(u64), &addr);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        for (u32 i = 0; i < counts[k]; i++) {
            ((u64 *)addr)[i] = 3 * i + counts[k];
        }
        edt_of(tmpl, counts[k], (u64 *)addr, 0, NULL, EDT_PROP_NONE, NULL);
        OK(ocrEdtCreate(NULL, tmpl, counts[k], (u64 *)addr, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    }
    OK(ocrDbDestroy(block));
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, hold = UNINITIALIZED_GUID, edt = spawn_with(all, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, end_after(1), 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
