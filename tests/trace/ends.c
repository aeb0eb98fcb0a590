/*
 * A graph of EDTs that ends in the way that the first argument says, after as many EDTs as the second says: a chain in
 * which each EDT satisfies the next by its output event, with a block.
 */
#include <ocr.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static ocrGuid_t link_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ++*(u64 *)depv[0].ptr;
    return depv[0].guid;
}

static ocrGuid_t last_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    if (*(u64 *)depv[0].ptr != paramv[0])
        return NULL_GUID;
    fprintf(stderr, "at the end\n");
    fflush(stderr);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
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
