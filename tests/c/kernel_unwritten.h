/*
 * kernel_unwritten.h - kernels that write a block which no EDT has written, in modes EW and RW, and use what is in it:
 * that is zeros, as for functions, whatever was in the memory before.
 */
#include "kernel.h"

enum { WORDS = 4099, ROUNDS = 8 }; /* an odd number of bytes beside, too */

static const char *source =
    "kernel void soils(global uint *words) { words[get_global_id(0)] = 0xdeadbeef; }\n"
    "kernel void adds(global uint *words, global uchar *odd) {\n"
    "    words[get_global_id(0)] += 1;\n"
    "    if (get_global_id(0) < 7) odd[get_global_id(0)] += 2;\n"
    "}\n";

static ocrGuid_t s_soils, s_adds;

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        if (!ocrGuidIsNull(depv[i].guid))
            OK(ocrDbDestroy(depv[i].guid));
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 1);
    for (u32 i = 0; i < 7; i++)
        CHECK_EQ(((u8 *)depv[1].ptr)[i], 2);
    return destroys(0, NULL, 2, depv);
}

/* Leaves memory that was written, and then takes some. */
static ocrGuid_t round_of(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static const ocrDbAccessMode_t modes[] = {DB_MODE_EW, DB_MODE_RW};
    ocrGuid_t soiled, done, gone, edt = kernel_edt(s_soils, WORDS, 0, NULL, 1, &soiled);
    ocrGuid_t used = bare_block(WORDS * sizeof(u32)),
              clean = spawn_with(destroys, 0, NULL, 2, NULL, EDT_PROP_NONE, &gone);
    link_to(used, clean, 0, DB_MODE_RO);
    link_to(soiled, clean, 1, DB_MODE_NULL);
    ocrGuid_t words = bare_block(WORDS * sizeof(u32)), odd = bare_block(7);
    ocrGuid_t adds = kernel_edt(s_adds, WORDS, 0, NULL, 3, &done), look = spawn(looks, 0, NULL, 3, NULL);
    link_to(words, look, 0, DB_MODE_CONST);
    link_to(odd, look, 1, DB_MODE_CONST);
    link_to(done, look, 2, DB_MODE_NULL);
    link_to(words, adds, 0, modes[paramv[0] % 2]);
    link_to(odd, adds, 1, modes[paramv[0] / 2 % 2]);
    link_to(gone, adds, 2, DB_MODE_NULL);
    link_to(used, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_soils = kernel_of(source, "soils", 0, 1);
    s_adds = kernel_of(source, "adds", 0, 3);
    ocrGuid_t before = NULL_GUID, last = end_after(1);
    for (u64 round = 0; round < ROUNDS; round++) {
        ocrGuid_t done, ended = event_of(OCR_EVENT_STICKY_T);
        ocrGuid_t edt = spawn_with(round_of, 1, &round, 1, NULL, EDT_PROP_FINISH, &done);
        link_to(done, ended, 0, DB_MODE_NULL);
        link_to(before, edt, 0, DB_MODE_NULL);
        before = ended;
    }
    link_to(before, last, 0, DB_MODE_NULL);
    return NULL_GUID;
}
