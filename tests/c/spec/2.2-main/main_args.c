/*
 * 2.2, 2.3.3, 2.3.4: mainEdt has no parameters and one block with the command line; its layout;
 * both names of the accessors; the block passed on to another EDT.
 */
// clause: 2.2 2.3.3 2.3.4
// deviates: 2.3.4
// args: 2 4 abcd
#include "check.h"

static void check_arguments(void *block) {
    static const char *want[] = {NULL, "2", "4", "abcd"};
    CHECK_EQ(ocrGetArgc(block), 4);
    CHECK_EQ(getArgc(block), 4);
    CHECK(strstr(ocrGetArgv(block, 0), "main_args") != NULL);
    for (u64 i = 1; i < 4; i++) {
        CHECK_EQ(strcmp(ocrGetArgv(block, i), want[i]), 0);
        CHECK_EQ(strcmp(getArgv(block, i), want[i]), 0);
    }
    CHECK(ocrGetArgv(block, 4) == NULL && getArgv(block, (u64)-1) == NULL);
    /* 8 bytes argc, argc offsets from the start of the block, the strings. */
    const u64 *words = (const u64 *)block;
    CHECK_EQ(words[0], 4);
    for (u64 i = 0; i < 4; i++) {
        CHECK((char *)block + words[1 + i] == ocrGetArgv(block, i));
        CHECK(words[1 + i] >= 5 * sizeof(u64));
    }
}

static ocrGuid_t later(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramv;
    CHECK_EQ(paramc, 0);
    CHECK_EQ(depc, 2);
    check_arguments(depv[0].ptr);
    CHECK(ocrGuidIsNull(depv[1].guid));
    OK(ocrDbDestroy(depv[0].guid));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(paramc, 0);
    CHECK(paramv == NULL);
    CHECK_EQ(depc, 1);
    CHECK(!ocrGuidIsNull(depv[0].guid));
    check_arguments(depv[0].ptr);
    ocrGuid_t slots[] = {depv[0].guid, UNINITIALIZED_GUID};
    ocrGuid_t edt = spawn(later, 0, NULL, 2, slots);
    link_to(NULL_GUID, edt, 1, DB_MODE_NULL);
    return NULL_GUID;
}
