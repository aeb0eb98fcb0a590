/*
 * A graph of EDTs that ends in the way that the first argument says, after as many EDTs as the second says: a chain in
 * which each EDT satisfies the next by its output event, with a block. "fork" has a child abort, and is killed then.
 */
#include <ocr.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *how;

static ocrGuid_t link_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ++*(u64 *)depv[0].ptr;
    return depv[0].guid;
}

/* A process that is forked has the recording's memory. What it does is not the run's. */
static void fork_and_be_killed(void) {
    pid_t child = fork();
    if (child == 0) {
        ocrGuid_t block;
        void *content;
        for (int i = 0; i < 1000; i++)
            ocrDbCreate(&block, &content, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        ocrAbort(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 5)
        kill(getpid(), SIGKILL);
}

static ocrGuid_t last_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (*(u64 *)depv[0].ptr != paramv[0])
        return NULL_GUID;
    fprintf(stderr, "at the end\n");
    fflush(stderr);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "fork"))
        fork_and_be_killed();
    if (!strcmp(how, "crash"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "ocrAbort"))
        ocrAbort(4);
    if (!strcmp(how, "wait"))
        pause();
    if (strcmp(how, "hang"))
        ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    how = getArgv(depv[0].ptr, 1);
    u64 count = strtoull(getArgv(depv[0].ptr, 2), NULL, 10);
    ocrGuid_t link, last, block, edt, output, before, begin;
    u64 *number;
    ocrDbCreate(&block, (void **)&number, 4096, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *number = 0;
    ocrDbRelease(block);
    ocrEdtTemplateCreate(&link, link_edt, 0, 1);
    ocrEdtTemplateCreate(&last, last_edt, 1, 1);
    ocrEventCreate(&begin, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
    before = begin;
    for (u64 i = 0; i < count; i++) {
        ocrEdtCreate(&edt, link, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &before, EDT_PROP_NONE, NULL_HINT, &output);
        before = output;
    }
    ocrEdtCreate(&edt, last, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, &before, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEventSatisfy(begin, block);
    return NULL_GUID;
}
