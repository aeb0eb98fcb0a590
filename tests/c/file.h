/* file.h - files of the programs that test ocr-file.h: made in the working directory, and removed. */
#ifndef FILE_H
#define FILE_H

#include "check.h"

#include <errno.h>
#include <extensions/ocr-file.h>
#include <fcntl.h>
#include <sys/stat.h>

/* A name that no other process uses. */
static inline const char *file_name(char text[64], const char *what) {
    snprintf(text, 64, "%s.%ld.tmp", what, (long)getpid());
    return text;
}

static inline void write_file(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    CHECK_EQ(fclose(file), 0);
}

/* What a file holds; *size is its size. To be freed. */
static inline unsigned char *read_file(const char *name, size_t *size) {
    struct stat about;
    CHECK_EQ(stat(name, &about), 0);
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    *size = (size_t)about.st_size;
    unsigned char *bytes = malloc(*size + 1);
    CHECK_EQ(fread(bytes, 1, *size + 1, file), *size);
    fclose(file);
    return bytes;
}

static inline size_t size_of_file(const char *name) {
    struct stat about;
    CHECK_EQ(stat(name, &about), 0);
    return (size_t)about.st_size;
}

/* How many files this process has open under a name. */
static inline int times_open(const char *name) {
    struct stat wanted, about;
    CHECK_EQ(stat(name, &wanted), 0);
    int times = 0;
    for (int fd = 0; fd < 256; fd++) {
        /* By its name: for ThreadSanitizer, fstat races with a thread that closes another file. */
        char link[32];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        times += stat(link, &about) == 0 && about.st_ino == wanted.st_ino && about.st_dev == wanted.st_dev;
    }
    return times;
}

#endif
