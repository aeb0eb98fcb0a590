/* Runs until there is a file "end", and prints its arguments then. With the argument "long", its first EDT lasts until
 * there is a file "go", and with "file", it has a file open all the time. */
#include "common.h"

#include <extensions/ocr-file.h>

static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (access("end", F_OK) != 0) {
        breathe();
        spawn(step, 0, NULL, 0, NULL);
        return NULL_GUID;
    }
    /* Those of this process: a run that goes on has no `mainEdt`. */
    char words[4096];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t len = fread(words, 1, sizeof words - 1, file);
    fclose(file);
    words[len] = 0;
    printf("ended with");
    for (char *word = words + strlen(words) + 1; word < words + len; word += strlen(word) + 1)
        printf(" %s", word);
    printf("\n");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const char *what = ocrGetArgc(depv[0].ptr) > 1 ? ocrGetArgv(depv[0].ptr, 1) : "";
    ocrGuid_t file;
    if (strcmp(what, "file") == 0)
        OK(ocrFileOpen(&file, "opened", "w", NULL, 0));
    printf("begun\n");
    fflush(stdout);
    while (strcmp(what, "long") == 0 && access("go", F_OK) != 0)
        breathe();
    return step(0, NULL, 0, NULL);
}
