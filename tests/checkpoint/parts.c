/* A chain of EDTs, each of which changes one byte of a large block, and half of a small one, and asks for a checkpoint.
 * The last one dies unless it was restored, when the last checkpoint is there; else it checks both blocks. */
#include "common.h"

enum { LARGE = 8 << 20, SMALL = 9000, STEPS = 12 };

/* Which byte of the large block a step changes. */
static u64 at(u64 step) {
    return (step * 1000003) % LARGE;
}

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    unsigned char *large = depv[0].ptr, *small = depv[1].ptr;
    u64 turn = paramv[0];
    /* How many checkpoints of an earlier run are there. */
    const unsigned earlier = getenv("EARLIER") == NULL ? 0 : (unsigned)atoi(getenv("EARLIER"));
    if (turn != 0 && !is_there_or_restored(earlier + (unsigned)turn)) {
        /* The checkpoint may wait for the end of this EDT: another one looks again. */
        breathe();
    } else if (turn == STEPS) {
        die_unless_restored(earlier + STEPS);
        for (u64 i = 0; i < STEPS; i++) {
            CHECK_EQ(large[at(i)], 200 + i);
            large[at(i)] = (unsigned char)(at(i) * 31 >> 3);
        }
        for (u64 i = 0; i < LARGE; i++)
            CHECK_EQ(large[i], (unsigned char)(i * 31 >> 3));
        for (u64 i = 0; i < SMALL; i++)
            CHECK_EQ(small[i], i < SMALL / 2 ? STEPS - 1 : 77);
        printf("all bytes are right\n");
        ocrShutdown();
        return NULL_GUID;
    } else {
        large[at(turn)] = (unsigned char)(200 + turn);
        memset(small, (int)turn, SMALL / 2);
        CHECK_EQ(ocrCheckpoint(), getenv("OCR_CHECKPOINT") == NULL ? OCR_ENOTSUP : 0);
        turn++;
    }
    ocrGuid_t edt = spawn(step, 1, &turn, 2, NULL);
    link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    link_to(depv[1].guid, edt, 1, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *ptr;
    ocrGuid_t large, small;
    OK(ocrDbCreate(&large, &ptr, LARGE, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    for (u64 i = 0; i < LARGE; i++)
        ((unsigned char *)ptr)[i] = (unsigned char)(i * 31 >> 3);
    OK(ocrDbRelease(large));
    OK(ocrDbCreate(&small, &ptr, SMALL, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(ptr, 77, SMALL);
    OK(ocrDbRelease(small));
    u64 first = 0;
    ocrGuid_t edt = spawn(step, 1, &first, 2, NULL);
    link_to(large, edt, 0, DB_MODE_RW);
    link_to(small, edt, 1, DB_MODE_RW);
    return NULL_GUID;
}
