/* Strict mode: one of two EDTs that hold a block in mode CONST writes it, and the other gives it back first: both are
 * named. */
// misuse: OCR-2.5.3-c
// env: OCR_CHECK=strict
// status: 1
// workers: 2 8
// stderr: a data block was written while EDT 0x
// stderr:  held it in mode DB_MODE_CONST, through pre-slot 0, by that or by one that ran meanwhile: EDT 0x
// stderr: (writes)
// stderr: (reads) gave the block back
// stderr: If this one only reads, look for another that does
#include "strict.h"

static int begun, written, ended;

static void wait_for(int *flag) {
    while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST))
        sched_yield();
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    wait_for(&begun);
    *(u64 *)depv[0].ptr = 7;
    __atomic_store_n(&written, 1, __ATOMIC_SEQ_CST);
    wait_for(&ended); // the program ends before
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
    wait_for(&written);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block = block_with(1);
    link_to(block, EDT(writes, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    link_to(block, EDT(reads, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    return NULL_GUID;
}
