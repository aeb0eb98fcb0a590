/*
 * ocrDbPartition: contents there and back, also of parts that are not aligned, and of parts of parts; who waits
 * for whom, in all modes; parts that are made later; orders of destruction; each code.
 */
// clause: ocr-db-partitioning.h
// one-node: parts of a block are for EDTs of its node
#include "check.h"
#include <extensions/ocr-db-info.h>
#include <extensions/ocr-db-partitioning.h>

enum { COUNT = 4096 };

static const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};

static unsigned char *bytes(ocrGuid_t *block) {
    unsigned char *data;
    *block = block_of(COUNT, (void **)&data);
    for (u32 i = 0; i < COUNT; i++)
        data[i] = (unsigned char)i;
    return data;
}

static ocrDbPart_t part(u64 offset, u64 size) {
    return (ocrDbPart_t){.offset = offset, .size = size, .guid = NULL_GUID};
}

/* Adds paramv[0] to each byte of the part in slot 0, which began with paramv[1], and ends the part. */
static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    unsigned char *data = depv[0].ptr;
    u64 size;
    OK(ocrDbGetSize(depv[0].guid, &size));
    CHECK_EQ(size, paramv[2]);
    CHECK_EQ((uintptr_t)data % 8, 0);
    if (size != 0)
        CHECK_EQ(data[0], (unsigned char)paramv[1]);
    if (paramv[3])
        breathe();
    for (u64 i = 0; i < size; i++)
        data[i] += (unsigned char)paramv[0];
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static void add_to(ocrDbPart_t one, u64 add, u64 first, ocrGuid_t after) {
    u64 params[] = {add, first, one.size, one.offset % 3 == 0};
    ocrGuid_t edt = spawn(adds, 4, params, 2, NULL);
    link_to(one.guid, edt, 0, one.offset % 2 ? DB_MODE_EW : DB_MODE_RW);
    link_to(after, edt, 1, DB_MODE_NULL);
}

/* Sees the whole: bytes from paramv[0] to paramv[1] have had paramv[2] added, and so on. */
static ocrGuid_t sees(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc;
    const unsigned char *data = depv[0].ptr;
    for (u32 i = 0; i < COUNT; i++) {
        unsigned char want = (unsigned char)i;
        for (u32 at = 0; at < paramc; at += 3)
            if (i >= paramv[at] && i < paramv[at + 1])
                want += (unsigned char)paramv[at + 2];
        CHECK_EQ(data[i], want);
    }
    return depv[0].guid;
}

static ocrGuid_t ends_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    sees(paramc, paramv, 1, depv);
    for (u32 slot = 1; slot < depc; slot++)
        CHECK(ocrGuidIsEq(depv[slot].guid, depv[0].guid));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* EDTs that want the whole as soon as it is divided wait, whatever their mode; the last one destroys it. */
static void wanted(ocrGuid_t block, u32 paramc, u64 *params) {
    ocrGuid_t last = spawn(ends_block, paramc, params, 4, NULL);
    for (u32 i = 0; i < 4; i++) {
        ocrGuid_t result, edt = spawn_with(sees, paramc, params, 1, NULL, EDT_PROP_NONE, &result);
        link_to(result, last, i, DB_MODE_RW);
        link_to(block, edt, 0, modes[i]);
    }
}

/* With holes, and parts of all alignments. The caller holds the block meanwhile, and writes it. */
static ocrGuid_t spread(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    unsigned char *data = bytes(&block);
    ocrDbPart_t parts[] = {part(0, 128),  part(128, 1),    part(130, 1000), part(2048, 64),
                           part(2112, 0), part(2113, 777), part(4000, 96)};
    OK(ocrDbPartition(block, 7, parts, OCR_DB_PARTITION_STATIC));
    wanted(block, 0, NULL);
    for (u32 i = 0; i < 7; i++) {
        add_to(parts[i], 1, parts[i].offset - 1, NULL_GUID);
        for (u64 at = 0; at < parts[i].size; at++)
            data[parts[i].offset + at]--;
    }
    return NULL_GUID;
}

