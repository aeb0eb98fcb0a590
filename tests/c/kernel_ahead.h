/*
 * kernel_ahead.h - chains of kernels on the same blocks, in all modes: alone, beside host EDTs that want the
 * blocks too, with dependences without a block, and with host EDTs in between. WANT_AHEAD is how many
 * kernels of the first chain, which has nothing beside it, are enqueued behind the one they wait for.
 */
#include "kernel.h"

static const char *source =
    "__kernel void advance(uint k, __global uint *words) {\n"
    "    size_t i = get_global_id(0);\n"
    "    words[i] = words[i] * 3u + k;\n"
    "}\n"
    "__kernel void from(uint k, __global const uint *old, __global uint *words, __global uint *nothing) {\n"
    "    size_t i = get_global_id(0);\n"
    "    words[i] = old[i] * 3u + k;\n"
    "}\n"
    "__kernel void add(uint k, __global uint *words) { words[get_global_id(0)] += k; }\n";
enum { WORDS = 2000, FIRST = 20, STEPS = 90, ADDED = 1000 };

static ocrGuid_t advance, from, add, all_over;

static u32 after_steps(u32 word, u32 steps) {
    for (u32 k = 0; k < steps; k++) {
        word = word * 3u + k;
    }
    return word;
}

static ocrGuid_t no_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the policy is `device`");
    return NULL_GUID;
}

static ocrGuid_t variants(const char *kernel, u32 depc, u32 result) {
    ocrGuid_t tmpl = template_of(no_function, 1, depc);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, kernel, per_word, result));
    return tmpl;
}

/* Its parameter: how many steps there were. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], after_steps(i, (u32)paramv[0]));
    }
    return NULL_GUID;
}

/* An EDT that checks the block, and counts the latch of all that is to happen down. */
static void check_after(ocrGuid_t ended, ocrGuid_t block, u64 steps) {
    ocrGuid_t checked, check = spawn_with(checks, 1, &steps, 2, NULL, EDT_PROP_NONE, &checked);
    link_to(checked, all_over, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    link_to(block, check, 0, DB_MODE_RO);
    link_to(ended, check, 1, DB_MODE_NULL);
}

/* On one block, which each kernel gets from the one before, in two modes in turn. After each given number of steps a
 * host EDT does it, or a second EDT waits for the same event and only looks. */
static ocrGuid_t host_step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        u32 *word = (u32 *)depv[0].ptr + i;
        *word = *word * 3u + (u32)paramv[0];
    }
    return depv[0].guid;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK(depv[0].ptr != NULL);
    return NULL_GUID;
}

static void one_block(u32 steps, ocrDbAccessMode_t even, ocrDbAccessMode_t odd, u32 host_every, u32 look_every) {
    ocrGuid_t block = words_block(WORDS, 0, 1), first = NULL_GUID, output = NULL_GUID;
    ocrGuid_t host = template_of(host_step, 1, 1);
    for (u64 k = 0; k < steps; k++) {
        ocrGuid_t before = output;
        ocrGuid_t tmpl = host_every != 0 && k % host_every == 1 ? host : advance;
        ocrGuid_t edt = edt_of(tmpl, 1, &k, 1, NULL, EDT_PROP_NONE, &output);
        if (k == 0) {
            first = edt;
        } else {
            if (look_every != 0 && k % look_every == 0) {
                link_to(before, spawn(looks, 0, NULL, 1, NULL), 0, DB_MODE_RO);
            }
            link_to(before, edt, 0, k % 2 ? odd : even);
        }
    }
    check_after(output, block, steps);
    OK(ocrEdtTemplateDestroy(host));
    link_to(block, first, 0, even);
}

/* From one block to another and back. The EDTs have both from the start, and wait without a block. */
static void two_blocks(u32 steps, ocrDbAccessMode_t reads, ocrDbAccessMode_t writes) {
    ocrGuid_t blocks[] = {words_block(WORDS, 0, 1), words_block(WORDS, 7, 7)}, first = NULL_GUID, output = NULL_GUID;
    for (u64 k = 0; k < steps; k++) {
        ocrGuid_t before = output, edt = edt_of(from, 1, &k, 3, NULL, EDT_PROP_NONE, &output);
        link_to(blocks[k % 2], edt, 0, reads);
        link_to(blocks[(k + 1) % 2], edt, 1, writes);
        if (k == 0) {
            first = edt;
        } else {
            link_to(before, edt, 2, DB_MODE_NULL);
        }
    }
    check_after(output, blocks[steps % 2], steps);
    link_to(NULL_GUID, first, 2, DB_MODE_NULL);
}

