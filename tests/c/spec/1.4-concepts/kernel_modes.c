/*
 * Kernels as CONST readers of a block that C functions and kernels write exclusively: each copy that
 * a reader sees is uniform, the work of one writer.
 */
// clause: 1.4.4 ocr-variants.h
// unordered: readers beside the writers of a block, in the order of luck: each sees one writer whole
// needs: opencl
#include "kernel.h"

static const char *source =
    "__kernel void fills(uint value, __global uint *words) { words[get_global_id(0)] = value; }\n"
    "__kernel void copies(__global uint *out, __global const uint *in) {\n"
    "    out[get_global_id(0)] = in[get_global_id(0)];\n"
    "}\n";
enum { COUNT = 3000 };

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        ((volatile u32 *)depv[0].ptr)[i] = (u32)paramv[0];
    }
    return NULL_GUID;
}

static ocrGuid_t uniform(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 first = ((u32 *)depv[0].ptr)[0];
    CHECK(first < 1000);
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], first);
    }
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = *(ocrGuid_t *)paramv, write = kernel_of(source, "fills", 1, 1),
              copy = kernel_of(source, "copies", 0, 2);
    for (u64 i = 0; i < 150; i++) {
        ocrGuid_t edt = i % 2 ? kernel_edt(write, COUNT, 1, &i, 1, NULL) : spawn(fills, 1, &i, 1, NULL);
        link_to(block, edt, 0, DB_MODE_EW);
        for (int k = 0; k < 3; k++) {
            if (k == 2) {
                link_to(block, spawn(uniform, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
                continue;
            }
            ocrGuid_t own = bare_block(COUNT * sizeof(u32)), output;
            ocrGuid_t reader = kernel_edt(copy, COUNT, 0, NULL, 2, &output), slots[] = {own, output};
            spawn(uniform, 0, NULL, 2, slots);
            link_to(own, reader, 0, DB_MODE_EW);
            link_to(block, reader, 1, DB_MODE_CONST);
        }
    }
    OK(ocrEdtTemplateDestroy(write));
    OK(ocrEdtTemplateDestroy(copy));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    uniform(paramc, paramv, depc, depv);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = words_block(COUNT, 5, 0);
    in_scope(all, ends, *(u64 *)&block, block);
    return NULL_GUID;
}
