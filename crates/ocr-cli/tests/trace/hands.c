/*
 * A program that does something to descriptors, or to the file of its own recording, while EDTs run.
 * hands HOW COUNT: COUNT EDTs run after it has done so. What it has written itself must stay as it is.
 */
#include "../../../../tests/c/check.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#define FILES 24
#define TEXT "what the program has written\n"
#define LINES 40

static const char *how;
static char recording[4096];
static char own[4096];
static atomic_int done;

/* A file of the program, and whether it has what the program has written, and nothing else. */
static void name_of(char *name, size_t room, int number) { snprintf(name, room, "%s/own.%d", own, number); }

static void write_own(int descriptor) {
    for (int line = 0; line < LINES; line++) CHECK(write(descriptor, TEXT, strlen(TEXT)) == (ssize_t)strlen(TEXT));
}

static void check_own(int number) {
    char name[4200], text[2 * LINES * sizeof TEXT];
    name_of(name, sizeof name, number);
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    CHECK(descriptor >= 0);
    ssize_t length = read(descriptor, text, sizeof text);
    CHECK_EQ(length, LINES * (ssize_t)strlen(TEXT));
    for (int line = 0; line < LINES; line++) CHECK(memcmp(text + line * strlen(TEXT), TEXT, strlen(TEXT)) == 0);
    close(descriptor);
}

/* Closes all that it does not know, and has files of its own on as many numbers as it can. */
static void *meddle(void *unused) {
    (void)unused;
    char name[4200];
    for (int round = 0; round < 200; round++) {
        closefrom(3);
        int opened[FILES];
        for (int at = 0; at < FILES; at++) {
            name_of(name, sizeof name, at);
            opened[at] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
            CHECK(opened[at] >= 0);
            write_own(opened[at]);
        }
        /* The same files, on numbers far above. */
        for (int at = 0; at < FILES; at++) CHECK(dup2(opened[at], 100 + at * 37) >= 0);
        char second[4300];
        snprintf(second, sizeof second, "%s.link", name);
        unlink(second);
        CHECK(link(name, second) == 0);
        for (int at = 0; at < FILES; at++) check_own(at);
        usleep(200);
    }
    done = 1;
    return NULL;
}

static void do_it(void) {
    if (strcmp(how, "cut") == 0) CHECK(truncate(recording, 0) == 0);
    if (strcmp(how, "cut-behind") == 0) CHECK(truncate(recording, 70000) == 0);
    if (strcmp(how, "remove") == 0) CHECK(unlink(recording) == 0);
    if (strcmp(how, "rename") == 0) {
        char other[4200];
        snprintf(other, sizeof other, "%s.moved", recording);
        CHECK(rename(recording, other) == 0);
    }
    if (strcmp(how, "overwrite") == 0) {
        int descriptor = open(recording, O_WRONLY | O_CLOEXEC);
        char text[4096];
        memset(text, 'x', sizeof text);
        CHECK(pwrite(descriptor, text, sizeof text, 0) == sizeof text);
        close(descriptor);
    }
}

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, leaf, 0, 0);
    for (u64 n = 0; n < paramv[0]; n++) {
        if (n == paramv[0] / 4) do_it();
        if (n % 64 == 0 && strcmp(how, "descriptors") == 0) usleep(100);
        ocrEdtCreate(&edt, template, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (strcmp(how, "descriptors") == 0) {
        while (!done) usleep(1000);
        for (int at = 0; at < FILES; at++) check_own(at);
    }
    puts("the program has ended");
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    how = strdup(getArgv(depv[0].ptr, 1));
    u64 count = strtoull(getArgv(depv[0].ptr, 2), NULL, 10);
    snprintf(own, sizeof own, "%s", getArgv(depv[0].ptr, 3));
    snprintf(recording, sizeof recording, "%s", getenv("OCR_TRACE"));
    if (strcmp(how, "descriptors") == 0) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, meddle, NULL) == 0);
    }
    ocrGuid_t of_all, of_end, first, last, ended;
    ocrEdtTemplateCreate(&of_all, all, 1, 1);
    ocrEdtTemplateCreate(&of_end, end, 0, 1);
    ocrEdtCreate(&first, of_all, 1, &count, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &ended);
    ocrEdtCreate(&last, of_end, 0, NULL, 1, &ended, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL);
    return NULL_GUID;
}
