/*
 * What cannot be written in Rust: functions with a variable number of arguments, and weak symbols.
 */
#define _POSIX_C_SOURCE 200809L
#include "ocr.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Why the standard output could not be written first, where that is known; 0: it is not. */
static int firstFault;

static void noteFault(int fault)
{
    int none = 0;
    __atomic_compare_exchange_n(&firstFault, &none, fault, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static u32 print(const char *fmt, va_list args)
{
    /* The stream is locked for the whole call: the text comes out in one piece. */
    int written = vprintf(fmt, args);
    if (written >= 0) {
        return (u32)written;
    }
    int fault = errno;
    /* Else the text could not be made, and nothing was lost of others. */
    if (ferror(stdout)) {
        noteFault(fault);
    }
    return 0;
}

u32 ocrPrintf(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    u32 written = print(fmt, args);
    va_end(args);
    return written;
}

u32 PRINTF(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    u32 written = print(fmt, args);
    va_end(args);
    return written;
}

u32 SNPRINTF(char *buf, u32 size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(buf, size, fmt, args);
    va_end(args);
    return length < 0 ? 0 : (u32)length;
}

void _ocrAssert(bool val, const char *str, const char *file, u32 line)
{
    if (val) {
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s:%u: assertion failed: %s\n", file, (unsigned)line, str);
    abort();
}

/*
 * Flushes the standard streams without waiting for ever: a thread that reads from the terminal may
 * hold the lock of a stream, and the process is to end now. Declared in src/engine/state/fatal.rs.
 *
 * Returns 0 if all that was printed to the standard output has been written, as far as can be told; else why not, as
 * errno says it, or -1 where that is not known: the program has printed it itself, and the stream has kept that there was
 * an error.
 */
int ocrFlushStreams(void);
int ocrFlushStreams(void)
{
    FILE *streams[] = {stderr, stdout};
    bool isLost = false;
    for (unsigned at = 0; at < 2; ++at) {
        for (int tries = 0; tries < 100; ++tries) {
            if (ftrylockfile(streams[at]) == 0) {
                bool isOut = streams[at] == stdout;
                if (fflush(streams[at]) != 0 && isOut) {
                    noteFault(errno);
                }
                isLost = isOut && ferror(stdout);
                funlockfile(streams[at]);
                break;
            }
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    if (!isLost) {
        return 0;
    }
    int fault = __atomic_load_n(&firstFault, __ATOMIC_RELAXED);
    return fault == 0 ? -1 : fault;
}

/* In src/directory.rs. */
extern void ocrProcessBegins(void);
/* In src/engine/process/exit.rs. */
extern void ocrProcessEnds(int status, void *unused);
/* Of glibc: as atexit, but the function gets the status. */
extern int on_exit(void (*function)(int, void *), void *argument);

/* Before the program registers anything, so that what it does at exit, such as ending the run, comes first; and
 * before it goes to another directory. */
__attribute__((constructor(101))) static void watchProcess(void)
{
    ocrProcessBegins();
    on_exit(ocrProcessEnds, NULL);
}

/* In src/capi/ocr.rs. */
extern int ocrRunProgram(int argc, char **argv, ocrEdt_t mainEdtOrNull);

/* A program may lack it: one that has its own main and uses the library in another way. */
extern ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
    __attribute__((weak));

/* The same in a C++ program that defines it without extern "C". */
extern ocrGuid_t mainEdtOfCxx(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
    __asm__("_Z7mainEdtjPmjP11ocrEdtDep_t") __attribute__((weak));

/* See ocr-heterogeneous.h. */
extern void registerEdtFunctions(void) __attribute__((weak));

/* Weak, so that a program may have its own. */
__attribute__((weak)) int main(int argc, char **argv)
{
    if (registerEdtFunctions != NULL) {
        registerEdtFunctions();
    }
    return ocrRunProgram(argc, argv, mainEdt != NULL ? mainEdt : mainEdtOfCxx);
}
