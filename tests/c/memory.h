/* memory.h - what the programs share that run out of memory: each way is in a process of its own, under several limits.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "check.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* What OCR programs do that wants memory. */
typedef void way_t(void);

/* The process may have `more` bytes more than it has now. */
static inline void limit_memory(u64 more) {
    unsigned long pages;
    FILE *sizes = fopen("/proc/self/statm", "r");
    CHECK(sizes != NULL && fscanf(sizes, "%lu", &pages) == 1);
    fclose(sizes);
    const rlim_t all = pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    const struct rlimit limit = {all, all};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Does `way` in another process of this program, by its number, with a limit in KiB, and gives the status and what it
 * said. */
static inline int in_process(int way, u64 kib, char *said, size_t room) {
    int ends[2], status = 0;
    char number[16], limit[24];
    size_t len = 0;
    CHECK(pipe(ends) == 0);
    fflush(NULL);
    const pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        dup2(ends[1], STDERR_FILENO);
        snprintf(number, sizeof number, "%d", way);
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)kib);
        setenv("WAY", number, 1);
        setenv("LIMIT", limit, 1);
        execl("/proc/self/exe", "memory", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    for (ssize_t got; len < room - 1 && (got = read(ends[0], said + len, room - 1 - len)) > 0;)
        len += (size_t)got;
    said[len] = 0;
    close(ends[0]);
    CHECK_EQ(waitpid(other, &status, 0), other);
    return status;
}

#endif
