// A data block that is used when its run is over: the crash is reported, and in strict mode which block it was.
// clause: ocr-legacy.h
// needs: signals
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static u64 *big(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context, block;
    void *memory;
    ocrLegacyInit(&context, &config);
    OK(ocrDbCreate(&block, &memory, 64 << 20, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    ((u64 *)memory)[2] = 1;
    CHECK_EQ(ocrLegacyFinalize(context, false), 0);
    return memory;
}

static u64 *first, *later;

static void uses_block(void) { *(volatile u64 *)(later + 2) = 2; }
static void uses_first(void) { *(volatile u64 *)(first + 3) = 2; }
static void uses_null(void) { *(volatile u64 *)(later - later) = 2; }

static void crashes(void (*how)(void), const char *says) {
    int ends[2], status;
    char text[4096] = "";
    size_t len = 0;
    OK(pipe(ends));
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        how();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + len, sizeof text - 1 - len)) > 0;)
        len += (size_t)got;
    close(ends[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    if (says ? !strstr(text, says) : len != 0) {
        fprintf(stderr, "%s\nlacks: %s\n", text, says ? says : "silence");
        CHECK(!"it says so");
    }
}

static void own(int signal) { _exit(signal); }

int main(void) {
    first = big();
    later = big();
    crashes(uses_block,
            "crashed with SIGSEGV after ocrLegacyFinalize: if by a pointer to a data block: those are gone");
    /* what has nothing to do with a block */
    crashes(uses_null, NULL);
    OK(setenv("OCR_CHECK", "strict", 1));
    first = big();
    later = big();
    crashes(uses_block, "after ocrLegacyFinalize, at byte 16 of the data block 0x");
    crashes(uses_first, "at byte 24 of the data block 0x");
    /* the program's own handler stays */
    CHECK(signal(SIGSEGV, own) != SIG_ERR);
    big();
    CHECK(signal(SIGSEGV, SIG_DFL) == own);
    return 0;
}
