/*
 * ocrDbCopy: what is copied where, what the copy waits for, what its event carries and how long the event is
 * there, and each code.
 */
// clause: ocr-db.h
// stderr: ocrDbCopy returned OCR_ENOMEM, in EDT 0x
// stderr: the bytes are not all in these blocks
#include "check.h"
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-legacy.h>

enum { COUNT = 64, MANY = 200 };

static ocrGuid_t numbers(u32 first, u64 *released) {
    u32 *data;
    ocrGuid_t block = block_of(COUNT * sizeof(u32), (void **)&data);
    for (u32 i = 0; i < COUNT; i++)
        data[i] = first + i;
    if (released == NULL)
        OK(ocrDbRelease(block));
    return block;
}

static void is_gone(ocrGuid_t event) { REFUSED(OCR_EINVAL, ocrEventDestroy(event)); }

/* Slot 0 through the completion event: 8 numbers of the source stand at 10, the others are as they were. */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u32 *data = depv[0].ptr;
    CHECK_EQ(depv[0].guid.guid, paramv[0]);
    for (u32 i = 0; i < COUNT; i++)
        CHECK_EQ(data[i], i < 10 || i >= 18 ? 1000 + i : i - 10 + 5);
    return NULL_GUID;
}

/* When the EDT that asked for the copy has ended. */
static ocrGuid_t checks_event(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    is_gone((ocrGuid_t){.guid = (s64)number_in(depv[0])});
    return NULL_GUID;
}

/* Holds the source while it asks for the copy: what it writes before it releases the block is copied. */
static ocrGuid_t copies(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t to = numbers(1000, NULL), from, event;
    u32 *data;
    from = block_of(COUNT * sizeof(u32), (void **)&data);
    OK(ocrDbCopy(to, 10 * sizeof(u32), from, 5 * sizeof(u32), 8 * sizeof(u32), 0, &event));
    for (u32 i = 0; i < COUNT; i++)
        data[i] = i;
    OK(ocrDbRelease(from));
    /* The copy may have been made by now. Several can depend on it all the same. */
    for (int i = 0; i < 20; i++)
        breathe();
    for (int i = 0; i < 2; i++)
        link_to(event, spawn(looks, 1, (u64 *)&to, 1, NULL), 0, DB_MODE_CONST);
    return block_with((u64)event.guid);
}

static ocrGuid_t adds_up(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u32 *data = depv[0].ptr;
    u64 sum = 0;
    for (u32 i = 0; i < MANY; i++)
        sum += data[i];
    CHECK_EQ(sum, (u64)MANY * (MANY - 1) / 2);
    return NULL_GUID;
}

/* Many copies into one block, all at once, whose sources go. Their scope closes when all are made. */
static ocrGuid_t gathers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < MANY; i++) {
        u32 *one;
        ocrGuid_t part = block_of(sizeof *one, (void **)&one);
        *one = i;
        OK(ocrDbRelease(part));
        OK(ocrDbCopy(depv[0].guid, i * sizeof *one, part, 0, sizeof *one, DB_COPY_PARTITION_BACK, NULL));
    }
    return NULL_GUID;
}

/* An event that is not used goes as well, with the end of the EDT or with the copy. */
static ocrGuid_t ignores(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const ocrGuid_t *both = depv[0].ptr;
    ocrGuid_t *events = depv[1].ptr;
    for (u32 i = 0; i < paramv[0]; i++)
        OK(ocrDbCopy(both[0], 0, both[1], 0, sizeof(u32), DB_COPY_PARTITION, &events[i]));
    return NULL_GUID;
}

static ocrGuid_t all_gone(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < paramv[0]; i++)
        is_gone(((ocrGuid_t *)depv[0].ptr)[i]);
    return NULL_GUID;
}

/* The event as what an EDT returns. */
static ocrGuid_t returns_event(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    const ocrGuid_t *both = (ocrGuid_t *)paramv;
    ocrGuid_t event;
    OK(ocrDbCopy(both[0], 10 * sizeof(u32), both[1], 5 * sizeof(u32), 8 * sizeof(u32), 0, &event));
    for (int i = 0; i < 20; i++)
        breathe();
    return event;
}

