/* chains.c - chains of kernels that cross, to be run on an OpenCL that fails.
 *
 *     chains [kernels|many|slow]
 *
 * A wavefront: tile (i, j) updates the block of row i and that of column j in place, in mode RW or EW, and reads a
 * block of its own that the host has written. It waits for the output events of its neighbours. Then a chain of
 * kernels, each of which waits for the one before alone, so that they are enqueued ahead; another such chain beside all
 * that, on a block that the host has written; and at last a kernel that writes a new block. No update may be done
 * twice, or be left out. With "kernels" the templates have no C functions. With "many" there are many short kernels at
 * once instead, which are held back (src/device/lane.rs); with "slow" there are fewer, whose C function takes 2 ms, so
 * that a policy by measured times leaves most of them to the device. Prints "right" and ends with status 0, or says
 * what is wrong and ends with 3. */
#include "../c/kernel.h"
#include <time.h>

enum { SIDE = 3, CHAIN = 6, COUNT = 1024, MANY = 700, SLOW = 200 };

static const char *source =
    "__kernel void tile(uint k, __global uint *row, __global uint *column, __global const uint *own, __global uint *left,\n"
    "                   __global uint *up) {\n"
    "    size_t i = get_global_id(0);\n"
    "    uint x = row[i] * 3u + column[i] + own[i] + k;\n"
    "    row[i] = x;\n"
    "    column[i] = column[i] * 5u + x;\n"
    "}\n"
    "__kernel void advance(uint k, __global uint *words, __global const uint *own, __global uint *before) {\n"
    "    size_t i = get_global_id(0);\n"
    "    words[i] = words[i] * 7u + own[i] + k;\n"
    "}\n"
    "__kernel void sum(__global uint *to, __global const uint *a, __global const uint *b, __global uint *before) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = a[i] * 11u + b[i];\n"
    "}\n";

static void do_tile(u64 k, u32 *row, u32 *column, const u32 *own) {
    for (u32 i = 0; i < COUNT; i++) {
        u32 x = row[i] * 3u + column[i] + own[i] + (u32)k;
        row[i] = x;
        column[i] = column[i] * 5u + x;
    }
}

static void do_link(u64 k, u32 *words, const u32 *own) {
    for (u32 i = 0; i < COUNT; i++) {
        words[i] = words[i] * 7u + own[i] + (u32)k;
    }
}

static void do_sum(u32 *to, const u32 *a, const u32 *b) {
    for (u32 i = 0; i < COUNT; i++) {
        to[i] = a[i] * 11u + b[i];
    }
}

static ocrGuid_t tile(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    do_tile(paramv[0], depv[0].ptr, depv[1].ptr, depv[2].ptr);
    return NULL_GUID;
}

static ocrGuid_t chain_link(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    do_link(paramv[0], depv[0].ptr, depv[1].ptr);
    return NULL_GUID;
}

static bool slow; /* the C function of the sums */

static ocrGuid_t sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    if (slow) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    do_sum(depv[0].ptr, depv[1].ptr, depv[2].ptr);
    return NULL_GUID;
}

static void fill(u32 *words, u32 seed) {
    for (u32 i = 0; i < COUNT; i++) {
        words[i] = seed * 2654435761u + i * 40503u;
    }
}

static ocrGuid_t filled(u32 seed) {
    void *addr;
    ocrGuid_t block = block_of(COUNT * sizeof(u32), &addr);
    fill(addr, seed);
    OK(ocrDbRelease(block));
    return block;
}

