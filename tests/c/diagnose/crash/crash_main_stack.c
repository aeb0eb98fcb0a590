/* What is said of the program's own main, whose stack is full in a call of the runtime: there it is lent another stack
 * to tell that on. A process of its own crashes. */
// clause: crash
// stderr: in no EDT, crashed with SIGSEGV at address
// stderr: : its stack is full. Put large arrays on the heap
// needs: signals
// workers: 1 2
#include "crash.h"

#include <extensions/ocr-legacy.h>

int main(void) {
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        ocrConfig_t config = {0, NULL, NULL};
        ocrGuid_t context;
        ocrLegacyInit(&context, &config);
        recursion_of_calls();
        _exit(0);
    }
    int status;
    CHECK_EQ(waitpid(other, &status, 0), other);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSEGV);
    return 0;
}
