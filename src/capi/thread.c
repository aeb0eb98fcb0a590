/*
 * Defines pthread_create, so that each thread of the process gets a stack for signal handlers: a thread whose stack is full
 * is told of on that. What a thread gets, and loses when it ends, is in src/engine/process/thread_start.rs.
 *
 * The thread is started by the next definition, which is the C library's or that of another library. Where there is no memory
 * for such a stack, the thread is started without one.
 *
 * In C, since it must be weak: another definition in the program has to be the one that is used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

typedef int create_t(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

typedef struct {
    void *(*routine)(void *);
    void *argument;
} start_t;

/* Defined in src/engine/process/thread_start.rs. */
extern void ocrThreadsMayStart(void);
extern void *ocrThreadIsPrepared(void *(*routine)(void *), void *argument);
extern start_t ocrThreadBegins(void *prepared);
extern void ocrThreadIsNotStarted(void *prepared);

/* The C library's own, under the name that it has in glibc's libc.a alone. Null where that is not linked statically. */
extern create_t __pthread_create_2_1 __attribute__((weak));

/* A weak name alone has the linker take nothing from libc.a. With this function it takes the one above, too. */
__attribute__((used)) static int (*const ofCLibrary)(thrd_t *, thrd_start_t, void *) = thrd_create;

/* The sanitizers that are in the process: null where one is not. */
extern void __asan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

/* Whether threads are a sanitizer's business. Those that give threads such a stack unmap, when a thread ends, the one that it
 * has then, whosever it is. */
static bool isSanitized(void)
{
    return __asan_init != NULL || __hwasan_init != NULL || __msan_init != NULL || __tsan_init != NULL;
}

static create_t createWithStack;

/* The function of this name that dlsym finds; null if there is none. ISO C has no conversion from an object's address to a
 * function's. */
static create_t *foundIn(void *library)
{
    create_t *found;
    *(void **)&found = dlsym(library, "pthread_create");
    return found;
}

/* The C library's definition. */
static create_t *ofLibc(void)
{
    static const char *const names[] = {"libc.so.6", "libpthread.so.0"};
    create_t *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && found == NULL; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL) {
            found = foundIn(library);
        }
    }
    return found;
}

/* The next definition, which each thread that looks for it finds alike. Null if there is none. */
static create_t *nextDefinition(void)
{
    static create_t *known;
    create_t *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = __pthread_create_2_1;
        if (found == NULL) {
            found = foundIn(RTLD_NEXT);
        }
        if (found == createWithStack) {
            /* In a program that has a dlsym of its own, "next" is what comes behind the program. */
            found = ofLibc();
        }
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return found;
}

/* Runs before main. Another library may have started threads before: what is missing is made then. */
__attribute__((constructor(101))) static void prepare(void)
{
    nextDefinition();
    ocrThreadsMayStart();
}

/* The beginning of a thread. Nothing here is a cancellation point, so it comes to the program's function. */
static void *begin(void *prepared)
{
    start_t start = ocrThreadBegins(prepared);
    return start.routine(start.argument);
}

static int createWithStack(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    create_t *create = nextDefinition();
    if (create == NULL) {
        return EAGAIN;
    }
    void *prepared = isSanitized() ? NULL : ocrThreadIsPrepared(routine, argument);
    if (prepared == NULL) {
        return create(thread, attributes, routine, argument);
    }
    int error = create(thread, attributes, begin, prepared);
    if (error == 0) {
        return 0;
    }
    ocrThreadIsNotStarted(prepared);
    /* What the stack took may be what the thread lacked. */
    return error == EAGAIN || error == ENOMEM ? create(thread, attributes, routine, argument) : error;
}

__attribute__((weak, alias("createWithStack"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                                   void *(*routine)(void *), void *argument);