/* A destination without memory gets some. */
static ocrGuid_t fifth(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(((const u32 *)depv[0].ptr)[5], 5);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t wrong_calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 held;
    ocrGuid_t one = numbers(0, &held), other = numbers(0, &held), sticky = event_of(OCR_EVENT_STICKY_T), event = sticky;
    const u64 size = COUNT * sizeof(u32);
    ocrGuid_t wrong[] = {NULL_GUID, UNINITIALIZED_GUID, ERROR_GUID, sticky, {.guid = 0x7777}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(OCR_EINVAL, ocrDbCopy(wrong[i], 0, one, 0, 1, 0, &event));
        REFUSED(OCR_EINVAL, ocrDbCopy(one, 0, wrong[i], 0, 1, 0, &event));
    }
    REFUSED(OCR_EINVAL, ocrDbCopy(one, 0, other, 0, 1, DB_COPY_PARTITION | DB_COPY_PARTITION_BACK, &event));
    REFUSED(OCR_EINVAL, ocrDbCopy(one, 0, other, 0, 1, (u64)1 << 32, &event));
    REFUSED(OCR_EPERM, ocrDbCopy(one, 0, one, 8, 8, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, 1, other, 0, size, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, 0, other, 1, size, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, 0, other, 0, size + 1, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, size + 1, other, 0, 0, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, UINT64_MAX, other, 0, 2, 0, &event));
    REFUSED(OCR_ENOMEM, ocrDbCopy(one, 0, other, 2, UINT64_MAX, 0, &event));
    void *addr;
    ocrGuid_t once;
    OK(ocrDbCreate(&once, &addr, 8, DB_PROP_SINGLE_ASSIGNMENT, NULL_HINT, NO_ALLOC));
    OK(ocrDbRelease(once));
    REFUSED(OCR_EACCES, ocrDbCopy(once, 0, one, 0, 8, 0, &event));
    CHECK(ocrGuidIsEq(event, sticky));
    /* Nothing is a copy, too, and at the very end. */
    OK(ocrDbCopy(one, size, other, size, 0, 0, NULL));
    OK(ocrDbRelease(one));
    OK(ocrDbRelease(other));
    OK(ocrEventDestroy(sticky));
    ocrGuid_t gone = numbers(0, NULL);
    OK(ocrDbDestroy(gone));
    REFUSED(OCR_EINVAL, ocrDbCopy(one, 0, gone, 0, 1, 0, NULL));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t done, end = end_after(7), both[2], block, event, last;
    u64 many = MANY;
    void *addr;

    ocrGuid_t begin = spawn_with(copies, 0, NULL, 1, NULL, EDT_PROP_FINISH, &event);
    ocrGuid_t check = spawn_with(checks_event, 0, NULL, 1, NULL, EDT_PROP_NONE, &done);
    link_to(done, end, 0, DB_MODE_NULL);
    link_to(event, check, 0, DB_MODE_RO);
    link_to(NULL_GUID, begin, 0, DB_MODE_NULL);

    OK(ocrDbCreate(&block, &addr, MANY * sizeof(u32), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    ocrGuid_t gathered, gather = spawn_with(gathers, 0, NULL, 1, NULL, EDT_PROP_FINISH, &gathered);
    ocrGuid_t slots[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    ocrGuid_t adds = spawn_with(adds_up, 0, NULL, 2, slots, EDT_PROP_NONE, &done);
    link_to(done, end, 1, DB_MODE_NULL);
    link_to(block, adds, 0, DB_MODE_CONST);
    link_to(gathered, adds, 1, DB_MODE_NULL);
    link_to(block, gather, 0, DB_MODE_RO);

    both[0] = numbers(0, NULL), both[1] = numbers(0, NULL);
    ocrGuid_t *addresses, events, guids = block_of(sizeof both, (void **)&addresses);
    memcpy(addresses, both, sizeof both);
    OK(ocrDbRelease(guids));
    events = block_of(MANY * sizeof(ocrGuid_t), &addr);
    OK(ocrDbRelease(events));
    ocrGuid_t ignored, ignore = spawn_with(ignores, 1, &many, 2, NULL, EDT_PROP_FINISH, &ignored);
    ocrGuid_t gone = spawn_with(all_gone, 1, &many, 2, NULL, EDT_PROP_NONE, &done);
    link_to(done, end, 2, DB_MODE_NULL);
    link_to(ignored, gone, 1, DB_MODE_NULL);
    link_to(events, gone, 0, DB_MODE_CONST);
    link_to(events, ignore, 1, DB_MODE_EW);
    link_to(guids, ignore, 0, DB_MODE_CONST);

    for (int finish = 0; finish < 2; finish++) {
        both[0] = numbers(1000, NULL), both[1] = numbers(0, NULL);
        ocrGuid_t edt =
            spawn_with(returns_event, 2, (u64 *)both, 1, NULL, finish ? EDT_PROP_FINISH : EDT_PROP_NONE, &event);
        ocrGuid_t look = spawn_with(looks, 1, (u64 *)&both[0], 1, NULL, EDT_PROP_NONE, &done);
        link_to(done, end, 3 + finish, DB_MODE_NULL);
        link_to(event, look, 0, DB_MODE_CONST);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }

    begin = spawn_with(wrong_calls, 0, NULL, 1, NULL, EDT_PROP_FINISH, &done);
    link_to(done, end, 5, DB_MODE_NULL);
    link_to(NULL_GUID, begin, 0, DB_MODE_NULL);

    OK(ocrDbCreate(&last, &addr, COUNT * sizeof(u32), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC));
    OK(ocrDbCopy(last, 0, numbers(0, NULL), 0, COUNT * sizeof(u32), DB_COPY_PARTITION_BACK, &event));
    ocrGuid_t look = spawn_with(fifth, 0, NULL, 1, NULL, EDT_PROP_NONE, &done);
    link_to(done, end, 6, DB_MODE_NULL);
    link_to(event, look, 0, DB_MODE_RO);
    return NULL_GUID;
}