/* Host EDTs want the block of a chain meanwhile: they are let in between two kernels, and each sees what whole
 * kernels have left. */
static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *words = depv[0].ptr, before = words[0];
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(words[i], before);
        words[i] += ADDED;
    }
    return NULL_GUID;
}

static ocrGuid_t sum_is(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]) & 0xffffffff, paramv[0]);
    return NULL_GUID;
}

static void contended(u32 steps, ocrDbAccessMode_t mode) {
    ocrGuid_t block = words_block(WORDS, 0, 0), first = NULL_GUID, output = NULL_GUID, ended, checked;
    u64 hosts = steps / 6, sum = steps + hosts * ADDED;
    ocrGuid_t check = spawn_with(sum_is, 1, &sum, (u32)(2 + hosts), NULL, EDT_PROP_NONE, &checked);
    link_to(checked, all_over, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    for (u64 k = 0; k < steps; k++) {
        u64 one = 1;
        ocrGuid_t before = output, edt = edt_of(add, 1, &one, 1, NULL, EDT_PROP_NONE, &output);
        if (k == 0) {
            first = edt;
        } else {
            link_to(before, edt, 0, mode);
        }
    }
    link_to(output, check, 1, DB_MODE_NULL);
    ocrGuid_t tmpl = template_of(adds, 0, 1);
    for (u64 i = 0; i < hosts; i++) {
        ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, check, (u32)(2 + i), DB_MODE_NULL);
        if (i == hosts / 2) {
            link_to(block, first, 0, mode);
        }
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    link_to(block, check, 0, DB_MODE_RO);
}
#define BESIDE 11

static ocrGuid_t beside(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrStats_t stats;
    OK(ocrStatsGet(&stats));
    CHECK_EQ(stats.kernelEdts, FIRST);
    CHECK_EQ(stats.kernelsAhead, WANT_AHEAD);
    for (int i = 1; i < BESIDE; i++) {
        OK(ocrEventSatisfySlot(all_over, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    }
    one_block(STEPS, DB_MODE_EW, DB_MODE_EW, 0, 0);
    one_block(STEPS, DB_MODE_RW, DB_MODE_EW, 0, 0);
    one_block(STEPS, DB_MODE_RW, DB_MODE_RW, 7, 0);
    one_block(STEPS, DB_MODE_EW, DB_MODE_RW, 0, 5);
    one_block(STEPS, DB_MODE_EW, DB_MODE_EW, 11, 3);
    two_blocks(STEPS, DB_MODE_CONST, DB_MODE_EW);
    two_blocks(STEPS, DB_MODE_CONST, DB_MODE_RW);
    two_blocks(STEPS, DB_MODE_RO, DB_MODE_RW);
    two_blocks(STEPS, DB_MODE_RO, DB_MODE_EW);
    contended(STEPS, DB_MODE_EW);
    contended(STEPS, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    advance = variants("advance", 1, 0);
    from = variants("from", 3, OCR_NO_RESULT);
    add = variants("add", 1, 0);
    ocrGuid_t first_over = event_of(OCR_EVENT_LATCH_T), second_over = event_of(OCR_EVENT_LATCH_T);
    OK(ocrEventSatisfySlot(first_over, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    OK(ocrEventSatisfySlot(second_over, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    ocrGuid_t next = spawn(beside, 0, NULL, 2, NULL);
    link_to(first_over, next, 0, DB_MODE_NULL);
    link_to(second_over, end_after(1), 0, DB_MODE_NULL);
    all_over = first_over;
    one_block(FIRST, DB_MODE_EW, DB_MODE_RW, 0, 0);
    all_over = second_over;
    link_to(NULL_GUID, next, 1, DB_MODE_NULL);
    return NULL_GUID;
}
