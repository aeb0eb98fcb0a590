/* The clock and the measure of memory that all programs of the benches use, those of the peers too. Define
 * _POSIX_C_SOURCE (200809L) before anything is included. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds. */
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* What of the process's memory is in the machine's. */
static inline double residentBytes(void) {
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long total, resident;
    if (statm == NULL || fscanf(statm, "%lu %lu", &total, &resident) != 2) {
        fprintf(stderr, "benchmark: /proc/self/statm cannot be read\n");
        _Exit(1);
    }
    fclose(statm);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

#endif