static u32 own_seed(u32 k) { return 100 + k; }

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    static u32 rows[SIDE][COUNT], columns[SIDE][COUNT], own[COUNT], lone[COUNT], want[COUNT];
    for (u32 i = 0; i < SIDE; i++) {
        fill(rows[i], i);
        fill(columns[i], 10 + i);
    }
    for (u32 i = 0; i < SIDE; i++) {
        for (u32 j = 0; j < SIDE; j++) {
            fill(own, own_seed(i * SIDE + j));
            do_tile(i * SIDE + j, rows[i], columns[j], own);
        }
    }
    for (u32 k = 0; k < CHAIN; k++) {
        fill(own, own_seed(SIDE * SIDE + k));
        do_link(k, rows[SIDE - 1], own);
    }
    fill(lone, 20);
    for (u32 k = 0; k < CHAIN; k++) {
        fill(own, own_seed(SIDE * SIDE + k));
        do_link(k, lone, own);
    }
    if (memcmp(depv[1 + 2 * SIDE].ptr, lone, sizeof lone) != 0) {
        printf("wrong: the chain alone\n");
        exit(3);
    }
    do_sum(want, rows[SIDE - 1], columns[SIDE - 1]);
    for (u32 i = 0; i < SIDE; i++) {
        if (memcmp(depv[1 + i].ptr, rows[i], sizeof want) != 0 ||
            memcmp(depv[1 + SIDE + i].ptr, columns[i], sizeof want) != 0) {
            printf("wrong: row or column %u\n", i);
            exit(3);
        }
    }
    if (memcmp(depv[0].ptr, want, sizeof want) != 0) {
        printf("wrong: the sum\n");
        exit(3);
    }
    printf("right\n");
    ocrShutdown();
    return NULL_GUID;
}

static bool kernels; /* alone, without C functions */

static ocrGuid_t template_with(ocrEdt_t function, const char *kernel, u32 paramc, u32 depc) {
    if (kernels) {
        return kernel_of(source, kernel, paramc, depc);
    }
    ocrGuid_t guid = template_of(function, paramc, depc);
    OK(ocrEdtTemplateAddKernel(guid, source, NULL, kernel, per_word, OCR_NO_RESULT));
    return guid;
}

static ocrGuid_t edt_with(ocrGuid_t tmpl, u32 paramc, u64 *paramv, u32 depc, ocrGuid_t *done) {
    return kernels ? kernel_edt(tmpl, COUNT, paramc, paramv, depc, done)
                   : edt_of(tmpl, paramc, paramv, depc, NULL, EDT_PROP_NONE, done);
}

/* A kernel of a chain, behind an event: its output event. */
static ocrGuid_t chain(ocrGuid_t links, u64 k, ocrGuid_t words, ocrGuid_t own, ocrGuid_t before) {
    ocrGuid_t done, edt = edt_with(links, 1, &k, 3, &done);
    link_to(words, edt, 0, DB_MODE_RW);
    link_to(own, edt, 1, DB_MODE_RO);
    link_to(before, edt, 2, DB_MODE_NULL);
    return done;
}

static ocrGuid_t checks_many(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    static u32 a[COUNT], b[COUNT], want[COUNT];
    fill(a, 1);
    fill(b, 2);
    do_sum(want, a, b);
    for (u32 i = 0; i < depc - 1; i++) {
        if (memcmp(depv[i].ptr, want, sizeof want) != 0) {
            printf("wrong: sum %u\n", i);
            exit(3);
        }
    }
    printf("right\n");
    ocrShutdown();
    return NULL_GUID;
}

