/*
 * Strict mode reports no EDT that releases a block before it passes it on to a kernel, that holds it in mode RO itself,
 * or that has it read by a kernel that waits for its release.
 */
// clause: 2.5.3
// env: OCR_CHECK=strict
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_DEVICE_FORCE_COPIES=1
// stderr-without: ocr: error
// stderr-without: nobody has written it
// stderr-without: holds it for writing
#include "strict.h"
#include "kernel.h"

static ocrGuid_t s_reads, s_ended;

static void read_by_kernel(ocrGuid_t block, ocrDbAccessMode_t mode) {
    ocrGuid_t edt = kernel_edt(s_reads, 1, 0, NULL, 1, NULL), event = event_of(OCR_EVENT_ONCE_T);
    link_to(event, edt, 0, mode);
    OK(ocrEventSatisfy(event, block));
}

static ocrGuid_t reads_itself(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    read_by_kernel(depv[0].guid, DB_MODE_RO);
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u32 *)depv[0].ptr = 1;
    OK(ocrDbRelease(depv[0].guid));
    read_by_kernel(depv[0].guid, DB_MODE_RO);
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u32 *words;
    ocrGuid_t block = block_of(4 * sizeof(u32), (void **)&words);
    memset(words, 0, 4 * sizeof(u32));
    /* waits until this EDT has ended */
    link_to(block, kernel_edt(s_reads, 1, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    link_to(words_block(4, 1, 1), EDT(reads_itself, 0, NULL, 1, NULL), 0, DB_MODE_RO);
    link_to(words_block(4, 1, 1), EDT(writes, 0, NULL, 1, NULL), 0, DB_MODE_EW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s_reads = kernel_of("kernel void reads(global const uint *in) {}", "reads", 0, 1);
    ocrGuid_t last = END(1), edt = spawn_with(all, 0, NULL, 1, NULL, EDT_PROP_FINISH, &s_ended);
    link_to(s_ended, last, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}