/* A part is divided again, destroyed before its parts are, and so is the whole. */
static ocrGuid_t nested(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, start = event_of(OCR_EVENT_ONCE_T);
    bytes(&block);
    ocrDbPart_t outer[] = {part(10, 2000), part(2010, 2000)}, inner[] = {part(0, 1000), part(1024, 128)},
                innermost = part(3, 500);
    u64 params[] = {13, 513, 5, 1034, 1162, 6, 2010, 4010, 7};
    OK(ocrDbPartition(block, 2, outer, 0));
    OK(ocrDbPartition(outer[0].guid, 2, inner, 0));
    OK(ocrDbPartition(inner[0].guid, 1, &innermost, 0));
    wanted(block, 9, params);
    add_to(innermost, 5, 13, start);
    add_to(inner[1], 6, 1034, start);
    add_to(outer[1], 7, 2010, start);
    OK(ocrDbDestroy(inner[0].guid));
    OK(ocrDbDestroy(outer[0].guid));
    REFUSED(OCR_EPERM, ocrDbDestroy(outer[0].guid));
    REFUSED(OCR_EINVAL, ocrDbPartition(outer[0].guid, 1, &innermost, 0));
    OK(ocrDbRelease(block));
    OK(ocrEventSatisfy(start, NULL_GUID));
    return NULL_GUID;
}

/* The whole is destroyed first, and goes with its last part. */
static ocrGuid_t whole_first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    u64 size;
    bytes(&block);
    ocrDbPart_t parts[] = {part(1, 100), part(1000, 1000)};
    OK(ocrDbPartition(block, 2, parts, 0));
    OK(ocrDbDestroy(block));
    REFUSED(OCR_EPERM, ocrDbDestroy(block));
    REFUSED(OCR_EINVAL, ocrDbGetSize(block, &size));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, parts, 0));
    add_to(parts[0], 1, 1, NULL_GUID);
    OK(ocrDbDestroy(parts[1].guid));
    return NULL_GUID;
}

/* Divides a block ten times. Those that want it in between get it in between. */
static ocrGuid_t in_between(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 params[] = {0, COUNT, paramv[0]};
    breathe();
    sees(3, params, 1, depv);
    return NULL_GUID;
}

static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depv;
    ocrGuid_t block, ended[2];
    u64 round = depc == 1 ? 0 : paramv[0];
    if (round == 0) {
        bytes(&block);
        OK(ocrDbRelease(block));
    } else {
        CHECK_EQ(paramc, 2);
        block.guid = (s64)paramv[1];
    }
    if (round == 10) {
        u64 params[] = {0, COUNT, 10};
        wanted(block, 3, params);
        return NULL_GUID;
    }
    const u64 split = 1000 + round;
    ocrDbPart_t parts[] = {part(0, split), part(split, COUNT - split)};
    OK(ocrDbPartition(block, 2, parts, round % 2 ? OCR_DB_PARTITION_STATIC : 0));
    u64 next[] = {round + 1, (u64)block.guid};
    ocrGuid_t then = spawn(again, 2, next, 2, NULL);
    for (u32 i = 0; i < 2; i++) {
        u64 params[] = {1, parts[i].offset + round, parts[i].size, 0};
        ocrGuid_t edt = spawn_with(adds, 4, params, 2, NULL, EDT_PROP_NONE, &ended[i]);
        link_to(ended[i], then, i, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
        ended[i] = edt;
    }
    link_to(block, spawn(in_between, 1, next, 1, NULL), 0, modes[1 + round % 3]);
    for (u32 i = 0; i < 2; i++)
        link_to(parts[i].guid, ended[i], 0, DB_MODE_EW);
    return NULL_GUID;
}

/* Slot 0 is a part that another EDT, which waits for it, will destroy. This one then makes others over it. */
static ocrGuid_t over(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t block = ((ocrGuid_t *)paramv)[0], first = ((ocrGuid_t *)paramv)[1], keep = ((ocrGuid_t *)paramv)[2];
    ocrDbPart_t more[] = {part(100, 50), part(3000, 8)}, most = part(149, 9);
    u64 params[] = {50, 200, 3, 100, 150, 2, 3000, 3008, 2};
    wanted(block, 9, params);
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, more, 0));
    OK(ocrDbDestroy(first));
    OK(ocrDbPartition(block, 2, more, 0));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 1, &most, 0));
    for (int i = 0; i < 2; i++)
        add_to(more[i], 2, more[i].offset + (i == 0 ? 3 : 0), NULL_GUID);
    OK(ocrDbDestroy(keep));
    return NULL_GUID;
}

