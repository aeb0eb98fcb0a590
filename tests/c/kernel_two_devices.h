/*
 * kernel_two_devices.h - a chain of kernels writes blocks, each on another device than the one before or all on one,
 * while kernels in mode RO read them on each device, and functions on the host, ordered by nothing: each finds a
 * content that the block had, no older than the last write that it comes behind. What each writer finds is exact.
 */
#include "kernel.h"
#include <extensions/ocr-affinity.h>

enum { WORDS = 64, STEPS = 120, MOST = 8 };

static const char *source =
    /* the writers: slot 0 is the block */
    "kernel void inc(ulong step, global uint *words) {\n"
    "    if (words[get_global_id(0)] != step) words[get_global_id(0)] = 1000000;\n"
    "    words[get_global_id(0)]++;\n"
    "}\n"
    /* the readers: whether each word is from step `least` or later, and none is from nowhere */
    "kernel void looks(ulong least, ulong most, global const uint *words, global uint *wrong) {\n"
    "    wrong[0] = 0;\n"
    "    for (uint i = 0; i < 64; i++) if (words[i] < least || words[i] > most) wrong[0] = words[i] + 1;\n"
    "}\n";

static ocrGuid_t s_devices[MOST], s_inc, s_looks;
static u64 s_count = MOST;

static ocrGuid_t checks_look(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 0);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        u32 word = ((volatile u32 *)depv[0].ptr)[i];
        CHECK(word >= paramv[0] && word <= paramv[1]);
    }
    return NULL_GUID;
}

static ocrGuid_t inc(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], paramv[0]);
        ((u32 *)depv[0].ptr)[i]++;
    }
    return NULL_GUID;
}

static ocrGuid_t checks_end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], STEPS);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t kernel_at(u64 device, ocrGuid_t tmpl, size_t items, u32 paramc, u64 *paramv, u32 depc,
                           ocrGuid_t *output) {
    ocrGuid_t edt;
    OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &items, NULL, paramc, paramv, depc, NULL, EDT_PROP_NONE,
                           s_devices[device % s_count], output));
    return edt;
}

/* Somebody reads the block in mode RO, behind an event if there is one. */
static void look(u64 where, ocrGuid_t block, ocrGuid_t behind, u64 least) {
    u64 params[] = {least, STEPS};
    if (where == s_count) {
        ocrGuid_t edt = spawn(looks, 2, params, 2, NULL);
        link_to(behind, edt, 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RO);
        return;
    }
    ocrGuid_t wrong = bare_block(sizeof(u32)), done, check = spawn(checks_look, 0, NULL, 2, NULL);
    ocrGuid_t edt = kernel_at(where, s_looks, 1, 2, params, 3, &done);
    link_to(done, check, 1, DB_MODE_NULL);
    link_to(wrong, check, 0, DB_MODE_CONST);
    link_to(wrong, edt, 1, DB_MODE_EW);
    link_to(behind, edt, 2, DB_MODE_NULL);
    link_to(block, edt, 0, DB_MODE_RO);
}

/* paramv: which block, by which the chain differs. */
static ocrGuid_t chain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static const ocrDbAccessMode_t modes[] = {DB_MODE_EW, DB_MODE_RW};
    ocrGuid_t block = words_block(WORDS, 0, 0), last = spawn(checks_end, 0, NULL, 2, NULL);
    ocrGuid_t gate = event_of(OCR_EVENT_STICKY_T), before = gate;
    for (u64 step = 0; step < STEPS; step++) {
        /* on the last device; on each in turn; on each and the host; the host's and the last's */
        u64 where = paramv[0] == 0   ? s_count - 1
                    : paramv[0] == 1 ? step
                    : paramv[0] == 2 ? step % (s_count + 1)
                                     : (step % 3 ? s_count : s_count - 1);
        ocrGuid_t done, ended = event_of(OCR_EVENT_STICKY_T);
        ocrGuid_t edt = paramv[0] >= 2 && where == s_count ? spawn_with(inc, 1, &step, 2, NULL, EDT_PROP_NONE, &done)
                                                           : kernel_at(where, s_inc, WORDS, 1, &step, 2, &done);
        link_to(done, ended, 0, DB_MODE_NULL);
        link_to(block, edt, 0, modes[step / 8 % 2]);
        for (u64 reader = 0; reader <= s_count; reader++)
            if ((step + reader) % 2)
                look(reader, block, before, step);
        link_to(before, edt, 1, DB_MODE_NULL);
        before = ended;
    }
    link_to(block, last, 0, DB_MODE_CONST);
    link_to(before, last, 1, DB_MODE_NULL);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrAffinityGet(AFFINITY_OCL, &s_count, s_devices));
    CHECK(s_count > 0);
    if (s_count < 2)
        fprintf(stderr, "there is one device: nothing is seen of what goes wrong between two\n");
    s_inc = kernel_of(source, "inc", 1, 2);
    s_looks = kernel_of(source, "looks", 2, 3);
    ocrGuid_t last = end_after(4);
    for (u64 which = 0; which < 4; which++) {
        ocrGuid_t done, edt = spawn_with(chain, 1, &which, 1, NULL, EDT_PROP_FINISH, &done);
        link_to(done, last, (u32)which, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
