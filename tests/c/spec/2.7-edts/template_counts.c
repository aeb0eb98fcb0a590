/*
 * 2.7.1, 2.7.3: numbers of parameters and pre-slots: fixed in the template, left open there
 * (EDT_PARAM_UNK), taken from it (EDT_PARAM_DEF); a number that is not given is OCR_EINVAL.
 * Other numbers than the template's: edt_other_counts.c.
 */
// clause: 2.7.1 2.7.3
#include "check.h"

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    u64 *seen = (u64 *)depv[0].ptr;
    CHECK_EQ(paramc, 2);
    CHECK_EQ(depc, 3);
    CHECK_EQ(paramv[0] + paramv[1], 30);
    CHECK(ocrGuidIsNull(depv[1].guid) && ocrGuidIsNull(depv[2].guid));
    *seen += 1;
    return NULL_GUID;
}

static ocrGuid_t no_params(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramv, (void)depv;
    CHECK_EQ(paramc, 0);
    CHECK_EQ(depc, 0);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const u32 unk = EDT_PARAM_UNK, def = EDT_PARAM_DEF;
    struct {
        u32 template_paramc, template_depc, paramc, depc;
        u8 want;
    } cases[] = {
        {2, 3, 2, 3, 0},           {2, 3, def, def, 0},         {2, 3, def, 3, 0},           {2, 3, 2, def, 0},
        {unk, unk, 2, 3, 0},       {unk, 3, 2, def, 0},         {2, unk, def, 3, 0},
        {2, 3, unk, 3, OCR_EINVAL}, {2, 3, 2, unk, OCR_EINVAL}, {unk, 3, def, 3, OCR_EINVAL},
        {2, unk, 2, def, OCR_EINVAL},
        {unk, unk, unk, unk, OCR_EINVAL}, {unk, unk, def, def, OCR_EINVAL}, {unk, 3, unk, 3, OCR_EINVAL},
        {2, unk, 2, unk, OCR_EINVAL},
    };
    ocrGuid_t counter = ((ocrGuid_t *)paramv)[0];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ocrGuid_t tmpl = template_of(checks, cases[i].template_paramc, cases[i].template_depc), edt;
        u64 values[] = {10, 20, 0, 0};
        ocrGuid_t slots[] = {UNINITIALIZED_GUID, NULL_GUID, NULL_GUID, NULL_GUID};
        u64 *params = cases[i].paramc == 0 ? NULL : values;
        CHECK_EQ(ocrEdtCreate(&edt, tmpl, cases[i].paramc, params, cases[i].depc, slots, EDT_PROP_NONE, NULL_HINT,
                              NULL),
                 cases[i].want);
        if (cases[i].want == 0) {
            link_to(counter, edt, 0, DB_MODE_EW);
        }
        OK(ocrEdtTemplateDestroy(tmpl));
    }
    /* None of either: fixed, default, open. */
    ocrGuid_t fixed = template_of(no_params, 0, 0), open = template_of(no_params, unk, unk), edt;
    OK(ocrEdtCreate(&edt, fixed, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtCreate(&edt, fixed, def, NULL, def, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtCreate(&edt, open, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    OK(ocrEdtTemplateDestroy(fixed));
    OK(ocrEdtTemplateDestroy(open));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[1]), 7);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t counter = block_with(0), done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(all, 1, (u64 *)&counter, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[] = {done, counter};
    spawn(ends, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
