/* opencl.c - an OpenCL library in which a call fails that `OCR_INJECT` names, at once or after its command was
 * enqueued.
 *
 * It is loaded in place of the OpenCL loader (OPENCL_DYLIB_PATH), to which it is linked: functions that are not here
 * are found there.
 *
 *     OCR_INJECT=FUNCTION:N[+|/]:HOW:BEHIND
 *
 * The N-th call of FUNCTION fails, or that one and all later ones (+), or each N-th (/).
 *
 * HOW      now       the call returns an error, and nothing is done
 *          later     the command is executed, and its event ends with a negative status
 *          skipped   the command is not executed, and its event ends with a negative status
 *          stuck     the command is not executed, and its event never ends
 * BEHIND   what becomes of a command that waits for one that failed in these ways, or that would wait for such a one:
 *          run       it is executed all the same
 *          ended     it is executed, and its event ends with a negative status
 *          failed    it is not executed, and its event ends with a negative status
 *          complete  it is not executed, and its event is called complete
 *          never     it is not executed, and its event never ends
 *          With a Q before it (Qnever), commands behind it in the same queue are treated as if they waited for it.
 *
 * With OCR_INJECT_DEVICE=N only commands for that device fail, and are counted: the N-th one, from 0 on, that the
 * program was shown.
 *
 * With OCR_INJECT_LAZY=1 no command begins before a clFlush that succeeds, or a call that waits, as on rusticl.
 *
 * With OCR_INJECT_QUIET=1 a buffer that is released beside a command ends the program, where NVIDIA's driver may wait
 * indefinitely.
 *
 * More oddities of platforms, beside OCR_INJECT or without it:
 *
 *     OCR_INJECT_CODE=N      calls that fail return this status (-5)
 *     OCR_INJECT_LOST=HOW    from the call on that fails, the device is lost: all other calls for it fail, too. Events
 *                            that have not ended do not end (never), have failed (failed), or cannot be asked (mute)
 *     OCR_INJECT_SYNC=US     a kernel is executed in the call that enqueues it, which takes US microseconds more
 *     OCR_INJECT_TWICE=1     a callback for an event comes twice, the second time later
 *     OCR_INJECT_QUEUES=N    there are at most N queues
 *     OCR_INJECT_NO_SIZE=1   CL_DEVICE_GLOBAL_MEM_SIZE is 0
 *     OCR_INJECT_CLOCK=A/B   the device's clock is multiplied by A / B
 *     OCR_INJECT_ABORT=1     clGetDeviceIDs ends the process, as PoCL does where it finds no /sys
 *
 * Events are wrapped: what the program has is a `struct event`. They are never freed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef void *handle;

enum { COMPLETE = 0, SUBMITTED = 2, NO_PROFILING_INFO = -7, BEHIND_ONE = -14, EXECUTION_STATUS = 0x11D3 };
enum { COMMAND_TYPE = 0x11D1, NDRANGE_KERNEL = 0x11F0, PROFILING_END = 0x1283 };

/* ---- what fails -------------------------------------------------------------------------------------------------- */

static char function[64], how[16] = "now", behind[16] = "run";
static unsigned long number, calls;
static bool and_later, each, with_queue, lazy, quiet, lost, twice, no_size, aborts;
static const char *loses;
static int FAILS = -5, most_queues = -1, queue_count, synchronous = -1;
static unsigned long clock_times = 1, clock_parts = 1;
static int only_device = -1; /* -1: any */

static void plan(const char *text) {
    char at[24] = "";
    number = 0;
    function[0] = 0;
    strcpy(how, "now");
    strcpy(behind, "run");
    with_queue = false;
    if (text == NULL || sscanf(text, "%63[^:]:%23[^:]:%15[^:]:%15s", function, at, how, behind) < 2) {
        return;
    }
    char *end;
    number = strtoul(at, &end, 10);
    and_later = *end == '+';
    each = *end == '/';
    with_queue = behind[0] == 'Q';
    if (with_queue) {
        memmove(behind, behind + 1, strlen(behind));
    }
}

