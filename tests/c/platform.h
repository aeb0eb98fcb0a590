/* platform.h - programs with a main of their own that write a platform description and have the next run read it. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include "check.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-pdl.h>

static char platform_file[64];

/* Begins the file, with a host of this number of cores, this name and this memory. */
static inline FILE *describe_host_with(long cores, const char *name, u64 memory) {
    snprintf(platform_file, sizeof platform_file, "platform.%ld.tmp", (long)getpid());
    FILE *file = fopen(platform_file, "w");
    CHECK(file != NULL);
    fprintf(file,
            "version = 1\n[host]\nname = \"%s\"\nrole = \"Hybrid\"\nkind = \"CPU\"\n"
            "compute-units = %ld\nmemory = %" PRIu64 "\n",
            name, cores, memory);
    return file;
}

/* Begins the file, with this machine as host, but with `cores` cores, and less memory. */
static inline FILE *describe_host(long cores) {
    char name[256] = "";
    CHECK(gethostname(name, sizeof name - 1) == 0);
    return describe_host_with(cores, name, 123456789);
}

static inline void describe_device(FILE *file, u64 index, const char *name, const char *platform, const char *kind) {
    fprintf(file,
            "[[device]]\nindex = %" PRIu64 "\nname = \"%s\"\nplatform = \"%s\"\nrole = \"Worker\"\nkind = \"%s\"\n"
            "compute-units = 77\nmemory = 1000\nlocal-memory = 1001\nmax-work-group = 1002\nshares-memory = false\n",
            index, name, platform, kind);
}

static inline void describe_link(FILE *file, const char *from, const char *to, const char *numbers) {
    fprintf(file, "[[link]]\nfrom = \"%s\"\nto = \"%s\"\n%s\n", from, to, numbers);
}

/* Runs an EDT in a run of its own, which ends the run. */
static inline void run(ocrEdt_t function) {
    ocrConfig_t config;
    ocrGuid_t context;
    const char *argv[] = {"platform", NULL};
    ocrParseArgs(1, argv, &config);
    ocrLegacyInit(&context, &config);
    spawn(function, 0, NULL, 0, NULL);
    ocrLegacyFinalize(context, true);
}

static inline u64 number_of(ocrGuid_t device, const char *property) {
    u64 value = 77777;
    OK(pdlGetDevicePropertyInt(device, property, &value));
    return value;
}

static inline void is_text(ocrGuid_t device, const char *property, const char *wanted) {
    const char *text = pdlGetDevicePropertyString(device, property);
    if (wanted == NULL) {
        CHECK(text == NULL);
        return;
    }
    CHECK(text != NULL);
    CHECK(strcmp(text, wanted) == 0);
}

#endif
