/*
 * 2.3: a program does with the functions of this clause alone what it needs around its EDTs: any EDT that gets the
 * block of the command line reads it and prints, and one of them ends the program.
 */
// clause: 2.3
// args: -n 12 a=b
// stdout-lines: 1 argument 1 of 3: -n
// stdout-lines: 1 argument 2 of 3: 12
// stdout-lines: 1 argument 3 of 3: a=b
#include "check.h"

static ocrGuid_t prints(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u64 at = paramv[0], count = getArgc(depv[0].ptr);
    const char *argument = getArgv(depv[0].ptr, at);
    char line[80];
    int length = snprintf(line, sizeof line, "argument %d of %d: %s\n", (int)at, (int)count - 1, argument);
    CHECK_EQ(PRINTF("argument %u of %u: %s\n", (u32)at, (u32)count - 1, argument), length);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    CHECK_EQ(depc, 1);
    const u64 count = getArgc(depv[0].ptr);
    CHECK_EQ(count, 4);
    ocrGuid_t last = end_after((u32)count - 1);
    for (u64 at = 1; at < count; at++) {
        ocrGuid_t output, edt = spawn_with(prints, 1, &at, 1, NULL, EDT_PROP_NONE, &output);
        link_to(output, last, (u32)at - 1, DB_MODE_NULL);
        link_to(depv[0].guid, edt, 0, DB_MODE_CONST);
    }
    return NULL_GUID;
}
