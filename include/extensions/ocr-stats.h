/*
 * ocr-stats.h - what the run has done so far, for programs that print it (extension: this runtime).
 */
#ifndef OCR_API_EXT_STATS_H
#define OCR_API_EXT_STATS_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    u64 functionEdts;      /* EDTs that ran as C functions */
    u64 kernelEdts;        /* EDTs that ran as OpenCL kernels */
    u64 bytesToDevices;    /* bytes copied from host memory to devices (0 where memory is shared) */
    u64 bytesFromDevices;
    u64 workers;           /* worker threads */
    u64 devices;           /* OpenCL devices in use: opened because a kernel was added */
    u64 kernelsAhead;      /* kernels that were enqueued behind the one that their EDT waited for */
} ocrStats_t;

/*
 * Fills *stats. Every EDT that happens before the call is counted, exactly once; others that have
 * ended may be. Counting goes on.
 * Errors: OCR_EINVAL (stats is NULL).
 */
u8 ocrStatsGet(ocrStats_t *stats);

/*
 * The name of the placement policy in force, as OCR_SCHED takes it, such as "eager"; "" where no
 * runtime runs. The string lives as long as the program.
 */
const char *ocrPolicyName(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_STATS_H */
