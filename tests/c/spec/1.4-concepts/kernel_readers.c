/*
 * One block read by ten kernels and ten C functions at once, CONST and RO; then written by the host
 * and read by all again: every copy is the new one.
 */
// clause: 1.4.4 ocr-variants.h
// needs: opencl
#include "kernel.h"

static const char *source = "__kernel void reads(ulong add, __global const uint *in, __global uint *out) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    out[i] = in[i] + (uint)add;\n"
                            "}\n";
enum { COUNT = 2000, READERS = 20, ROUNDS = 10 };

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        ((u32 *)depv[1].ptr)[i] = ((u32 *)depv[0].ptr)[i] + (u32)paramv[0];
    }
    return NULL_GUID;
}

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++) {
        CHECK_EQ(((u32 *)depv[0].ptr)[i], paramv[0] + i);
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t round_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 round = paramv[0], next = round + 1;
    ocrGuid_t kernel = ((ocrGuid_t *)paramv)[1], block = depv[0].guid;
    if (round == ROUNDS) {
        ocrShutdown();
        return NULL_GUID;
    }
    for (u32 i = 0; i < COUNT; i++) {
        ((u32 *)depv[0].ptr)[i] = (u32)round * 100000 + i;
    }
    u64 args[] = {next, paramv[1]};
    ocrGuid_t after = spawn(round_edt, 2, args, 1 + READERS, NULL);
    OK(ocrDbRelease(block));
    for (u64 n = 0; n < READERS; n++) {
        ocrGuid_t output, ended, own = bare_block(COUNT * sizeof(u32));
        ocrGuid_t edt = n % 2 ? kernel_edt(kernel, COUNT, 1, &n, 2, &output)
                              : spawn_with(reads, 1, &n, 2, NULL, EDT_PROP_NONE, &output);
        u64 want = round * 100000 + n;
        ocrGuid_t slots[] = {own, output}, check = spawn_with(checks, 1, &want, 2, slots, EDT_PROP_NONE, &ended);
        (void)check;
        link_to(ended, after, (u32)(1 + n), DB_MODE_NULL);
        link_to(own, edt, 1, DB_MODE_EW);
        link_to(block, edt, 0, n % 4 < 2 ? DB_MODE_CONST : DB_MODE_RO);
    }
    link_to(block, after, 0, DB_MODE_EW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel = kernel_of(source, "reads", 1, 2);
    u64 args[] = {0, *(u64 *)&kernel};
    ocrGuid_t slots[1 + READERS];
    for (int i = 0; i <= READERS; i++) {
        slots[i] = NULL_GUID;
    }
    slots[0] = bare_block(COUNT * sizeof(u32));
    spawn(round_edt, 2, args, 1 + READERS, slots);
    return NULL_GUID;
}
