/*
 * 2.5: creation acquires; 8-byte alignment; blocks do not overlap; contents travel; NO_ACQUIRE;
 * zero length; no address wanted; impossible size; bad arguments; destroy by an EDT that never
 * acquired the block.
 */
// clause: 2.5 2.5.1 2.5.2 2.5.3
// stderr: ocrDbCreate returned OCR_ENOMEM: no host memory for a data block of 1152921504606846976 bytes
#include "check.h"

enum { N = 200 };

static ocrGuid_t destroys(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc, (void)depv;
    for (u32 i = 0; i < paramc; i++) {
        OK(ocrDbDestroy(((ocrGuid_t *)paramv)[i]));
    }
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t reads(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t guids[N + 2];
    u32 count = 0;
    (void)paramc;
    for (u32 i = 0; i < depc; i++) {
        u64 size = paramv[i];
        CHECK(!ocrGuidIsNull(depv[i].guid));
        CHECK_EQ((u64)depv[i].ptr % 8, 0);
        for (u64 k = 0; k < size; k++) {
            CHECK_EQ(((unsigned char *)depv[i].ptr)[k], (i + k) % 251);
        }
        guids[count++] = depv[i].guid;
    }
    spawn(destroys, count, (u64 *)guids, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    ocrGuid_t guids[N + 2];
    for (u32 i = 0; i < depc; i++) {
        /* The last two were made with DB_PROP_NO_ACQUIRE: here is the first memory they have. */
        CHECK(depv[i].ptr != NULL);
        for (u64 k = 0; i >= N && k < paramv[i]; k++) {
            ((unsigned char *)depv[i].ptr)[k] = (unsigned char)((i + k) % 251);
        }
        guids[i] = depv[i].guid;
    }
    spawn(reads, paramc, paramv, depc, guids);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guids[N + 2];
    unsigned char *addrs[N];
    u64 sizes[N + 2], seed = 1;
    for (u64 i = 0; i < N; i++) {
        void *addr;
        sizes[i] = 1 + next_random(&seed) % (i % 10 == 0 ? 300000 : 300);
        guids[i] = block_of(sizes[i], &addr);
        addrs[i] = (unsigned char *)addr;
        CHECK_EQ((u64)addr % 8, 0);
    }
    for (u64 i = 0; i < N; i++) {
        for (u64 k = 0; k < sizes[i]; k++) {
            addrs[i][k] = (unsigned char)((i + k) % 251);
        }
    }
    for (u64 i = N; i < N + 2; i++) {
        void *addr = &sizes;
        sizes[i] = i == N ? 100 : 5000000;
        OK(ocrDbCreate(&guids[i], &addr, sizes[i], DB_PROP_NO_ACQUIRE | DB_PROP_NO_HINT, NULL_HINT, NO_ALLOC));
        CHECK(addr == NULL);
        CHECK(!ocrGuidIsNull(guids[i]));
        REFUSED(OCR_EACCES, ocrDbRelease(guids[i]));
    }
    for (u64 i = 0; i < N; i += 2) {
        OK(ocrDbRelease(guids[i])); /* the others are released as this EDT ends */
    }

    /* 2.5.1: OCR_ENOMEM; then memory is still to be had. */
    ocrGuid_t guid;
    void *addr;
    REFUSED(OCR_ENOMEM, ocrDbCreate(&guid, &addr, (u64)1 << 60, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    REFUSED(OCR_ENOMEM, ocrDbCreate(&guid, &addr, ~(u64)0, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    REFUSED(OCR_ENOMEM, ocrDbCreate(&guid, &addr, ~(u64)0 - 100, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    REFUSED(OCR_EINVAL, ocrDbCreate(NULL, &addr, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    REFUSED(OCR_EINVAL, ocrDbCreate(&guid, &addr, 8, DB_PROP_NONE, NULL_HINT, (ocrInDbAllocator_t)1));
    guid = block_of(8, &addr);
    OK(ocrDbDestroy(guid));

    /* An address "if requested": none wanted is not an error. */
    OK(ocrDbCreate(&guid, NULL, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(guid));
    OK(ocrDbDestroy(guid));

    /* A block of no bytes is a block like any other. */
    guid = block_of(0, &addr);
    OK(ocrDbRelease(guid));
    OK(ocrDbDestroy(guid));
    spawn(fills, N + 2, sizes, N + 2, guids);
    return NULL_GUID;
}
