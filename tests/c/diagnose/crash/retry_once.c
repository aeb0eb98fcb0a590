// EDTs that crash the first time, each in another way, are undone and run again (OCR_RETRY): blocks in RW and in EW
// mode, the parameters and depv are as they were before. Each runs twice, and the results are those of EDTs that run
// once.
//
// clause: crash
// env: OCR_RETRY=2
// stderr: is undone; attempt 2 of 3 follows (OCR_RETRY)
// stderr: ocr: note: OCR_RETRY: 11 attempts crashed and were undone; 11 EDTs ended well after that.
// stderr-without: does not run again
// needs: signals
#include "crash.h"

#define WORDS 1000

static void nothing_there(ocrEdtDep_t depv[]) {
    (void)depv;
    void (*volatile function)(void) = NULL;
    function();
}

static void no_instruction(ocrEdtDep_t depv[]) {
    (void)depv;
    __builtin_trap();
}

static void copies_to_null(ocrEdtDep_t depv[]) {
    void *volatile to = NULL;
    memcpy(to, depv[0].ptr, (size_t)WORDS * 8);
}

static void measures_null(ocrEdtDep_t depv[]) {
    (void)depv;
    const char *volatile text = NULL;
    result = (int)strlen(text);
}

static void writes_to_null(ocrEdtDep_t depv[]) {
    (void)depv;
    *(volatile u64 *)(u64 *volatile)NULL = 1;
}

static void aborts(ocrEdtDep_t depv[]) {
    (void)depv;
    abort();
}

static void reads_a_constant(ocrEdtDep_t depv[]) {
    (void)depv;
    *(volatile char *)(char *)"constant" = 1;
}

/* A frame between, which is left, too. */
static __attribute__((noinline)) void callee(crash_t *how, ocrEdtDep_t depv[]) {
    volatile char some[256];
    some[zero] = 1;
    how(depv);
    result = some[zero];
}

static void in_callee(ocrEdtDep_t depv[]) { callee(writes_to_null, depv); }

static crash_t *const ways[] = {
    writes_to_null, division, nothing_there, no_instruction, copies_to_null,  measures_null,
    fails_assert,   aborts,   recursion,     in_callee,      reads_a_constant,
};
#define WAYS (sizeof ways / sizeof *ways)

/* How often each has begun. Not undone, as no global variable is. */
static u32 begun[WAYS];

static ocrGuid_t crashes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 2);
    CHECK_EQ(depc, 3);
    const u64 way = paramv[0];
    u64 *shared = depv[0].ptr, *own = depv[1].ptr;
    const u64 *read = depv[2].ptr;
    CHECK_EQ(paramv[1], 7);
    CHECK_EQ(depv[0].mode, DB_MODE_RW);
    for (u64 at = 0; at < WORDS; at++) {
        CHECK_EQ(shared[at], way + at);
        CHECK_EQ(own[at], at);
        shared[at] += 1;
        own[at] += read[0];
    }
    paramv[1] = 8;
    paramv[0] = 77;
    depv[1].ptr = NULL;
    if (++begun[way] == 1)
        ways[way](depv);
    return NULL_GUID;
}

/* All have ended: `depv` has the two blocks of each. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 3 * WAYS);
    for (u64 way = 0; way < WAYS; way++) {
        const u64 *shared = depv[2 * way].ptr, *own = depv[2 * way + 1].ptr;
        CHECK_EQ(begun[way], 2);
        for (u64 at = 0; at < WORDS; at++) {
            CHECK_EQ(shared[at], way + at + 1);
            CHECK_EQ(own[at], at + 5);
        }
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t numbers_from(u64 first) {
    void *start;
    ocrGuid_t block = block_of((u64)WORDS * 8, &start);
    for (u64 at = 0; at < WORDS; at++)
        ((u64 *)start)[at] = first + at;
    OK(ocrDbRelease(block));
    return block;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t end = spawn(looks, 0, NULL, 3 * WAYS, NULL), tmpl = template_of(crashes, 2, 3), read = block_with(5);
    for (u64 way = 0; way < WAYS; way++) {
        ocrGuid_t shared = numbers_from(way), own = numbers_from(0), output;
        u64 what[2] = {way, 7};
        ocrGuid_t edt = edt_of(tmpl, 2, what, 3, NULL, EDT_PROP_NONE, &output);
        link_to(output, end, (u32)(2 * WAYS + way), DB_MODE_NULL);
        link_to(shared, end, (u32)(2 * way), DB_MODE_CONST);
        link_to(own, end, (u32)(2 * way + 1), DB_MODE_CONST);
        link_to(shared, edt, 0, DB_MODE_RW);
        link_to(own, edt, 1, DB_MODE_EW);
        link_to(read, edt, 2, DB_MODE_CONST);
    }
    return NULL_GUID;
}
