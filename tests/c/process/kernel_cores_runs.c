/*
 * A program with a main of its own that runs the runtime three times: in each run workers and device part, and after
 * each one the threads of the driver, which stay, may run everywhere. The program's own thread always may.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 1
#include "kernel_cores.h"
#include <extensions/ocr-legacy.h>

static ocrGuid_t parts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    with_kernel(twice);
    expect_apart();
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    need_cores();
    cpu_set_t all = cores_of_process();
    for (int run = 0; run < 3; run++) {
        ocrConfig_t config = {0, NULL, NULL};
        ocrGuid_t context;
        ocrLegacyInit(&context, &config);
        spawn(parts, 0, NULL, 0, NULL);
        CHECK_EQ(ocrLegacyFinalize(context, true), 0);
        cpu_set_t now = cores_of_process();
        CHECK(CPU_EQUAL(&now, &all));
        Side device = {.threads = 0};
        DIR *folder = opendir("/proc/self/task");
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char list[8000];
            if (entry->d_name[0] != '.' && line_of(entry->d_name, "Cpus_allowed_list", list, sizeof list)) {
                cpu_set_t cores;
                CPU_ZERO(&cores);
                add_list(&cores, list);
                CHECK(CPU_EQUAL(&cores, &all));
                device.threads++;
            }
        }
        CHECK(folder != NULL && device.threads > 0);
        closedir(folder);
    }
    return 0;
}