static void __attribute__((constructor)) read_plan(void) {
    lazy = getenv("OCR_INJECT_LAZY") != NULL;
    quiet = getenv("OCR_INJECT_QUIET") != NULL;
    loses = getenv("OCR_INJECT_LOST");
    synchronous = getenv("OCR_INJECT_SYNC") == NULL ? -1 : atoi(getenv("OCR_INJECT_SYNC"));
    twice = getenv("OCR_INJECT_TWICE") != NULL;
    no_size = getenv("OCR_INJECT_NO_SIZE") != NULL;
    aborts = getenv("OCR_INJECT_ABORT") != NULL;
    if (getenv("OCR_INJECT_CODE") != NULL) {
        FAILS = atoi(getenv("OCR_INJECT_CODE"));
    }
    if (getenv("OCR_INJECT_QUEUES") != NULL) {
        most_queues = atoi(getenv("OCR_INJECT_QUEUES"));
    }
    if (getenv("OCR_INJECT_CLOCK") != NULL) {
        sscanf(getenv("OCR_INJECT_CLOCK"), "%lu/%lu", &clock_times, &clock_parts);
    }
    if (getenv("OCR_INJECT_DEVICE") != NULL) {
        only_device = atoi(getenv("OCR_INJECT_DEVICE"));
    }
    plan(getenv("OCR_INJECT"));
}

/* For a process that runs one program after the other: what goes wrong from here on, instead of what the environment
 * says. `wrong`: each so many-th kernel has a wrong bit in a block that it writes. `slow`: how slow kernels are. Both
 * are for the kernel of the stress test (kernel.cl), whose second argument says so in its upper half. */
static unsigned long wrong, slow, launches;
static uint64_t done_failed, done_wrong, done_slow;

/* Whether this call of the function is to fail. */
static bool fails(const char *name) {
    if (__atomic_load_n(&lost, __ATOMIC_RELAXED) && only_device < 0) {
        return true;
    }
    if (strcmp(name, function) != 0) {
        return false;
    }
    unsigned long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    bool is_so = number != 0 && (call == number || (and_later && call > number) || (each && call % number == 0));
    if (is_so && loses != NULL) {
        __atomic_store_n(&lost, true, __ATOMIC_RELAXED);
    }
    __atomic_add_fetch(&done_failed, is_so, __ATOMIC_RELAXED);
    return is_so;
}

static bool is_now(void) {
    return lost || strcmp(how, "now") == 0;
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "injector: OpenCL has no %s\n", name);
        abort();
    }
    return found;
}

