/*
 * Does what its first argument says, for tests/surroundings.rs: programs whose names, arguments, settings and objects
 * have names that are not UTF-8, and programs that go to another directory.
 */
#include <ocr.h>
#include <extensions/ocr-debug.h>
#include <extensions/ocr-file.h>
#include <extensions/ocr-variants.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A symbol that is not UTF-8. */
ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) __asm__("noth\xefng");

ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static void goTo(const char *directory) {
    if (chdir(directory) != 0) {
        perror(directory);
        exit(9);
    }
}

static void printArguments(void *arguments) {
    for (u64 i = 1; i < ocrGetArgc(arguments); i++) {
        for (const char *byte = ocrGetArgv(arguments, i); *byte != '\0'; byte++)
            printf("%02x", (unsigned char)*byte);
        printf("\n");
    }
}

/* An EDT and its event, both with a name, that wait indefinitely. */
static void hang(const char *label) {
    ocrGuid_t template, event, edt;
    ocrEdtTemplateCreate_internal(&template, nothing, 0, 1, label);
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrAttachDebugLabel(event, label, 0, NULL);
    ocrEdtCreate(&edt, template, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL);
}

/* Writes a file, and looks for one that is not there. */
static void openFiles(const char *path, const char *missing) {
    ocrGuid_t file, chunk;
    if (ocrFileOpen(&file, path, "w+", NULL, 0) != 0 || ocrFileGetChunk(&chunk, file, 0, 16) != 0)
        exit(9);
    ocrDbDestroy(chunk);
    ocrFileRelease(file);
    if (ocrFileOpen(&file, missing, "r", NULL, 0) == 0)
        exit(9);
}

static void oneItem(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = 1;
}

/* A kernel whose source is in Latin-1, and whose header is in a directory with such a name. */
static void runKernel(const char *directory) {
    char options[4096];
    ocrGuid_t template, edt, done, last;
    snprintf(options, sizeof options, "-I%s", directory);
    ocrEdtTemplateCreate_internal(&template, nothing, 0, 1, "gr\xf6\xdf");
    if (ocrEdtTemplateAddKernel(template, "/* gr\xf6\xdf" "er */\n#include \"size.h\"\n"
                                "kernel void size(global char *x) { x[0] = SIZE; }\n",
                                options, "size", oneItem, OCR_NO_RESULT) != 0)
        exit(9);
    ocrGuid_t block;
    void *ptr;
    ocrDbCreate(&block, &ptr, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    ocrDbRelease(block);
    ocrEdtTemplateCreate(&last, end, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &done);
    ocrGuid_t lastEdt;
    ocrEdtCreate(&lastEdt, last, 0, NULL, 1, &done, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(block, edt, 0, DB_MODE_RW);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    void *const arguments = depv[0].ptr;
    const char *const what = ocrGetArgv(arguments, 1), *const name = ocrGetArgv(arguments, 2);
    if (strcmp(what, "arguments") == 0)
        printArguments(arguments);
    else if (strcmp(what, "go") == 0)
        goTo(name);
    else if (strcmp(what, "go-and-hang") == 0)
        goTo(name);
    else if (strcmp(what, "files") == 0)
        openFiles(name, ocrGetArgv(arguments, 3));
    if (strstr(what, "hang") != NULL)
        hang(ocrGetArgv(arguments, 3));
    else if (strcmp(what, "kernel") == 0)
        runKernel(name);
    else
        ocrShutdown();
    return NULL_GUID;
}
