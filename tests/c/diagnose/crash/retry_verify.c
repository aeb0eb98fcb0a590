// In verification mode (OCR_RETRY=verify) an EDT runs twice, and the first time is undone: what it prints, creates and
// writes is there once. One that changes a global variable runs once, and so does one that makes
// a call which cannot be held. Functions are bound early: late, the loader changes the program's variables. Sanitizers
// lay guards between these, which are read, too.
//
// clause: crash
// env: OCR_RETRY=verify
// env: LD_BIND_NOW=1
// workers: 1
// needs: signals
// stdout-lines: 1 writes
// stderr: ocr: note: OCR_RETRY=verify: 2 EDTs ran twice, the first time undone; 1 attempt could not be undone.
#include "check.h"

#include <extensions/ocr-labeling.h>

static u32 changed;

/* Counts how often it is called where no attempt can undo it: in the descriptor of a file. */
static int called;

static ocrGuid_t changes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(number_in(depv[0]), 8);
    changed++;
    CHECK_EQ(changed, 1);
    CHECK_EQ(lseek(called, 0, SEEK_CUR), 2);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrPrintf("writes\n");
    CHECK_EQ(write(called, "x", 1), 1);
    *(u64 *)depv[0].ptr += 1;
    spawn(changes, 0, NULL, 1, &depv[0].guid);
    return NULL_GUID;
}

static ocrGuid_t opens(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY));
    OK(ocrGuidMapDestroy(range));
    ocrGuid_t block = block_with(7);
    spawn(writes, 0, NULL, 1, &block);
    return NULL_GUID;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    spawn(opens, 0, NULL, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    FILE *file = tmpfile();
    CHECK(file != NULL);
    called = fileno(file);
    spawn(goes_on, 0, NULL, 0, NULL);
    return NULL_GUID;
}
