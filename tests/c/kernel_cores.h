/* kernel_cores.h - what the programs share that look on which cores workers and a CPU device run. */
#ifndef KERNEL_CORES_H
#define KERNEL_CORES_H

#include "kernel.h"
#include <dirent.h>
#include <extensions/ocr-runtime-itf.h>

static const char *source = "__kernel void twice(__global uint *words) { words[get_global_id(0)] *= 2; }\n";

/* The cores of threads of a kind, together, and how many such threads there are. */
typedef struct {
    cpu_set_t cores;
    int threads;
} Side;

static inline cpu_set_t cores_of_process(void) {
    cpu_set_t all;
    CHECK_EQ(sched_getaffinity(getpid(), sizeof all, &all), 0);
    return all;
}

/* What a line of /proc/.../status has behind its name. */
static inline bool line_of(const char *thread, const char *name, char *value, size_t size) {
    char path[300], line[8192];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, strlen(name)) == 0;
        snprintf(value, size, "%s", line + strlen(name) + strspn(line + strlen(name), ": \t"));
        value[strcspn(value, "\n")] = 0;
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* Adds the cores of a list as 0-3,8. */
static inline void add_list(cpu_set_t *cores, const char *list) {
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        CHECK(end != list);
        if (*end == '-') {
            last = strtol(end + 1, &end, 10);
        }
        for (long core = first; core <= last; core++) {
            CPU_SET(core, cores);
        }
        list = *end == ',' ? end + 1 : end;
        CHECK(*end == ',' || *end == 0);
    }
}

/* Threads that run EDTs, if any do, and those that the driver has started when it was asked for its devices, which have
 * the name of the thread that asked. The managers of devices are neither. */
static inline void look_for(Side *workers, Side *device) {
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    *workers = *device = (Side){.threads = 0};
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[100], list[8000];
        if (entry->d_name[0] == '.' || !line_of(entry->d_name, "Name", name, sizeof name) ||
            !line_of(entry->d_name, "Cpus_allowed_list", list, sizeof list)) {
            continue;
        }
        bool works = !strncmp(name, "ocr-worker-", 11) || !strncmp(name, "ocr-helper-", 11);
        Side *side = works ? workers : !strcmp(name, "ocr-device-list") ? device : NULL;
        if (side) {
            add_list(&side->cores, list);
            side->threads++;
        }
    }
    closedir(folder);
}

static inline void look(Side *workers, Side *device) {
    look_for(workers, device);
    CHECK(workers->threads > 0);
}

/* Whether the process may use less than its cores: then how many threads that leaves room for is not known here. */
static inline bool has_quota(void) {
    const char *files[] = {"/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"};
    for (int i = 0; i < 2; i++) {
        char first = 0;
        FILE *file = fopen(files[i], "r");
        if (file) {
            first = (char)fgetc(file);
            fclose(file);
        }
        if (first >= '0' && first <= '9') {
            return true;
        }
    }
    return false;
}

/* Ends the program where there is nothing to see. */
static inline void need_cores(void) {
    if (has_quota()) {
        NOT_RUN("a cgroup has a quota, so that the cores do not say how many threads there may be");
    }
    cpu_set_t all = cores_of_process();
    if (CPU_COUNT(&all) < 2) {
        NOT_RUN("there is one core, which cannot be shared out");
    }
}

static inline void need_threads(const Side *device) {
    if (device->threads == 0) {
        NOT_RUN("which threads are the OpenCL device's cannot be found out");
    }
}

/* All threads may run everywhere. */
static inline void expect_shared(void) {
    cpu_set_t all = cores_of_process();
    Side workers, device;
    look(&workers, &device);
    CHECK(CPU_EQUAL(&workers.cores, &all));
    need_threads(&device);
    CHECK(CPU_EQUAL(&device.cores, &all));
}

/* Workers and device have cores of their own; returns how many the workers have. */
static inline int expect_apart(void) {
    cpu_set_t all = cores_of_process(), both, either;
    Side workers, device;
    look(&workers, &device);
    need_threads(&device);
    CHECK(CPU_COUNT(&workers.cores) > 0 && CPU_COUNT(&workers.cores) < CPU_COUNT(&all));
    CPU_AND(&both, &workers.cores, &device.cores);
    CHECK_EQ(CPU_COUNT(&both), 0);
    CPU_OR(&either, &workers.cores, &device.cores);
    CHECK(CPU_EQUAL(&either, &all));
    return CPU_COUNT(&workers.cores);
}

/* A template with a kernel, and with a function beside it or not. */
static inline ocrGuid_t with_kernel(ocrEdt_t function) {
    if (function == NULL) {
        return kernel_of(source, "twice", 0, 1);
    }
    ocrGuid_t tmpl = template_of(function, 0, 1);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "twice", per_word, 0));
    return tmpl;
}

static inline ocrGuid_t twice(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < 64; i++) {
        ((u32 *)depv[0].ptr)[i] *= 2;
    }
    return depv[0].guid;
}

#endif
