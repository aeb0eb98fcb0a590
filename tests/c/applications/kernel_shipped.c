/*
 * All kernels that are installed and that of tests/stress compile as OpenCL C 1.2 and, if the implementation has it, as
 * 3.0: for CPU devices, and in their forms for GPUs. (tests/kernels.rs asks a compiler that has all optional features
 * of these, which few implementations have.)
 */
// clause: application ocr-variants.h
// needs: opencl
// workers: 1
#include "kernel.h"
#include <dirent.h>
#include <extensions/ocr-affinity.h>

static const char *const standards[] = {"-cl-std=CL1.2", "-cl-std=CL3.0"};
/* What the runtime defines for the device at hand is undone. */
static const char *const kinds[] = {"#undef OCR_DEVICE_GPU\n#undef OCR_DEVICE_CPU\n#define OCR_DEVICE_CPU 1\n",
                                    "#undef OCR_DEVICE_CPU\n#undef OCR_DEVICE_GPU\n#define OCR_DEVICE_GPU 1\n"};
static int kernels;
static bool without;

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK_EQ(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    CHECK(size > 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    CHECK(text != NULL);
    CHECK_EQ(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* Adds one kernel of a source; its counts are open, so that only its compilation is judged. */
static u8 add(const char *source, const char *options, const char *kernel) {
    ocrGuid_t tmpl = template_of(nothing, EDT_PARAM_UNK, EDT_PARAM_UNK);
    u8 code = ocrEdtTemplateAddKernel(tmpl, source, options, kernel, one_item, OCR_NO_RESULT);
    OK(ocrEdtTemplateDestroy(tmpl));
    return code;
}

static bool takes(const char *standard) {
    return add("kernel void none(global int *n) { n[0] = 1; }", standard, "none") == 0;
}

/* The text of a kernel's head begins with one of these words. */
static const char *next_kernel(const char *text, char name[64]) {
    while ((text = strstr(text, "kernel void ")) != NULL) {
        text += strlen("kernel void ");
        if (sscanf(text, "%63[A-Za-z0-9_](", name) == 1) {
            return text;
        }
    }
    return NULL;
}

static void compile(const char *path, const char *text, const char *standard, const char *kind) {
    char name[64];
    char *source = malloc(strlen(kind) + strlen(text) + 1);
    CHECK(source != NULL);
    strcat(strcpy(source, kind), text);
    for (const char *at = text; (at = next_kernel(at, name)) != NULL;) {
        /* Forms for one kind of device are named so. */
        const char *end = strlen(name) > 4 ? name + strlen(name) - 4 : "";
        if ((strcmp(end, "_cpu") == 0 && kind == kinds[1]) || (strcmp(end, "_gpu") == 0 && kind == kinds[0])) {
            continue;
        }
        if (add(source, standard, name) != 0) {
            fprintf(stderr, "%s: %s does not compile with '%s'\n", path, name, standard);
            check_fail(__FILE__, __LINE__, "a kernel that is shipped compiles");
        }
        kernels++;
    }
    free(source);
}

static void compile_all(const char *folder) {
    DIR *files = opendir(folder);
    CHECK(files != NULL);
    int found = 0;
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        const char *end = strrchr(file->d_name, '.');
        char path[4096];
        if (end == NULL || strcmp(end, ".cl") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        char *text = read_file(path);
        for (int standard = 0; standard < (without ? 1 : 2); standard++) {
            for (int kind = 0; kind < 2; kind++) {
                compile(path, text, standards[standard], kinds[kind]);
            }
        }
        free(text);
        found++;
    }
    closedir(files);
    CHECK(found > 0);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    char root[4096];
    if (!takes(standards[0])) {
        NOT_RUN("the implementation has no OpenCL C 1.2");
    }
    without = !takes(standards[1]);
    snprintf(root, sizeof root, "%s", __FILE__);
    char *slash = strstr(root, "/tests/c/");
    CHECK(slash != NULL);
    strcpy(slash, "/kernels");
    compile_all(root);
    strcpy(slash, "/tests/stress");
    compile_all(root);
    CHECK(kernels > 0);
    if (without) {
        char why[200];
        snprintf(why, sizeof why, "the implementation has no OpenCL C 3.0, and all %d kernels compile as 1.2", kernels);
        NOT_RUN(why);
    }
    printf("%d kernels\n", kernels);
    ocrShutdown();
    return NULL_GUID;
}
