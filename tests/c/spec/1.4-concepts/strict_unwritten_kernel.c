/* Strict mode: a kernel and a function read blocks that no EDT has written: what they find is not zeros, and a note
 * says so.
 */
// clause: 1.4.4
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// stderr: ocr: note: strict mode: EDT 0x
// stderr: in mode DB_MODE_RO, through pre-slot 0, and nobody has written it: it finds bytes 0xa5
// stderr-without: ocr: error
#include "strict.h"
#include "kernel.h"

enum { WORDS = 40 };

static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 0xa5a5a5a5);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t copies = kernel_of("kernel void copies(global const uint *in, global uint *out) {\n"
                                 "    out[get_global_id(0)] = in[get_global_id(0)];\n"
                                 "}\n",
                                 "copies", 0, 2);
    /* writes half of its block only */
    ocrGuid_t half =
        kernel_of("kernel void half_of(global uint *out) { if (get_global_id(0) == 99) out[0] = 1; }", "half_of", 0, 1);
    ocrGuid_t out = bare_block(WORDS * sizeof(u32)), other = bare_block(WORDS * sizeof(u32)), ended[3], last = END(3);
    ocrGuid_t edt = kernel_edt(copies, WORDS, 0, NULL, 2, NULL);
    link_to(bare_block(WORDS * sizeof(u32)), edt, 0, DB_MODE_RO);
    link_to(out, edt, 1, DB_MODE_EW);
    link_to(other, kernel_edt(half, WORDS, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    ocrGuid_t blocks[] = {out, other, bare_block(WORDS * sizeof(u32))};
    for (u32 i = 0; i < 3; i++) {
        ocrGuid_t check = EDT_WITH(checks, 0, NULL, 1, NULL, &ended[i]);
        link_to(ended[i], last, i, DB_MODE_NULL);
        link_to(blocks[i], check, 0, i < 2 ? DB_MODE_EW : DB_MODE_RO);
    }
    return NULL_GUID;
}
