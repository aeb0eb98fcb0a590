/* The progress that EDTs report is added up, and reported at the end of the run. */
// clause: ocr-edt.h
// env: OCR_STATS=1
// stderr: the program reported a progress of 4950
// one-node: what is reported of node 1 is told there
#include "check.h"

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    OK(ocrProgressReport(paramv[0]));
    return NULL_GUID;
}

static ocrGuid_t steps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(step, 1, 0);
    for (u64 i = 0; i < 100; i++) {
        edt_of(tmpl, 1, &i, 0, NULL, EDT_PROP_NONE, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    REFUSED(OCR_ENOTSUP, ocrApplicationGroup(1));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, open = UNINITIALIZED_GUID;
    ocrGuid_t scope = spawn_with(steps, 0, NULL, 1, &open, EDT_PROP_FINISH, &done);
    spawn(end, 0, NULL, 1, &done);
    link_to(NULL_GUID, scope, 0, DB_MODE_NULL);
    return NULL_GUID;
}
