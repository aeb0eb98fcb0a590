/*
 * What an EDT waits for in a call is not its run time: the runtime learns nothing of a function that has waited,
 * whether it was woken or has looked again and again. Of one that has not waited it learns how long that took.
 */
// clause: ocr-variants.h ocr-legacy.h
// needs: opencl
// workers: 2
#include "kernel.h"
#include <dirent.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>
#include <stdatomic.h>

static const char *source = "__kernel void twice(__global uint *words) { words[get_global_id(0)] *= 2; }\n";
static char directory[] = "/tmp/ocr-waiting-time-XXXXXX";
static atomic_int raised;

static ocrGuid_t raises(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_fetch_add(&raised, 1);
    return NULL_GUID;
}

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    int before = atomic_load(&raised);
    spawn(raises, 0, NULL, 0, NULL);
    while (atomic_load(&raised) == before)
        OK(ocrInformLegacyCodeBlocking());
    return NULL_GUID;
}

static ocrGuid_t sleeps(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, slot;
    OK(ocrLegacySpawnOCR(&handle, template_of(raises, 0, 1), 0, NULL, 1, &slot, NULL_GUID));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    return NULL_GUID;
}

/* An EDT that may run as a function or as a kernel, and satisfies a pre-slot of another one. */
static void add(ocrEdt_t function, const char *name, ocrGuid_t last, u32 slot) {
    ocrGuid_t tmpl, done;
    OK(ocrEdtTemplateCreate_internal(&tmpl, function, 0, 1, name));
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "twice", per_word, 0));
    ocrGuid_t edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, &done);
    link_to(done, last, slot, DB_MODE_NULL);
    link_to(words_block(64, 0, 1), edt, 0, DB_MODE_RW);
}

static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = end_after(3);
    add(works, "works", last, 0);
    add(looks, "looks", last, 1);
    add(sleeps, "sleeps", last, 2);
    return NULL_GUID;
}

/* Whether a file of the directory, which is removed, has a line of this template. */
static bool is_learned(const char *name, bool remove) {
    char line[8192], path[600], field[100];
    bool found = false;
    snprintf(field, sizeof field, "template=%s", name);
    DIR *folder = opendir(directory);
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            found |= strstr(line, field) != NULL;
        if (file) {
            fclose(file);
        }
        if (file && remove) {
            unlink(path);
        }
    }
    closedir(folder);
    return found;
}

int main(void) {
    CHECK(mkdtemp(directory) != NULL);
    setenv("OCR_MODELS", directory, 1);
    setenv("OCR_SCHED", "static:255:1", 1);
    setenv("OCR_DEVICES", "all", 1);
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    spawn(begins, 0, NULL, 0, NULL);
    CHECK_EQ(ocrLegacyFinalize(context, true), 0);
    CHECK_EQ(atomic_load(&raised), 2);
    bool works_is = is_learned("works", false), looks_is = is_learned("looks", false);
    bool sleeps_is = is_learned("sleeps", true);
    rmdir(directory);
    CHECK(works_is);
    CHECK(!looks_is && !sleeps_is);
    return 0;
}
