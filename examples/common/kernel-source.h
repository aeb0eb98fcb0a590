/* Finds and reads an OpenCL source of the directory kernels/. A file that includes this one defines _POSIX_C_SOURCE
 * (200809L or more) first, for readlink. */
#ifndef KERNEL_SOURCE_H
#define KERNEL_SOURCE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline char *kernelSourceRead(const char *directory, const char *file) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory, file) >= (int)sizeof path)
        return NULL;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return NULL;
    char *text = NULL;
    long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    if (size >= 0 && fseek(stream, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1)) != NULL)
        text[fread(text, 1, (size_t)size, stream)] = '\0';
    fclose(stream);
    return text;
}

/* The text of kernels/FILE, to be freed; or NULL, after a message to stderr that says where it was looked for: in
 * $OCR_KERNELS, in the source tree of a program build/examples/NAME, where an installed program has it, and here. */
static inline char *kernelSource(const char *file) {
    char program[2048], built[2100], installed[2100];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(built, sizeof built, "%s/../../kernels", program);
    snprintf(installed, sizeof installed, "%s/../share/ocr/kernels", program);

    const char *asked = getenv("OCR_KERNELS");
    const char *const directories[] = { asked, built, installed, "kernels" };
    const size_t count = asked != NULL && asked[0] != '\0' ? 1 : sizeof directories / sizeof *directories;
    for (size_t i = count == 1 ? 0 : 1; i < count; i++) {
        char *text = kernelSourceRead(directories[i], file);
        if (text != NULL)
            return text;
    }
    fprintf(stderr, "%s not found in", file);
    for (size_t i = count == 1 ? 0 : 1; i < count; i++)
        fprintf(stderr, " %s", directories[i]);
    fprintf(stderr, "; set OCR_KERNELS to the directory that has it\n");
    return NULL;
}

#endif
