/* A program that hangs when it has used up its file descriptors: the system cannot be asked for its threads. */
// clause: hang
// needs: signals
// stderr: ocr: note: no EDT runs, and whether the program hangs cannot be told: /proc/self/status cannot be read
// stderr: which was never satisfied (ocrEventSatisfy)
// one-node: its EDTs share variables of the program
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

static ocrGuid_t event;
static int ends_of_errors[2], errors;

/* Passes on what is written to the standard error until this is in it. */
static void read_until(const char *text) {
    static char seen[1 << 16];
    static size_t length;
    while (strstr(seen, text) == NULL) {
        CHECK(length < sizeof seen - 1);
        const ssize_t more = read(ends_of_errors[0], seen + length, sizeof seen - 1 - length);
        CHECK(more > 0 && write(errors, seen + length, (size_t)more) == more);
        length += (size_t)more;
    }
}

/* Asks for the picture when the note has been written, and ends the hang. */
static void *looks(void *unused) {
    read_until("cannot be told");
    kill(getpid(), SIGUSR1);
    read_until("was never satisfied");
    OK(ocrEventSatisfy(event, NULL_GUID));
    return unused;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(dup2(errors, STDERR_FILENO) >= 0);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const struct rlimit few = {32, 32};
    pthread_t thread;
    errors = dup(STDERR_FILENO);
    CHECK(errors >= 0 && pipe(ends_of_errors) == 0 && dup2(ends_of_errors[1], STDERR_FILENO) >= 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    event = event_of(OCR_EVENT_STICKY_T);
    spawn(ends, 0, NULL, 1, &event);
    CHECK(pthread_create(&thread, NULL, looks, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
    return NULL_GUID;
}
