/*
 * What cannot be written in Rust: functions with a variable number of arguments, and weak symbols.
 */
#define _GNU_SOURCE
#include "ocr.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The errno of the first write to the standard output that failed; 0 where none has, or none that was seen. */
static int firstFault;

static void noteFault(int fault)
{
    int none = 0;
    __atomic_compare_exchange_n(&firstFault, &none, fault, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Defined in src/engine/attempt/calls.rs. */
extern bool ocrHoldsText(void);
extern void ocrHoldText(const char *text, size_t len);

/* Holds what an attempt prints until it ends. -1 where the text cannot be made. */
static int hold(const char *fmt, va_list args)
{
    char few[512], *text = few;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(few, sizeof few, fmt, args);
    if (length >= (int)sizeof few) {
        text = malloc((size_t)length + 1);
        length = text == NULL ? -1 : vsnprintf(text, (size_t)length + 1, fmt, again);
    }
    va_end(again);
    if (length >= 0) {
        ocrHoldText(text, (size_t)length);
    }
    if (text != few) {
        free(text);
    }
    return length;
}

/* Prints what was held. Declared in src/engine/state/fatal.rs. */
void ocrPrintHeld(const char *text, size_t len);
void ocrPrintHeld(const char *text, size_t len)
{
    if (fwrite(text, 1, len, stdout) < len) {
        noteFault(errno);
    }
}

static u32 print(const char *fmt, va_list args)
{
    if (ocrHoldsText()) {
        int held = hold(fmt, args);
        return held < 0 ? 0 : (u32)held;
    }
    /* The stream is locked for the whole call: the text comes out in one piece. */
    int written = vprintf(fmt, args);
    if (written >= 0) {
        return (u32)written;
    }
    int fault = errno;
    /* Without an error of the stream, the text itself could not be made, and no other output was lost. */
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
 * Flushes the standard streams, and waits at most 0.1 s for the lock of each: a thread that reads from the terminal
 * may hold it, and the process is to end now. Declared in src/engine/state/fatal.rs.
 *
 * Returns 0 if all that was printed to the standard output has been written, as far as is known. Otherwise returns
 * the errno of the failed write, or -1 where it is not known: where the program has printed the text by itself, the
 * stream keeps only that there was an error.
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

/* Defined in src/directory.rs. */
extern void ocrProcessBegins(void);
/* Defined in src/engine/process/exit.rs. */
extern void ocrProcessEnds(int status, void *unused);

/* Has the library that this is linked into stay when it is closed: it is called when the process ends, and when threads
 * end that have called it. libocr.so stays by itself; libocr.a may be in a library that a program opens. */
static void stayInProcess(void)
{
    Dl_info found;
    struct link_map *map = NULL;
    if (dladdr1((void *)(uintptr_t)ocrFlushStreams, &found, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL &&
        map->l_name[0] != '\0') {
        /* The program itself has no name there. */
        dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

/* Runs before the program registers functions with atexit, so that the program's run first; one of them may end the
 * run. Runs also before the program changes its directory. */
__attribute__((constructor(101))) static void watchProcess(void)
{
    stayInProcess();
    ocrProcessBegins();
    on_exit(ocrProcessEnds, NULL);
}

/* Defined in src/capi/ocr.rs. */
extern int ocrRunProgram(int argc, char **argv, ocrEdt_t mainEdtOrNull);

/* Weak, since a program with its own main need not define mainEdt. */
extern ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
    __attribute__((weak));

/* mainEdt of a C++ program that defines it without extern "C". */
extern ocrGuid_t mainEdtOfCxx(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
    __asm__("_Z7mainEdtjPmjP11ocrEdtDep_t") __attribute__((weak));

/* Weak, since a program need not define it; see ocr-heterogeneous.h. */
extern void registerEdtFunctions(void) __attribute__((weak));

/* Weak, so that a program may have its own main. */
__attribute__((weak)) int main(int argc, char **argv)
{
    if (registerEdtFunctions != NULL) {
        registerEdtFunctions();
    }
    return ocrRunProgram(argc, argv, mainEdt != NULL ? mainEdt : mainEdtOfCxx);
}
