// SIGUSR1 prints what runs, with a device open, too: OpenCL implementations have handlers of that signal. It
// says which EDTs a device has.
//
// needs: opencl
// env: OCR_DEVICES=all
// env: OCR_SCHED=device
#include "kernel.h"

#include <fcntl.h>
#include <signal.h>

static char graph_file[64], text_file[64];

/* Before the runtime starts. Several of these programs may run at a time. */
__attribute__((constructor)) static void name_files(void) {
    snprintf(graph_file, sizeof graph_file, "kernel_picture.%d.dot", getpid());
    snprintf(text_file, sizeof text_file, "kernel_picture.%d.stderr", getpid());
    setenv("OCR_HALT_DOT", graph_file, 1);
}

/* All of a file, or as much as there is. */
static const char *content(const char *name) {
    static char text[1 << 16];
    FILE *file = fopen(name, "r");
    size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[len] = 0;
    return text;
}

/* The EDT is the device's, and is launched when this returns. */
static void asks(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    one_item(paramc, paramv, depc, depSizes, range);
    int before = dup(2), file = open(text_file, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(before >= 0 && file >= 0);
    CHECK_EQ(dup2(file, 2), 2);
    OK(kill(getpid(), SIGUSR1));
    /* the graph is written last */
    while (!strstr(content(graph_file), "\n}\n"))
        breathe();
    CHECK_EQ(dup2(before, 2), 2);
    OK(close(before));
    OK(close(file));
    const char *line = strstr(content(text_file), "\n  device ");
    CHECK(line != NULL);
    CHECK(strstr(line, ") has EDT ") != NULL && strstr(line, "(adds_one)") != NULL);
}

static ocrGuid_t adds_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the policy is device");
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u32 *)depv[0].ptr, 8);
    OK(unlink(graph_file));
    OK(unlink(text_file));
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl, block = words_block(1, 7, 0), edt, done, last;
    OK(ocrEdtTemplateCreate(&tmpl, adds_one, 0, 1));
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void add(__global uint *words) { words[0]++; }\n", NULL, "add", asks,
                               0));
    ocrGuid_t open = UNINITIALIZED_GUID, all[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtCreate(&edt, tmpl, 0, NULL, 1, &open, EDT_PROP_NONE, NULL_HINT, &done));
    last = spawn(ends, 0, NULL, 2, all);
    OK(ocrAddDependence(done, last, 1, DB_MODE_NULL));
    OK(ocrAddDependence(block, last, 0, DB_MODE_RO));
    OK(ocrAddDependence(block, edt, 0, DB_MODE_RW));
    return NULL_GUID;
}
