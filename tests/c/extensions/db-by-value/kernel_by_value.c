/*
 * Contents passed by value to kernels, several of them one content, and copies of blocks that are on a device: on
 * a device whose memory is apart, so that each has to be brought.
 */
// clause: ocr-db-by-value.h ocr-variants.h
// unordered: a copy is asked for after the kernel that writes its source, which has the block first
// needs: opencl
// env: OCR_SCHED=device
// env: OCR_DEVICE_FORCE_COPIES=1
#include "kernel.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 1000, ROUNDS = 10, READERS = 3 };

static const char *source = "__kernel void sums(__global const uint *from, __global uint *to) {\n"
                            "    to[get_global_id(0)] += from[get_global_id(0)];\n"
                            "}\n"
                            "__kernel void doubles(__global uint *words) { words[get_global_id(0)] *= 2; }\n";

/* Slot 0: the sums. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 1 + READERS * (paramv[0] + i));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* Slot 0: a copy of what a kernel has doubled. */
static ocrGuid_t checks_copy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(((u32 *)depv[0].ptr)[i], 2 * (paramv[0] + i));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t sums = kernel_of(source, "sums", 0, 2), doubles = kernel_of(source, "doubles", 0, 1);
    ocrGuid_t end = end_after(2 * ROUNDS), done;
    u32 *data;
    ocrGuid_t block = block_of(COUNT * sizeof(u32), (void **)&data);
    for (u64 round = 0; round < ROUNDS; round++) {
        for (u32 i = 0; i < COUNT; i++)
            data[i] = (u32)round + i;
        ocrGuid_t total = words_block(COUNT, 1, 0), event = event_of(OCR_EVENT_ONCE_T);
        ocrGuid_t check = spawn_with(checks, 1, &round, 1 + READERS, NULL, EDT_PROP_NONE, &done);
        link_to(done, end, 2 * (u32)round, DB_MODE_NULL);
        for (u32 i = 0; i < READERS; i++) {
            ocrGuid_t edt = kernel_edt(sums, COUNT, 0, NULL, 2, &done);
            link_to(done, check, 1 + i, DB_MODE_NULL);
            link_to(event, edt, 0, DB_MODE_CONST);
            link_to(total, edt, 1, DB_MODE_EW);
        }
        link_to(total, check, 0, DB_MODE_CONST);
        OK(ocrAddDependenceByValue(block, event, 0, DB_MODE_NULL));

        /* Doubled on the device, copied on the host, by an EDT that waits for the end of the other. */
        ocrGuid_t own = words_block(COUNT, (u32)round, 1), to = bare_block(COUNT * sizeof(u32)), copied;
        ocrGuid_t edt = kernel_edt(doubles, COUNT, 0, NULL, 1, NULL);
        link_to(own, edt, 0, DB_MODE_EW);
        OK(ocrDbCopy(to, 0, own, 0, COUNT * sizeof(u32), DB_COPY_PARTITION_BACK, &copied));
        check = spawn_with(checks_copy, 1, &round, 1, NULL, EDT_PROP_NONE, &done);
        link_to(done, end, 2 * (u32)round + 1, DB_MODE_NULL);
        link_to(copied, check, 0, DB_MODE_CONST);
    }
    OK(ocrDbDestroy(block));
    return NULL_GUID;
}
