/*
 * As many batches as the argument says, each of a thousand EDTs in a finish scope, one batch after the other: a long
 * recording of a program that needs little memory itself (docs/guide/src/runs/recordings.md).
 */
#include <ocr.h>

#include <stdlib.h>

static ocrGuid_t leaf, batch, next;

static ocrGuid_t leaf_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t batch_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < 1000; i++) {
        ocrGuid_t edt;
        ocrEdtCreate(&edt, leaf, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t next_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 left = paramv[0];
    if (left-- == 0) {
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t edt, end, after;
    ocrEdtCreate(&edt, batch, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &end);
    ocrEdtCreate(&after, next, 1, &left, 1, &end, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 batches = strtoull(getArgv(depv[0].ptr, 1), NULL, 10);
    ocrGuid_t edt, none = NULL_GUID;
    ocrEdtTemplateCreate(&leaf, leaf_edt, 0, 0);
    ocrEdtTemplateCreate(&batch, batch_edt, 0, 1);
    ocrEdtTemplateCreate(&next, next_edt, 1, 1);
    ocrEdtCreate(&edt, next, 1, &batches, 1, &none, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}
