/*
 * kernel_duplicate.h - EDTs whose kernel takes long, and whose function does not: the device takes one of them, since
 * nothing is known, and the only worker runs the others. Then it has nothing to do, and makes a duplicate of the one.
 * So the last call of the function is that of the duplicate.
 */
#ifndef KERNEL_DUPLICATE_H
#define KERNEL_DUPLICATE_H

#include "kernel.h"
#include <stdatomic.h>

enum { EDTS = 5, WORDS = 40, BY_FUNCTION = 1000, BY_KERNEL = 2000 };

/* How many steps a kernel has that is to end, but long after the function, and that of one that is not to. */
static const u64 long_time = 300 * 1000 * 1000, for_ever = (u64)1 << 62;

static const char *source =
    "__kernel void works(ulong steps, ulong number, __global ulong *words, __global const ulong *added) {\n"
    "    ulong v = words[0];\n"
    "    for (ulong i = 0; i < steps; i++)\n"
    "        v = v * 6364136223846793005UL + 1442695040888963407UL;\n"
    "    for (int i = 1; i < 40; i++)\n"
    "        words[i] += added[i] + (v == 1 ? 1 : 0);\n"
    "    words[0] = 2000;\n"
    "}\n"
    "__kernel void more(__global ulong *words) {\n"
    "    words[0] += 1;\n"
    "}\n";

static atomic_int calls;
static ocrGuid_t blocks[EDTS], added_block;

static void one_alone(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    one_item(paramc, paramv, depc, depSizes, range);
    range->localSize[0] = 1;
}

/* What the function does with its blocks. */
static void do_it(ocrEdtDep_t depv[]) {
    u64 *words = depv[0].ptr;
    const u64 *added = depv[1].ptr;
    for (int i = 1; i < WORDS; i++)
        words[i] += added[i];
    words[0] = BY_FUNCTION;
}

/* Whether the block with this number has what one run of the EDT leaves, and by which variant. */
static u64 ran_by(ocrEdtDep_t dep, u64 number) {
    const u64 *words = dep.ptr;
    for (u64 i = 1; i < WORDS; i++)
        CHECK_EQ(words[i], number * 100 + i + 7 * i);
    return words[0];
}

static ocrGuid_t filled(u64 first, u64 step) {
    void *addr;
    ocrGuid_t guid = block_of(WORDS * sizeof(u64), &addr);
    for (u64 i = 0; i < WORDS; i++)
        ((u64 *)addr)[i] = first + i * step;
    OK(ocrDbRelease(guid));
    return guid;
}

/* Creates the EDTs of a template with the function and the kernel; in each, these have so many steps. Their output
 * events are dependences of `after`, from pre-slot EDTS on; those before have the blocks. */
static void create(ocrEdt_t function, u64 steps, ocrGuid_t after, ocrDbAccessMode_t mode, ocrHint_t *hint) {
    ocrGuid_t tmpl = template_of(function, 2, 2);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "works", one_alone, OCR_NO_RESULT));
    added_block = filled(0, 7);
    ocrGuid_t edts[EDTS];
    for (u64 i = 0; i < EDTS; i++) {
        u64 params[] = {steps, i};
        ocrGuid_t done;
        blocks[i] = filled(i * 100, 1);
        OK(ocrEdtCreate(&edts[i], tmpl, 2, params, 2, NULL, EDT_PROP_NONE, hint, &done));
        link_to(done, after, (u32)(EDTS + i), DB_MODE_NULL);
        link_to(blocks[i], after, (u32)i, DB_MODE_CONST);
    }
    for (u64 i = 0; i < EDTS; i++) {
        link_to(added_block, edts[i], 1, DB_MODE_CONST);
        link_to(blocks[i], edts[i], 0, mode);
    }
    OK(ocrEdtTemplateDestroy(tmpl));
}

#endif
