/*
 * Parameters become scalar arguments of every integer width, signed and not, as long as the value
 * fits; 64-bit ones unchanged.
 */
// clause: ocr-variants.h
// needs: opencl
#include "kernel.h"

static const char *source =
    "__kernel void widths(char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul, __global long *out) {\n"
    "    out[0] = c; out[1] = uc; out[2] = s; out[3] = us;\n"
    "    out[4] = i; out[5] = u; out[6] = l; out[7] = (long)ul;\n"
    "}\n";
enum { CASES = 4 };
static const s64 values[CASES][8] = {
    {0, 0, 0, 0, 0, 0, 0, 0},
    {-128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN, -1},
    {127, 1, 32767, 2, INT32_MAX, 3, INT64_MAX, INT64_MAX},
    {-1, 128, -1, 32768, -1, 2147483648, -1, 5},
};

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(((s64 *)depv[0].ptr)[i], values[paramv[0]][i]);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t kernel = kernel_of(source, "widths", 8, 1), last = end_after(CASES);
    for (u64 n = 0; n < CASES; n++) {
        u64 params[8];
        memcpy(params, values[n], sizeof params);
        ocrGuid_t block = bare_block(8 * sizeof(s64)), output, ended,
                  edt = kernel_edt(kernel, 1, 8, params, 1, &output);
        ocrGuid_t check = spawn_with(checks, 1, &n, 2, NULL, EDT_PROP_NONE, &ended);
        link_to(ended, last, (u32)n, DB_MODE_NULL);
        link_to(block, check, 0, DB_MODE_RO);
        link_to(output, check, 1, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_EW);
    }
    OK(ocrEdtTemplateDestroy(kernel));
    return NULL_GUID;
}
