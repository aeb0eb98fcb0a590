/*
 * kernel_unreleased.h - kernels in mode RO read blocks that somebody on the host holds for writing: the creator, and
 * EDTs in modes EW and RW, of whole blocks and of parts. Each finds what is in the block as it starts, though its
 * device has read the block before. A block that no EDT has written has zeros.
 *
 * Each step waits until its kernel has run, so the program has nothing that could go either way.
 */
#include "kernel.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 1000, TIMES = 3, MOST = 8, JUNK = 6 };

static const char *source = "kernel void sum(global const uint *from, global uint *to) {\n"
                            "    uint sum = 0;\n"
                            "    for (uint i = 0; i < 1000; i++) sum += from[i];\n"
                            "    to[0] = sum;\n"
                            "}\n"
                            "kernel void fill(global uint *words) { words[get_global_id(0)] = 0x10001; }\n";

static ocrGuid_t s_sum, s_fill, s_devices[MOST];
static u64 s_count = MOST, s_kernels;

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, paramv[0]);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* Waits until all kernels have run. */
static void wait_for_kernels(void) {
    ocrStats_t stats;
    do {
        breathe();
        OK(ocrStatsGet(&stats));
    } while (stats.kernelEdts < s_kernels);
}

static ocrGuid_t on_device(ocrGuid_t tmpl, size_t items, u32 depc, ocrGuid_t device, ocrGuid_t *output) {
    ocrGuid_t edt;
    OK(ocrOpenclTaskCreate(&edt, tmpl, 1, NULL, &items, NULL, 0, NULL, depc, NULL, EDT_PROP_NONE, device, output));
    return edt;
}

/* On each device a kernel reads the block, and finds this number in each word. */
static void reads(ocrGuid_t block, ocrDbAccessMode_t mode, u32 each) {
    for (u64 device = 0; device < s_count; device++) {
        u64 want = (u64)COUNT * each;
        ocrGuid_t to = bare_block(sizeof(u32)), done;
        ocrGuid_t edt = on_device(s_sum, 1, 2, s_devices[device], &done);
        ocrGuid_t check = spawn(checks, 1, &want, 2, NULL);
        link_to(done, check, 1, DB_MODE_NULL);
        link_to(to, edt, 1, DB_MODE_EW);
        link_to(to, check, 0, DB_MODE_EW);
        link_to(block, edt, 0, mode);
        s_kernels++;
        wait_for_kernels();
    }
}

/* Writes a block that the caller holds, and has it read, again and again. */
static void writes(ocrGuid_t block, u32 *words, u32 first) {
    for (u32 time = 0; time < TIMES; time++) {
        for (u32 i = 0; i < COUNT; i++)
            words[i] = first + time;
        reads(block, DB_MODE_RO, first + time);
        /* nothing has changed */
        reads(block, DB_MODE_RO, first + time);
    }
}

/* All its blocks are for writing. It releases the first. */
static ocrGuid_t holds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < depc && !ocrGuidIsNull(depv[i].guid); i++)
        writes(depv[i].guid, depv[i].ptr, (u32)paramv[0] + 100 * i);
    OK(ocrDbRelease(depv[0].guid));
    reads(depv[0].guid, DB_MODE_RO, (u32)paramv[0] + TIMES - 1);
    reads(depv[0].guid, DB_MODE_CONST, (u32)paramv[0] + TIMES - 1);
    return NULL_GUID;
}

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        if (!ocrGuidIsNull(depv[i].guid))
            OK(ocrDbDestroy(depv[i].guid));
    return NULL_GUID;
}

