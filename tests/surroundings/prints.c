/*
 * Prints as its first argument says, for tests/surroundings.rs: what cannot be written is reported, whoever prints it,
 * and however the program ends.
 */
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void late(void) { printf("late\n"); }

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const char *const what = ocrGetArgv(depv[0].ptr, 1);
    if (strcmp(what, "ocrPrintf") == 0)
        ocrPrintf("one\n");
    if (strcmp(what, "PRINTF") == 0)
        PRINTF("one\n");
    if (strcmp(what, "printf") == 0 || strcmp(what, "closes") == 0)
        printf("one\n");
    if (strcmp(what, "many") == 0)
        for (int i = 0; i < 10000; i++)
            ocrPrintf("line %d\n", i);
    if (strcmp(what, "flushes") == 0) {
        printf("one\n");
        fflush(stdout);
    }
    if (strcmp(what, "late") == 0)
        atexit(late);
    if (strcmp(what, "exit") == 0) {
        printf("one\n");
        exit(0);
    }
    if (strcmp(what, "abort") == 0) {
        printf("one\n");
        ocrAbort(0);
    }
    if (strcmp(what, "abort7") == 0) {
        printf("one\n");
        ocrAbort(7);
    }
    if (strcmp(what, "closes") == 0)
        fclose(stdout);
    ocrShutdown();
    return NULL_GUID;
}
