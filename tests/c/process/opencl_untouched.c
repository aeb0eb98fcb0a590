/*
 * OpenCL is not loaded, and no device has a thread, before the first kernel is added: not for EDTs, data blocks and
 * events, nor for the number of workers and what a run reports.
 */
// clause: process
// needs: opencl
#include "kernel.h"

#include <extensions/ocr-runtime-itf.h>

#include <dirent.h>

static bool is_loaded(void) {
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps))
        found = found || strstr(line, "libOpenCL") != NULL;
    fclose(maps);
    return found;
}

static bool has_device_thread(void) {
    bool found = false;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], name[64] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *comm = fopen(path, "r");
        if (comm == NULL)
            continue;
        found = found || (fgets(name, sizeof name, comm) && strncmp(name, "ocr-device", 10) == 0);
        fclose(comm);
    }
    closedir(tasks);
    return found;
}

static ocrGuid_t adds_kernel(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    CHECK_EQ(*(u64 *)depv[0].ptr, 7);
    CHECK(ocrNbWorkers() > 0);
    CHECK(!is_loaded());
    CHECK(!has_device_thread());
    OK(ocrEdtTemplateDestroy(kernel_of("__kernel void none() {}\n", "none", 0, 0)));
    CHECK(is_loaded());
    CHECK(has_device_thread());
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t writes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    *(u64 *)depv[0].ptr = 7;
    return depv[0].guid;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    void *address;
    ocrGuid_t output, block = block_of(sizeof(u64), &address);
    const ocrGuid_t edt = spawn_with(writes, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, spawn(adds_kernel, 0, NULL, 1, NULL), 0, DB_MODE_CONST);
    link_to(block, edt, 0, DB_MODE_EW);
    return NULL_GUID;
}