static ocrGuid_t finds_zeros(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 0);
    return NULL_GUID;
}

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *addr;
    /* no EDT has written it; what the devices' memory had in it, kernels have filled before */
    ocrGuid_t empty = bare_block(COUNT * sizeof(u32));
    reads(empty, DB_MODE_RO, 0);
    reads(empty, DB_MODE_CONST, 0);
    link_to(empty, spawn(finds_zeros, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    ocrGuid_t also = bare_block(COUNT * sizeof(u32));
    link_to(also, spawn(finds_zeros, 0, NULL, 1, NULL), 0, DB_MODE_CONST);

    /* its creator holds it */
    ocrGuid_t made = block_of(COUNT * sizeof(u32), &addr);
    writes(made, addr, 1);
    OK(ocrDbRelease(made));
    reads(made, DB_MODE_CONST, TIMES);

    /* EDTs of the host hold blocks, in turns: in mode EW what a kernel has written, in mode RW, and one that is new */
    ocrGuid_t other = bare_block(COUNT * sizeof(u32));
    link_to(other, on_device(s_fill, COUNT, 1, s_devices[s_count - 1], NULL), 0, DB_MODE_EW);
    s_kernels++;
    wait_for_kernels();
    ocrGuid_t before = NULL_GUID;
    for (u64 turn = 0; turn < 2; turn++) {
        u64 first = 1000 * (turn + 1);
        ocrGuid_t done, ended = event_of(OCR_EVENT_STICKY_T);
        ocrGuid_t edt = spawn_with(holds, 1, &first, 4, NULL, EDT_PROP_NONE, &done);
        link_to(done, ended, 0, DB_MODE_NULL);
        link_to(turn ? made : other, edt, 0, DB_MODE_EW);
        link_to(turn ? other : made, edt, 1, DB_MODE_RW);
        link_to(bare_block(COUNT * sizeof(u32)), edt, 2, DB_MODE_EW);
        link_to(before, edt, 3, DB_MODE_NULL);
        before = ended;
    }
    return NULL_GUID;
}

/* Parts of a block: one where the whole's memory can be used, and one that has memory of its own. */
static ocrGuid_t begins_parts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t whole = words_block(2 * COUNT + 1, 5, 0);
    ocrDbPart_t parts[] = {{0, COUNT * sizeof(u32), NULL_GUID},
                           {(COUNT + 1) * sizeof(u32), COUNT * sizeof(u32), NULL_GUID}};
    OK(ocrDbPartition(whole, 2, parts, OCR_DB_PARTITION_STATIC));
    u64 first = 5000;
    ocrGuid_t ended, edt = spawn_with(holds, 1, &first, 2, NULL, EDT_PROP_NONE, &ended);
    ocrGuid_t last = spawn(destroys, 0, NULL, 3, NULL);
    link_to(ended, last, 2, DB_MODE_NULL);
    for (u32 i = 0; i < 2; i++) {
        link_to(parts[i].guid, last, i, DB_MODE_EW);
        link_to(parts[i].guid, edt, i, DB_MODE_EW);
    }
    return NULL_GUID;
}

/* A finish EDT behind `before`, if that is an event; the output event. */
static ocrGuid_t scope_after(ocrEdt_t function, ocrGuid_t before) {
    ocrGuid_t done, kept = event_of(OCR_EVENT_STICKY_T);
    ocrGuid_t edt = spawn_with(function, 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
    link_to(done, kept, 0, DB_MODE_NULL);
    link_to(before, edt, 0, DB_MODE_NULL);
    return kept;
}

/* Fills the memory that buffers are made of. */
static ocrGuid_t begins_junk(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u32 n = 0; n < JUNK * s_count; n++) {
        ocrGuid_t block = bare_block(COUNT * sizeof(u32)), done;
        ocrGuid_t fill = on_device(s_fill, COUNT, 1, s_devices[n % s_count], &done);
        ocrGuid_t last = spawn(destroys, 0, NULL, 2, NULL);
        link_to(done, last, 0, DB_MODE_NULL);
        link_to(block, last, 1, DB_MODE_RO);
        link_to(block, fill, 0, DB_MODE_EW);
        s_kernels++;
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    OK(ocrAffinityGet(AFFINITY_OCL, &s_count, s_devices));
    CHECK(s_count > 0);
    s_sum = kernel_of(source, "sum", 0, 2);
    s_fill = kernel_of(source, "fill", 0, 1);
    ocrGuid_t last = end_after(1);
    link_to(scope_after(begins_parts, scope_after(begins, scope_after(begins_junk, NULL_GUID))), last, 0, DB_MODE_NULL);
    return NULL_GUID;
}
