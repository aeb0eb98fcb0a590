/* Functions of OCR-Vx that this runtime does not have say so, and touch nothing. */
#include "check.h"
#include <extensions/ocr-file.h>
#include <extensions/ocr-map-creator.h>

static void creates(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    CHECK(!"a map was made");
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(5), event = event_of(OCR_EVENT_STICKY_T), out = block;
    REFUSED(OCR_ENOTSUP, ocrFileOpen(&out, "/dev/null", "rb", &out, 0));
    REFUSED(OCR_ENOTSUP, ocrFileGetChunk(&out, event, 0, 1));
    REFUSED(OCR_ENOTSUP, ocrFileRelease(event));
    CHECK(ocrGuidIsError(ocrFileGetGuid(NULL)));
    CHECK_EQ(ocrFileGetSize(NULL), 0);

    REFUSED(OCR_ENOTSUP, ocrMapCreate(&out, 1, creates, 0, NULL, 0, NULL));
    REFUSED(OCR_ENOTSUP, ocrMapGet(&out, event, 0));
    REFUSED(OCR_ENOTSUP, ocrMapDestroy(event));
    CHECK(ocrGuidIsEq(out, block));
    CHECK_EQ(ocrGetIdType(event), OCR_ID_GUID);
    OK(ocrGetGuid(&out, event));
    CHECK(ocrGuidIsEq(out, event));
    REFUSED(OCR_EINVAL, ocrGetGuid(NULL, event));
    ocrShutdown();
    return NULL_GUID;
}
