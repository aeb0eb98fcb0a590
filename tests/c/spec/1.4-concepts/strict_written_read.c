/*
 * A block that is written after an EDT that reads it in mode RO was ready to run: whether it finds what was written
 * is chance. In mode CONST it waits, and is right.
 */
// clause: 1.4.4
// unordered: strict mode notes that a block is written after its reader in mode RO can run
// env: OCR_CHECK=strict
// stdout-lines: 1 found in CONST
// stderr: ocr: note: strict mode: while EDT 0x
// stderr: after ocrAddDependence had made EDT 0x
// stderr: ready to run, which has it in mode DB_MODE_RO. If EDT 0x
// stderr: finds what was written is chance
// stderr: ask for DB_MODE_CONST
// stderr: who has a block in mode RO only reads it
// stderr-without: ocr: error
#include "check.h"

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (paramv[0] == DB_MODE_CONST) {
        CHECK_EQ(number_in(depv[0]), 42);
        puts("found in CONST");
        fflush(stdout);
    }
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    void *addr;
    ocrGuid_t block = block_of(sizeof(u64), &addr);
    link_to(block, spawn(reads, 1, paramv, 1, NULL), 0, (ocrDbAccessMode_t)paramv[0]);
    *(volatile u64 *)addr = 42;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 modes[] = {DB_MODE_CONST, DB_MODE_RO};
    ocrGuid_t done, last, first = spawn_with(writes, 1, &modes[0], 1, NULL, EDT_PROP_FINISH, &done);
    ocrGuid_t second = spawn_with(writes, 1, &modes[1], 1, NULL, EDT_PROP_FINISH, &last);
    link_to(last, end_after(1), 0, DB_MODE_NULL);
    link_to(done, second, 0, DB_MODE_NULL);
    link_to(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
