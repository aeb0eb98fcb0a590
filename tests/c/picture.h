/* picture.h - what the programs share that ask with SIGUSR1 what runs and what waits. */
#ifndef PICTURE_H
#define PICTURE_H

#include "check.h"

#include <fcntl.h>
#include <signal.h>

static char text_file[64], graph_file[64];

/* Before the runtime starts. Several of these programs may run at a time. */
__attribute__((constructor)) static void name_files(void) {
    snprintf(text_file, sizeof text_file, "picture.%d.stderr", getpid());
    snprintf(graph_file, sizeof graph_file, "picture.%d.dot", getpid());
    setenv("OCR_HALT_DOT", graph_file, 1);
}

/* All of a file, or as much as there is. */
static inline const char *content(const char *name) {
    static char text[1 << 16];
    FILE *file = fopen(name, "r");
    size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[len] = 0;
    return text;
}

static inline void has(const char *name, const char *what) {
    if (!strstr(content(name), what)) {
        fprintf(stderr, "no \"%s\" in:\n%s\n", what, content(name));
        CHECK(!"the picture lacks something");
    }
}

/* Asks, and waits until the text and the graph are there, of this time. */
static inline void take_picture(void) {
    int before = dup(2), file = open(text_file, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
    CHECK(before >= 0 && file >= 0);
    CHECK_EQ(dup2(file, 2), 2);
    unlink(graph_file);
    OK(kill(getpid(), SIGUSR1));
    /* the graph is written last */
    while (!strstr(content(graph_file), "\n}\n"))
        breathe();
    CHECK_EQ(dup2(before, 2), 2);
    OK(close(before));
    OK(close(file));
}

static inline void forget_picture(void) {
    OK(unlink(text_file));
    OK(unlink(graph_file));
}

#endif