static void many(u32 sums_at_once) {
    ocrGuid_t sums = template_with(sum, "sum", 0, 4), a = filled(1), b = filled(2);
    ocrGuid_t start = event_of(OCR_EVENT_STICKY_T), end = event_of(OCR_EVENT_LATCH_T);
    ocrGuid_t last = spawn(checks_many, 0, NULL, sums_at_once + 1, NULL);
    for (u32 i = 0; i < sums_at_once; i++) {
        OK(ocrEventSatisfySlot(end, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    }
    link_to(end, last, sums_at_once, DB_MODE_NULL);
    for (u32 i = 0; i < sums_at_once; i++) {
        ocrGuid_t done, to = bare_block(COUNT * sizeof(u32)), edt = edt_with(sums, 0, NULL, 4, &done);
        link_to(done, end, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
        link_to(to, last, i, DB_MODE_RO);
        link_to(to, edt, 0, DB_MODE_RW);
        link_to(a, edt, 1, DB_MODE_RO);
        link_to(b, edt, 2, DB_MODE_RO);
        link_to(start, edt, 3, DB_MODE_NULL);
    }
    OK(ocrEventSatisfy(start, NULL_GUID));
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const char *what = ocrGetArgc(depv[0].ptr) > 1 ? ocrGetArgv(depv[0].ptr, 1) : "";
    slow = strcmp(what, "slow") == 0;
    if (slow || strcmp(what, "many") == 0) {
        many(slow ? SLOW : MANY);
        return NULL_GUID;
    }
    kernels = strcmp(what, "kernels") == 0;
    ocrGuid_t tiles = template_with(tile, "tile", 1, 5);
    ocrGuid_t links = template_with(chain_link, "advance", 1, 3);
    ocrGuid_t sums = template_with(sum, "sum", 0, 4);
    ocrGuid_t rows[SIDE], columns[SIDE], left[SIDE], up[SIDE], gates[SIDE * SIDE];
    for (u32 i = 0; i < SIDE; i++) {
        rows[i] = filled(i);
        columns[i] = filled(10 + i);
    }
    ocrGuid_t start = event_of(OCR_EVENT_STICKY_T), end = NULL_GUID;
    for (u32 i = 0; i < SIDE; i++) {
        for (u32 j = 0; j < SIDE; j++) {
            u64 k = i * SIDE + j;
            ocrGuid_t done, edt = edt_with(tiles, 1, &k, 5, &done);
            ocrDbAccessMode_t mode = k % 2 ? DB_MODE_EW : DB_MODE_RW;
            link_to(rows[i], edt, 0, mode);
            link_to(columns[j], edt, 1, mode);
            link_to(filled(own_seed((u32)k)), edt, 2, DB_MODE_RO);
            link_to(j == 0 ? NULL_GUID : left[i], edt, 3, DB_MODE_NULL);
            link_to(i == 0 ? (j == 0 ? start : NULL_GUID) : up[j], edt, 4, DB_MODE_NULL);
            gates[k] = end = left[i] = up[j] = event_of(OCR_EVENT_STICKY_T);
            link_to(done, gates[k], 0, DB_MODE_NULL);
        }
    }
    ocrGuid_t lone = filled(20), lone_end = start;
    for (u64 k = 0; k < CHAIN; k++) {
        ocrGuid_t own = filled(own_seed(SIDE * SIDE + (u32)k));
        end = chain(links, k, rows[SIDE - 1], own, end);
        lone_end = chain(links, k, lone, own, lone_end);
    }
    ocrGuid_t done, to = bare_block(COUNT * sizeof(u32)), edt = edt_with(sums, 0, NULL, 4, &done);
    ocrGuid_t last = spawn(checks, 0, NULL, 4 + 2 * SIDE, NULL);
    link_to(lone, last, 1 + 2 * SIDE, DB_MODE_RO);
    link_to(done, last, 2 + 2 * SIDE, DB_MODE_NULL);
    link_to(lone_end, last, 3 + 2 * SIDE, DB_MODE_NULL);
    link_to(to, last, 0, DB_MODE_RO);
    for (u32 i = 0; i < SIDE; i++) {
        link_to(rows[i], last, 1 + i, DB_MODE_RO);
        link_to(columns[i], last, 1 + SIDE + i, DB_MODE_RO);
    }
    link_to(to, edt, 0, DB_MODE_RW);
    link_to(rows[SIDE - 1], edt, 1, DB_MODE_RO);
    link_to(columns[SIDE - 1], edt, 2, DB_MODE_RO);
    link_to(end, edt, 3, DB_MODE_NULL);
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}
