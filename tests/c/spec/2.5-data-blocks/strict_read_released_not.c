/*
 * Strict mode reports no read of a released block by an EDT that has it: others that acquire it, at once or later and
 * in each mode, read and write it, and so does the system for them; an EDT that still holds it after another one's
 * release; parts and the whole of a divided block; what is passed by value, copied, and destroyed. A thread of the
 * program, whose pointer came from elsewhere, is not reported either: strict mode does not know what it has.
 */
// clause: 2.5.3
// env: OCR_CHECK=strict
#include "strict.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-partitioning.h>
#include <pthread.h>

enum { NUMBERS = 3000, ROUNDS = 20 };

static u64 *s_numbers;

static void *looks(void *nothing) {
    CHECK_EQ(s_numbers[0], 1);
    return nothing;
}

/* Reads, by a system call, too, and writes where it may. */
static ocrGuid_t uses(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *numbers = depv[0].ptr, first = 0;
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(write(ends[1], numbers, sizeof *numbers), sizeof *numbers);
    CHECK_EQ(read(ends[0], paramv[0] ? numbers : &first, sizeof first), sizeof first);
    close(ends[0]), close(ends[1]);
    CHECK_EQ(numbers[0], 1);
    CHECK_EQ(numbers[NUMBERS - 1], NUMBERS);
    if (paramv[0])
        numbers[5]++;
    OK(ocrDbRelease(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t of_half(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(((u64 *)depv[0].ptr)[0], paramv[0]);
    OK(ocrDbRelease(depv[0].guid));
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(((u64 *)depv[depc - 1].ptr)[NUMBERS - 1], NUMBERS);
    CHECK_EQ(((u64 *)depv[depc - 2].ptr)[NUMBERS - 1], NUMBERS);
    pthread_t thread;
    s_numbers = depv[depc - 1].ptr;
    OK(ocrDbRelease(depv[depc - 1].guid));
    CHECK_EQ(pthread_create(&thread, NULL, looks, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    OK(ocrDbDestroy(depv[depc - 1].guid));
    OK(ocrDbDestroy(depv[3].guid));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t divides(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    ocrGuid_t *guids = (ocrGuid_t *)paramv, end = guids[0], copied, other, edt, done;
    void *addr;
    ocrDbPart_t parts[2] = {{0, 8 * NUMBERS / 2, NULL_GUID}, {8 * NUMBERS / 2, 8 * NUMBERS / 2, NULL_GUID}};
    ocrGuid_t block = depv[depc - 1].guid;
    CHECK_EQ(((u64 *)depv[depc - 1].ptr)[5], 6 + ROUNDS);
    OK(ocrAddDependenceByValue(block, end, 0, DB_MODE_RO));
    OK(ocrDbRelease(block));
    other = block_of(8 * NUMBERS, &addr);
    memset(addr, 0, 8 * NUMBERS);
    OK(ocrDbRelease(other));
    OK(ocrDbPartition(block, 2, parts, 0));
    for (u64 i = 0; i < 2; i++) {
        u64 first = i * NUMBERS / 2 + 1;
        edt = EDT_WITH(of_half, 1, &first, 1, NULL, &done);
        link_to(done, end, 1 + (u32)i, DB_MODE_NULL);
        link_to(parts[i].guid, edt, 0, DB_MODE_EW);
    }
    OK(ocrDbCopy(other, 0, block, 0, 8 * NUMBERS, 0, &copied));
    link_to(copied, end, 3, DB_MODE_CONST);
    link_to(block, end, 4, DB_MODE_CONST);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_EW, DB_MODE_CONST};
    void *addr;
    ocrGuid_t block = block_of(8 * NUMBERS, &addr), end = EDT(last, 0, NULL, 5, NULL), done;
    ocrGuid_t next = EDT(divides, 1, (u64 *)&end, 3 * ROUNDS + 1, NULL);
    for (u64 i = 0; i < NUMBERS; i++)
        ((u64 *)addr)[i] = i + 1;
    OK(ocrDbRelease(block));
    for (u32 i = 0; i < 3 * ROUNDS; i++) {
        u64 writes = i % 3 == 1;
        ocrGuid_t edt = EDT_WITH(uses, 1, &writes, 1, NULL, &done);
        link_to(done, next, i, DB_MODE_NULL);
        link_to(block, edt, 0, modes[i % 3]);
    }
    link_to(block, next, 3 * ROUNDS, DB_MODE_EW);
    return NULL_GUID;
}
