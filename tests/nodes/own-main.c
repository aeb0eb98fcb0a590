/*
 * A program with a main of its own, which tests/nodes.rs starts as several nodes: two runs in one process, and a status
 * that main itself returns.
 */
#include <extensions/ocr-legacy.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    printf("run %lu\n", (unsigned long)paramv[0]);
    ocrShutdown();
    return NULL_GUID;
}

static void run(u64 number)
{
    ocrGuid_t context, template, edt;
    ocrConfig_t config = {0};
    ocrLegacyInit(&context, &config);
    ocrEdtTemplateCreate(&template, ends, 1, 0);
    ocrEdtCreate(&edt, template, 1, &number, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrLegacyFinalize(context, true);
}

int main(int argc, char **argv)
{
    printf("main\n");
    fflush(stdout);
    run(1);
    run(2);
    printf("over\n");
    return argc > 1 ? atoi(argv[1]) : 0;
}