/* A pointer to OpenCL's function of this name. */
#define REAL(result, name, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (__atomic_load_n(&real, __ATOMIC_ACQUIRE) == NULL) {                                                            \
        __atomic_store_n((void **)&real, next(#name), __ATOMIC_RELEASE);                                               \
    }

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum { MOST = 32 };

struct event {
    handle real;          /* NULL if the command is not executed */
    bool forced;          /* how it ends is said below */
    bool of_lost, ended;  /* of a device that may be lost; it was seen to have ended */
    cl_int ends;          /* with this status */
    bool never;           /* or not at all */
    struct event *after[MOST]; /* what it waits for, if it is not executed */
    int count;
};

struct callback {
    struct event *event;
    void (*call)(handle, cl_int, void *);
    void *data;
    struct callback *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct callback *callbacks;

static cl_int real_status(handle event) {
    REAL(cl_int, clGetEventInfo, handle, cl_uint, size_t, void *, size_t *)
    cl_int status = SUBMITTED;
    real(event, EXECUTION_STATUS, sizeof status, &status, NULL);
    return status;
}

static cl_int status_of(struct event *event) {
    if (event->of_lost && lost && !event->ended) {
        /* What has failed does not touch memory any more. */
        bool is_over = event->real == NULL || real_status(event->real) <= COMPLETE;
        return strcmp(loses, "failed") == 0 && is_over ? FAILS : SUBMITTED;
    }
    if (event->never) {
        return SUBMITTED;
    }
    if (event->real != NULL) {
        cl_int status = real_status(event->real);
        event->ended |= status <= COMPLETE;
        return event->forced && status <= COMPLETE ? event->ends : status;
    }
    for (int i = 0; i < event->count; i++) {
        if (status_of(event->after[i]) > COMPLETE) {
            return SUBMITTED;
        }
    }
    return event->ends;
}

/* Calls back for events of which OpenCL knows nothing, or something else. */
static void *call_back(void *unused) {
    (void)unused;
    for (;;) {
        usleep(500);
        struct callback *due = NULL;
        pthread_mutex_lock(&lock);
        for (struct callback **at = &callbacks; *at != NULL;) {
            struct callback *one = *at;
            if (status_of(one->event) > COMPLETE) {
                at = &one->next;
                continue;
            }
            *at = one->next;
            one->next = due;
            due = one;
        }
        pthread_mutex_unlock(&lock);
        while (due != NULL) {
            struct callback *one = due;
            due = one->next;
            one->call(one->event, status_of(one->event), one->data);
            free(one);
        }
    }
    return NULL;
}

static void start_calling_back(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, call_back, NULL);
}

static struct event *wrapped(handle real) {
    struct event *event = calloc(1, sizeof *event);
    event->real = real;
    return event;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Queues in which a command has failed, or was behind one. */
static handle failed_queues[64];
static struct event *failed_last[64];
static int failed_count;

/* The last command of that kind in the queue. */
static struct event *failed_in(handle queue) {
    for (int i = failed_count; i-- > 0;) {
        if (failed_queues[i] == queue) {
            return failed_last[i];
        }
    }
    return NULL;
}

static void failed_queue(handle queue, struct event *event) {
    if (failed_count < 64) {
        failed_queues[failed_count] = queue;
        failed_last[failed_count++] = event;
    }
}

void injectPlan(const char *text, const char *how_lost, int device, unsigned long every_wrong, unsigned long how_slow) {
    static char losing[16];
    pthread_mutex_lock(&lock);
    snprintf(losing, sizeof losing, "%s", how_lost);
    loses = losing[0] == 0 ? NULL : losing;
    lost = false;
    only_device = device;
    failed_count = 0;
    calls = launches = done_failed = done_wrong = done_slow = 0;
    wrong = every_wrong;
    slow = how_slow;
    plan(text);
    pthread_mutex_unlock(&lock);
}

/* What has gone wrong since: commands that failed, kernels with a wrong bit, slow kernels, devices that were lost. */
void injectHarm(uint64_t counts[4]) {
    counts[0] = done_failed;
    counts[1] = done_wrong;
    counts[2] = done_slow;
    counts[3] = lost;
}

/* What the commands of a queue wait for until it is flushed. */
static struct gate {
    handle queue, event;
} gates[64];
static int gate_count;

/* The gate of a queue, shut. The caller has the lock. */
static handle gate_of(handle queue) {
    REAL(cl_int, clGetCommandQueueInfo, handle, cl_uint, size_t, void *, size_t *)
    enum { CONTEXT_OF_QUEUE = 0x1090 };
    int at = 0;
    while (at < gate_count && gates[at].queue != queue) {
        at++;
    }
    if (at == 64) {
        return NULL;
    }
    if (at == gate_count) {
        gates[gate_count++] = (struct gate){queue, NULL};
    }
    if (gates[at].event == NULL) {
        handle context = NULL;
        real(queue, CONTEXT_OF_QUEUE, sizeof context, &context, NULL);
        handle (*create)(handle, cl_int *);
        *(void **)&create = next("clCreateUserEvent");
        gates[at].event = create(context, NULL);
    }
    return gates[at].event;
}

/* Lets the commands of a queue begin, or of all. */
static void flushed(handle queue) {
    REAL(cl_int, clSetUserEventStatus, handle, cl_int)
    for (int i = 0; i < 64; i++) {
        pthread_mutex_lock(&lock);
        handle event = NULL;
        if (i < gate_count && (queue == NULL || gates[i].queue == queue)) {
            event = gates[i].event;
            gates[i].event = NULL;
        }
        pthread_mutex_unlock(&lock);
        if (event != NULL) {
            real(event, COMPLETE);
        }
    }
}

/* The devices, in the order in which the program was shown them. */
static handle devices[8];
static int device_count;

static int number_of(handle device) {
    int at = 0;
    while (at < device_count && devices[at] != device) {
        at++;
    }
    if (at == device_count && at < 8) {
        devices[device_count++] = device;
    }
    return at;
}

/* Whether commands in the queue may fail. */
static bool is_chosen(handle queue) {
    REAL(cl_int, clGetCommandQueueInfo, handle, cl_uint, size_t, void *, size_t *)
    enum { DEVICE_OF_QUEUE = 0x1091 };
    if (only_device < 0) {
        return true;
    }
    handle device = NULL;
    real(queue, DEVICE_OF_QUEUE, sizeof device, &device, NULL);
    pthread_mutex_lock(&lock);
    int at = number_of(device);
    pthread_mutex_unlock(&lock);
    return at == only_device;
}

/* A command that is being enqueued. */
struct command {
    handle queue;
    struct event *event;
    bool now, skipped;
    cl_uint count;
    handle list[MOST];
};

/* Decides what becomes of it. `must_run`: it cannot be skipped. `waits`: the call waits for it. */
static struct command begin(const char *name, handle queue, cl_uint count, struct event *const *list, bool must_run,
                            bool waits) {
    struct command command = {.queue = queue};
    bool chosen = is_chosen(queue), fail = chosen && (lost || fails(name));
    if (fail && is_now()) {
        command.now = true;
        return command;
    }
    struct event *event = command.event = wrapped(NULL);
    event->of_lost = chosen && loses != NULL;
    if (lazy && waits) {
        flushed(queue);
    }
    pthread_mutex_lock(&lock);
    struct event *before = with_queue ? failed_in(queue) : NULL;
    bool is_behind = before != NULL;
    for (cl_uint i = 0; i < count; i++) {
        event->after[event->count++] = list[i];
        is_behind |= list[i]->forced || list[i]->never;
        if (list[i]->real != NULL) {
            command.list[command.count++] = list[i]->real;
        }
    }
    if (before != NULL && event->count < MOST) {
        event->after[event->count++] = before;
    }
    if (fail && strcmp(how, "stuck") == 0) {
        event->never = command.skipped = true;
    } else if (fail) {
        event->forced = true;
        event->ends = FAILS;
        command.skipped = strcmp(how, "skipped") == 0;
    } else if (is_behind && strcmp(behind, "run") != 0) {
        event->forced = true;
        event->ends = strcmp(behind, "complete") == 0 ? COMPLETE : BEHIND_ONE;
        event->never = strcmp(behind, "never") == 0;
        command.skipped = strcmp(behind, "ended") != 0;
    }
    command.skipped &= !must_run;
    handle gate = lazy && !waits ? gate_of(queue) : NULL;
    if (gate != NULL) {
        command.list[command.count++] = gate;
    }
    if (event->forced) {
        failed_queue(queue, event);
    }
    pthread_mutex_unlock(&lock);
    return command;
}

/* The commands that were not seen to end, where it matters. */
static struct event **begun;
static size_t begun_count;

static void has_begun(struct event *event) {
    pthread_mutex_lock(&lock);
    begun = realloc(begun, (begun_count + 1) * sizeof *begun);
    begun[begun_count++] = event;
    pthread_mutex_unlock(&lock);
}

/* Whether all commands have ended. */
static bool is_quiet(void) {
    pthread_mutex_lock(&lock);
    while (begun_count != 0 && status_of(begun[begun_count - 1]) <= COMPLETE) {
        begun_count--;
    }
    size_t left = 0;
    for (size_t i = 0; i < begun_count; i++) {
        if (status_of(begun[i]) > COMPLETE) {
            begun[left++] = begun[i];
        }
    }
    begun_count = left;
    pthread_mutex_unlock(&lock);
    return left == 0;
}

static cl_int end(struct command *command, cl_int status, handle real, struct event **event) {
    if (status == 0) {
        command->event->real = real;
        if (quiet) {
            has_begun(command->event);
        }
        if (event != NULL) {
            *event = command->event;
        }
    }
    return status;
}

#define COMMAND(name, must_run, waits, call)                                                                           \
    struct command c = begin(#name, queue, count, list, must_run, waits);                                              \
    if (c.now) {                                                                                                       \
        return FAILS;                                                                                                  \
    }                                                                                                                  \
    handle made = NULL;                                                                                                \
    cl_int status = c.skipped ? 0 : (call);                                                                            \
    return end(&c, status, made, event);
#define LIST c.count, c.count == 0 ? NULL : c.list, &made

/* What a kernel takes besides, where it is executed in the call: `begins` it before the call, and `dated` dates it. */
static void begins(void) {
    if (synchronous >= 0) {
        usleep((useconds_t)synchronous);
    }
}

static cl_int run(cl_int status, handle queue) {
    if (synchronous >= 0 && status == 0) {
        cl_int (*finish)(handle);
        *(void **)&finish = next("clFinish");
        finish(queue);
    }
    return status;
}

/* The second argument of each kernel, if it has 8 bytes. */
static struct second {
    handle kernel;
    cl_ulong value;
} seconds[1024];
static int second_count;

cl_int clSetKernelArg(handle kernel, cl_uint at, size_t size, const void *value) {
    REAL(cl_int, clSetKernelArg, handle, cl_uint, size_t, const void *)
    if (fails("clSetKernelArg")) {
        return FAILS;
    }
    if (at == 1 && size == sizeof(cl_ulong) && value != NULL) {
        pthread_mutex_lock(&lock);
        int i = 0;
        while (i < second_count && seconds[i].kernel != kernel) {
            i++;
        }
        if (i < 1024) {
            second_count += i == second_count;
            seconds[i] = (struct second){kernel, *(const cl_ulong *)value};
        }
        pthread_mutex_unlock(&lock);
    }
    return real(kernel, at, size, value);
}

/* What is to be wrong with a kernel that is launched: its second argument, before and with that. */
static bool harm(handle queue, handle kernel, cl_ulong *before, cl_ulong *with) {
    if ((wrong == 0 && slow == 0) || (slow != 0 && !is_chosen(queue))) {
        return false;
    }
    unsigned long launch = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
    bool is_wrong = wrong != 0 && launch % wrong == 0;
    if (!is_wrong && slow == 0) {
        return false;
    }
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < second_count && !found; i++) {
        found = seconds[i].kernel == kernel;
        *before = seconds[i].value;
    }
    pthread_mutex_unlock(&lock);
    cl_ulong bits = is_wrong ? 0x80000000u | (launch * 0x9E3779B1u & 0x3FF0000u) : 0;
    *with = *before | (bits | slow) << 32;
    __atomic_add_fetch(is_wrong ? &done_wrong : &done_slow, found, __ATOMIC_RELAXED);
    return found;
}

static cl_int launch(handle queue, handle kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                     const size_t *local, cl_uint count, struct event *const *list, struct event **event);

cl_int clEnqueueNDRangeKernel(handle queue, handle kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, struct event *const *list,
                              struct event **event) {
    REAL(cl_int, clSetKernelArg, handle, cl_uint, size_t, const void *)
    cl_ulong before, with;
    bool harmed = harm(queue, kernel, &before, &with);
    if (harmed) {
        real(kernel, 1, sizeof with, &with);
    }
    cl_int status = launch(queue, kernel, dimensions, offset, global, local, count, list, event);
    if (harmed) {
        real(kernel, 1, sizeof before, &before);
    }
    return status;
}

static cl_int launch(handle queue, handle kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                     const size_t *local, cl_uint count, struct event *const *list, struct event **event) {
    REAL(cl_int, clEnqueueNDRangeKernel, handle, handle, cl_uint, const size_t *, const size_t *, const size_t *,
         cl_uint, const handle *, handle *)
    COMMAND(clEnqueueNDRangeKernel, false, false,
            (begins(), run(real(queue, kernel, dimensions, offset, global, local, LIST), queue)))
}

cl_int clEnqueueReadBuffer(handle queue, handle buffer, cl_uint blocking, size_t offset, size_t bytes, void *to,
                           cl_uint count, struct event *const *list, struct event **event) {
    REAL(cl_int, clEnqueueReadBuffer, handle, handle, cl_uint, size_t, size_t, void *, cl_uint, const handle *,
         handle *)
    COMMAND(clEnqueueReadBuffer, false, blocking, real(queue, buffer, blocking, offset, bytes, to, LIST))
}

cl_int clEnqueueWriteBuffer(handle queue, handle buffer, cl_uint blocking, size_t offset, size_t bytes,
                            const void *from, cl_uint count, struct event *const *list, struct event **event) {
    REAL(cl_int, clEnqueueWriteBuffer, handle, handle, cl_uint, size_t, size_t, const void *, cl_uint, const handle *,
         handle *)
    COMMAND(clEnqueueWriteBuffer, false, blocking, real(queue, buffer, blocking, offset, bytes, from, LIST))
}

cl_int clEnqueueFillBuffer(handle queue, handle buffer, const void *pattern, size_t size, size_t offset, size_t bytes,
                           cl_uint count, struct event *const *list, struct event **event) {
    REAL(cl_int, clEnqueueFillBuffer, handle, handle, const void *, size_t, size_t, size_t, cl_uint, const handle *,
         handle *)
    COMMAND(clEnqueueFillBuffer, false, false, real(queue, buffer, pattern, size, offset, bytes, LIST))
}

cl_int clEnqueueUnmapMemObject(handle queue, handle buffer, void *mapped, cl_uint count, struct event *const *list,
                               struct event **event) {
    REAL(cl_int, clEnqueueUnmapMemObject, handle, handle, void *, cl_uint, const handle *, handle *)
    COMMAND(clEnqueueUnmapMemObject, false, false, real(queue, buffer, mapped, LIST))
}

static cl_int map(struct command *c, void **address, handle queue, handle buffer, cl_uint blocking, cl_ulong flags,
                  size_t offset, size_t bytes, handle *made) {
    REAL(void *, clEnqueueMapBuffer, handle, handle, cl_uint, cl_ulong, size_t, size_t, cl_uint, const handle *,
         handle *, cl_int *)
    cl_int status;
    *address = real(queue, buffer, blocking, flags, offset, bytes, c->count, c->count == 0 ? NULL : c->list, made,
                    &status);
    return status;
}

static cl_int map_buffer(void **address, handle queue, handle buffer, cl_uint blocking, cl_ulong flags, size_t offset,
                         size_t bytes, cl_uint count, struct event *const *list, struct event **event) {
    COMMAND(clEnqueueMapBuffer, true, blocking,
            map(&c, address, queue, buffer, blocking, flags, offset, bytes, &made))
}

void *clEnqueueMapBuffer(handle queue, handle buffer, cl_uint blocking, cl_ulong flags, size_t offset, size_t bytes,
                         cl_uint count, struct event *const *list, struct event **event, cl_int *error) {
    void *address = NULL;
    cl_int status = map_buffer(&address, queue, buffer, blocking, flags, offset, bytes, count, list, event);
    if (error != NULL) {
        *error = status;
    }
    return status == 0 ? address : NULL;
}

/* ---- events as the program sees them ----------------------------------------------------------------------------- */

cl_int clGetEventInfo(struct event *event, cl_uint what, size_t size, void *value, size_t *needed) {
    REAL(cl_int, clGetEventInfo, handle, cl_uint, size_t, void *, size_t *)
    bool is_status = what == EXECUTION_STATUS;
    if (is_status && value != NULL && event->of_lost && lost && !event->ended && strcmp(loses, "mute") == 0) {
        return FAILS;
    }
    if (is_status && value != NULL && !lost && fails("clGetEventInfo")) {
        return FAILS;
    }
    if (!is_status) {
        return real(event->real, what, size, value, needed);
    }
    if (needed != NULL) {
        *needed = sizeof(cl_int);
    }
    if (value != NULL) {
        *(cl_int *)value = status_of(event);
    }
    return 0;
}

/* A command that was not executed has no times. */
/* When a command was enqueued, submitted, begun or ended, by a device that executes kernels in the call. */
static cl_ulong dated(handle event, cl_uint what, cl_ulong at) {
    REAL(cl_int, clGetEventInfo, handle, cl_uint, size_t, void *, size_t *)
    cl_uint type = 0;
    bool is_kernel = real(event, COMMAND_TYPE, sizeof type, &type, NULL) == 0 && type == NDRANGE_KERNEL;
    return synchronous >= 0 && is_kernel && what != PROFILING_END ? at - (cl_ulong)synchronous * 1000 : at;
}

cl_int clGetEventProfilingInfo(struct event *event, cl_uint what, size_t size, void *value, size_t *needed) {
    REAL(cl_int, clGetEventProfilingInfo, handle, cl_uint, size_t, void *, size_t *)
    if (fails("clGetEventProfilingInfo")) {
        return FAILS;
    }
    if (event->real == NULL) {
        return NO_PROFILING_INFO;
    }
    cl_int status = real(event->real, what, size, value, needed);
    if (status == 0 && value != NULL && size >= sizeof(cl_ulong)) {
        __uint128_t at = dated(event->real, what, *(cl_ulong *)value);
        *(cl_ulong *)value = (cl_ulong)(at * clock_times / clock_parts);
    }
    return status;
}

cl_int clWaitForEvents(cl_uint count, struct event *const *list) {
    REAL(cl_int, clWaitForEvents, cl_uint, const handle *)
    if (fails("clWaitForEvents")) {
        return FAILS;
    }
    if (lazy) {
        flushed(NULL);
    }
    cl_int result = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (list[i]->real != NULL && !list[i]->never) {
            real(1, &list[i]->real);
        }
        cl_int status;
        while ((status = status_of(list[i])) > COMPLETE) {
            usleep(200);
        }
        result = status < 0 ? BEHIND_ONE : result;
    }
    return result;
}

/* A callback that comes twice. */
struct repeated {
    void (*call)(handle, cl_int, void *);
    void *data;
    cl_int status;
};

static void *repeat(void *data) {
    struct repeated *one = data;
    usleep(2000);
    one->call(NULL, one->status, one->data);
    free(one);
    return NULL;
}

static void call_twice(handle event, cl_int status, void *data) {
    struct repeated *one = data;
    pthread_t thread;
    one->status = status;
    one->call(event, status, one->data);
    pthread_create(&thread, NULL, repeat, one);
    pthread_detach(thread);
}

cl_int clSetEventCallback(struct event *event, cl_int status, void (*call)(handle, cl_int, void *), void *data) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    REAL(cl_int, clSetEventCallback, handle, cl_int, void (*)(handle, cl_int, void *), void *)
    if (fails("clSetEventCallback")) {
        return FAILS;
    }
    if (twice) {
        struct repeated *one = malloc(sizeof *one);
        *one = (struct repeated){call, data, 0};
        call = call_twice;
        data = one;
    }
    if (!event->forced && event->real != NULL) {
        return real(event->real, status, call, data);
    }
    pthread_once(&once, start_calling_back);
    struct callback *one = malloc(sizeof *one);
    *one = (struct callback){event, call, data, NULL};
    pthread_mutex_lock(&lock);
    one->next = callbacks;
    callbacks = one;
    pthread_mutex_unlock(&lock);
    return 0;
}

