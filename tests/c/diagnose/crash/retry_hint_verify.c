// In verification mode (OCR_RETRY=verify) an EDT with OCR_HINT_EDT_RETRY 0 runs once. It counts that in the descriptor
// of a file, which no attempt undoes. With another value an EDT runs twice, as without the hint.
//
// clause: ocr-hints.h crash
// env: OCR_RETRY=verify
// env: LD_BIND_NOW=1
// workers: 1
// needs: signals
#include "check.h"

static int called;

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(write(called, "x", 1), 1);
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(lseek(called, 0, SEEK_CUR), paramv[0]);
    return NULL_GUID;
}

/* An EDT that writes, with a hint or without one, and behind it one that looks at how often `writes` has run by now. */
static ocrGuid_t writer(ocrGuid_t before, const u64 *times, u64 by_now) {
    ocrGuid_t tmpl = template_of(writes, 0, 1), edt, output, seen;
    ocrHint_t hint;
    if (times != NULL) {
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_RETRY, *times));
        OK(ocrSetHint(tmpl, &hint));
    }
    edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    ocrGuid_t look = spawn_with(looks, 1, &by_now, 1, NULL, EDT_PROP_NONE, &seen);
    link_to(output, look, 0, DB_MODE_NULL);
    link_to(before, edt, 0, DB_MODE_NULL);
    return seen;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    FILE *file = tmpfile();
    CHECK(file != NULL);
    called = fileno(file);
    const u64 never = 0, often = 5;
    ocrGuid_t end = end_after(1);
    ocrGuid_t last = writer(writer(writer(NULL_GUID, &never, 1), &often, 3), NULL, 5);
    link_to(last, end, 0, DB_MODE_NULL);
    return NULL_GUID;
}
