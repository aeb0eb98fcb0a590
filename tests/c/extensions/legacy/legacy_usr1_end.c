/* SIGUSR1 that comes without a pause while the first run of a process ends: it ends nothing. */
// clause: ocr-legacy.h
// workers: 2
// needs: signals
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void run(int told) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    const int none = open("/dev/null", O_WRONLY);
    CHECK(dup2(none, STDERR_FILENO) >= 0);
    ocrLegacyInit(&context, &config);
    CHECK_EQ(write(told, "x", 1), 1);
    ocrLegacyFinalize(context, false);
    _exit(0);
}

int main(void) {
    for (int round = 0; round < 60; round++) {
        int ends[2], status;
        char begun;
        OK(pipe(ends));
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            run(ends[1]);
        CHECK_EQ(read(ends[0], &begun, 1), 1);
        while (waitpid(child, &status, WNOHANG) == 0)
            kill(child, SIGUSR1);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        close(ends[0]);
        close(ends[1]);
    }
    return 0;
}