/* Holds a part until it has been destroyed by another one. */
static ocrGuid_t holds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)depc;
    unsigned char *data = depv[0].ptr;
    spawn(over, paramc, paramv, 0, NULL);
    for (int i = 0; i < 10; i++)
        breathe();
    for (u32 i = 0; i < 150; i++)
        data[i] += 3;
    return NULL_GUID;
}

static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t guids[3];
    ocrDbPart_t parts[] = {part(50, 150), part(1000, 16)};
    bytes(&guids[0]);
    OK(ocrDbPartition(guids[0], 1, &parts[0], 0));
    OK(ocrDbPartition(guids[0], 1, &parts[1], 0));
    guids[1] = parts[0].guid, guids[2] = parts[1].guid;
    link_to(parts[0].guid, spawn(holds, 3, (u64 *)guids, 1, NULL), 0, DB_MODE_RW);
    return NULL_GUID;
}

/* A block that never had memory. */
static ocrGuid_t bare(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block;
    void *none;
    OK(ocrDbCreate(&block, &none, COUNT, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    ocrDbPart_t parts[] = {part(0, 24), part(24, COUNT - 24)};
    OK(ocrDbPartition(block, 2, parts, 0));
    wanted(block, 0, NULL);
    for (int i = 0; i < 2; i++) {
        ocrGuid_t from, copied;
        bytes(&from);
        OK(ocrDbRelease(from));
        OK(ocrDbCopy(parts[i].guid, 0, from, parts[i].offset, parts[i].size, DB_COPY_PARTITION_BACK, &copied));
        u64 params[] = {0, parts[i].offset, parts[i].size, 0};
        ocrGuid_t edt = spawn(adds, 4, params, 2, NULL);
        link_to(copied, edt, 0, DB_MODE_EW);
        link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t wrong_calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t block, once, sticky = event_of(OCR_EVENT_STICKY_T);
    void *addr;
    bytes(&block);
    const ocrGuid_t wrong[] = {NULL_GUID, UNINITIALIZED_GUID, ERROR_GUID, sticky, {.guid = 0x7777}};
    ocrDbPart_t parts[] = {part(0, 8), part(8, 8), part(4, 8)},
                beyond[] = {part(COUNT, 1), part(UINT64_MAX, 2), part(COUNT + 1, 0), part(1, UINT64_MAX)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(OCR_EINVAL, ocrDbPartition(wrong[i], 2, parts, 0));
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        REFUSED(OCR_EINVAL, ocrDbPartition(block, 1, &beyond[i], 0));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 3, parts, 0));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 0, parts, 0));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, NULL, 0));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, parts, 2));
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, parts, 0x10001));
    OK(ocrDbCreate(&once, &addr, 64, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    REFUSED(OCR_EACCES, ocrDbPartition(once, 2, parts, 0));
    for (int i = 0; i < 3; i++)
        CHECK(ocrGuidIsNull(parts[i].guid));
    OK(ocrDbPartition(block, 1, &parts[0], OCR_DB_PARTITION_STATIC));
    REFUSED(OCR_EPERM, ocrDbPartition(block, 1, &parts[1], 0));
    CHECK(ocrGuidIsNull(parts[1].guid));
    REFUSED(OCR_EACCES, ocrDbRelease(parts[0].guid));
    OK(ocrDbDestroy(parts[0].guid));
    REFUSED(OCR_EPERM, ocrDbDestroy(parts[0].guid));
    /* All are destroyed, though none has been there yet: the caller holds the block. */
    REFUSED(OCR_EINVAL, ocrDbPartition(block, 2, &parts[1], 0));
    parts[0] = part(0, 8);
    OK(ocrDbPartition(block, 2, parts, 0));
    OK(ocrDbDestroy(parts[1].guid));
    OK(ocrDbDestroy(parts[0].guid));
    wanted(block, 0, NULL);
    OK(ocrEventDestroy(sticky));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrEdt_t tests[] = {spread, nested, whole_first, again, later, bare, wrong_calls};
    enum { TESTS = sizeof tests / sizeof *tests };
    const u32 rounds = small_run() ? 2 : 10;
    ocrGuid_t done, end = end_after(TESTS * rounds);
    for (u32 i = 0; i < TESTS * rounds; i++) {
        ocrGuid_t test = spawn_with(tests[i % TESTS], 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
        link_to(done, end, i, DB_MODE_NULL);
        link_to(NULL_GUID, test, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}