cl_int clRetainEvent(struct event *event) {
    (void)event;
    return fails("clRetainEvent") ? FAILS : 0;
}

cl_int clReleaseEvent(struct event *event) {
    (void)event;
    return fails("clReleaseEvent") ? FAILS : 0;
}

handle clCreateUserEvent(handle context, cl_int *error) {
    REAL(handle, clCreateUserEvent, handle, cl_int *)
    if (fails("clCreateUserEvent")) {
        *error = FAILS;
        return NULL;
    }
    handle made = real(context, error);
    return made == NULL ? NULL : wrapped(made);
}

cl_int clSetUserEventStatus(struct event *event, cl_int status) {
    REAL(cl_int, clSetUserEventStatus, handle, cl_int)
    return fails("clSetUserEventStatus") ? FAILS : real(event->real, status);
}

cl_int clFlush(handle queue) {
    REAL(cl_int, clFlush, handle)
    if (fails("clFlush") || (lost && is_chosen(queue))) {
        return FAILS;
    }
    flushed(queue);
    return real(queue);
}

cl_int clReleaseCommandQueue(handle queue) {
    REAL(cl_int, clReleaseCommandQueue, handle)
    if (fails("clReleaseCommandQueue")) {
        return FAILS;
    }
    flushed(queue);
    if (most_queues >= 0) {
        __atomic_sub_fetch(&queue_count, 1, __ATOMIC_RELAXED);
    }
    return real(queue);
}

