/*
 * A program with a main of its own, which tests/nodes.rs starts as several nodes: two runs in one process, and a status
 * that main itself returns. With `child PROGRAM`, main starts that other OCR program during the first run. With `away`
 * the EDTs of both runs are to run on the last node.
 */
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-legacy.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    printf("run %lu\n", (unsigned long)paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

static void startChild(const char *program)
{
    char command[4200];
    snprintf(command, sizeof command, "'%s' sum", program);
    fflush(stdout);
    int status = system(command);
    printf("the child has ended with %d\n", WEXITSTATUS(status));
}

static void run(u64 number, const char *child, bool isAway)
{
    ocrGuid_t context, template, edt, affinity;
    ocrHint_t hint;
    u64 nodes;
    ocrConfig_t config = {0};
    ocrLegacyInit(&context, &config);
    if (child != NULL) {
        startChild(child);
    }
    ocrEdtTemplateCreate(&template, ends, 1, 0);
    ocrAffinityCount(AFFINITY_PD, &nodes);
    ocrAffinityGetAt(AFFINITY_PD, nodes - 1, &affinity);
    ocrHintInit(&hint, OCR_HINT_EDT_T);
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
    ocrEdtCreate(&edt, template, 1, &number, 0, NULL, EDT_PROP_NONE, isAway ? &hint : NULL_HINT, NULL);
    ocrLegacyFinalize(context, true);
}

int main(int argc, char **argv)
{
    printf("main\n");
    fflush(stdout);
    bool isParent = argc > 2 && strcmp(argv[1], "child") == 0;
    bool isAway = argc > 1 && strcmp(argv[1], "away") == 0;
    run(1, isParent ? argv[2] : NULL, isAway);
    run(2, NULL, isAway);
    printf("over\n");
    return argc == 2 ? atoi(argv[1]) : 0;
}