/* ---- calls that fail at once, or not ----------------------------------------------------------------------------- */

/* Functions that return a status. */
#define STATUS(name, types, names)                                                                                     \
    cl_int name types {                                                                                                \
        cl_int (*real) types;                                                                                          \
        *(void **)&real = next(#name);                                                                                 \
        return fails(#name) ? FAILS : real names;                                                                      \
    }
/* Functions that return an object. */
#define OBJECT(name, types, names)                                                                                     \
    handle name types {                                                                                                \
        handle(*real) types;                                                                                           \
        *(void **)&real = next(#name);                                                                                 \
        if (fails(#name)) {                                                                                            \
            if (error != NULL) {                                                                                       \
                *error = FAILS;                                                                                        \
            }                                                                                                          \
            return NULL;                                                                                               \
        }                                                                                                              \
        return real names;                                                                                             \
    }

STATUS(clFinish, (handle a), (a))
STATUS(clCreateSubDevices, (handle a, const intptr_t *b, cl_uint c, handle *d, cl_uint *e), (a, b, c, d, e))
STATUS(clReleaseContext, (handle a), (a))
STATUS(clReleaseProgram, (handle a), (a))
STATUS(clReleaseKernel, (handle a), (a))
STATUS(clGetPlatformIDs, (cl_uint a, handle *b, cl_uint *c), (a, b, c))
STATUS(clGetPlatformInfo, (handle a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
STATUS(clBuildProgram, (handle a, cl_uint b, const handle *c, const char *d, void *e, void *f), (a, b, c, d, e, f))
STATUS(clGetProgramInfo, (handle a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
STATUS(clGetProgramBuildInfo, (handle a, handle b, cl_uint c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
STATUS(clGetKernelInfo, (handle a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
STATUS(clGetKernelArgInfo, (handle a, cl_uint b, cl_uint c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
STATUS(clGetKernelWorkGroupInfo, (handle a, handle b, cl_uint c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
STATUS(clCreateKernelsInProgram, (handle a, cl_uint b, handle *c, cl_uint *d), (a, b, c, d))

cl_int clGetDeviceInfo(handle device, cl_uint what, size_t size, void *value, size_t *needed) {
    REAL(cl_int, clGetDeviceInfo, handle, cl_uint, size_t, void *, size_t *)
    enum { GLOBAL_MEM_SIZE = 0x101F };
    if (fails("clGetDeviceInfo")) {
        return FAILS;
    }
    cl_int status = real(device, what, size, value, needed);
    if (no_size && what == GLOBAL_MEM_SIZE && status == 0 && value != NULL) {
        memset(value, 0, size);
    }
    return status;
}

cl_int clReleaseMemObject(handle buffer) {
    REAL(cl_int, clReleaseMemObject, handle)
    if (quiet && !is_quiet()) {
        fprintf(stderr, "injector: a buffer was released beside a command\n");
        _exit(3);
    }
    return fails("clReleaseMemObject") ? FAILS : real(buffer);
}

OBJECT(clCreateContext, (const void *a, cl_uint b, const handle *c, void *d, void *e, cl_int *error),
       (a, b, c, d, e, error))
OBJECT(clCreateBuffer, (handle a, cl_ulong b, size_t c, void *d, cl_int *error), (a, b, c, d, error))
OBJECT(clCreateProgramWithSource, (handle a, cl_uint b, const char **c, const size_t *d, cl_int *error),
       (a, b, c, d, error))
OBJECT(clCreateKernel, (handle a, const char *b, cl_int *error), (a, b, error))

cl_int clGetDeviceIDs(handle platform, cl_ulong type, cl_uint most, handle *ids, cl_uint *count) {
    REAL(cl_int, clGetDeviceIDs, handle, cl_ulong, cl_uint, handle *, cl_uint *)
    if (aborts) {
        abort();
    }
    if (fails("clGetDeviceIDs")) {
        return FAILS;
    }
    cl_int status = real(platform, type, most, ids, count);
    pthread_mutex_lock(&lock);
    for (cl_uint at = 0; status == 0 && ids != NULL && at < most; at++) {
        number_of(ids[at]);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

handle clCreateCommandQueue(handle context, handle device, cl_ulong properties, cl_int *error) {
    REAL(handle, clCreateCommandQueue, handle, handle, cl_ulong, cl_int *)
    pthread_mutex_lock(&lock);
    bool is_lost = lost && (only_device < 0 || number_of(device) == only_device);
    pthread_mutex_unlock(&lock);
    if (is_lost || fails("clCreateCommandQueue")) {
        if (error != NULL) {
            *error = FAILS;
        }
        return NULL;
    }
    if (most_queues >= 0 && __atomic_add_fetch(&queue_count, 1, __ATOMIC_RELAXED) > most_queues) {
        __atomic_sub_fetch(&queue_count, 1, __ATOMIC_RELAXED);
        if (error != NULL) {
            *error = FAILS;
        }
        return NULL;
    }
    handle queue = real(context, device, properties, error);
    /* It may have the address of one that was released: nothing has failed in the new one. */
    pthread_mutex_lock(&lock);
    for (int i = 0; i < failed_count; i++) {
        if (failed_queues[i] == queue) {
            failed_queues[i] = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return queue;
}
