/* kernels [LAUNCHES [LINKS [ROUNDS [DEVICE]]]]: what a kernel EDT costs, against loops of OpenCL calls.
 *
 * In each round, for kernels that do nothing and that take about 20 and 200 microseconds and a millisecond:
 *
 *   independent   LAUNCHES kernels in flight, each with a buffer of its own: LAUNCHES kernel EDTs in a finish scope,
 *                 and, set argument by argument and enqueued, a loop over one in-order queue and over two in turn (the
 *                 runtime has two), with one clFinish at the end; and over two with an event for each kernel, whose
 *                 ends are looked for one by one, as a program does that goes on with each of them
 *   chain         LINKS kernels on one buffer, each after the one before: kernel EDTs that wait for the output event of
 *                 the one before, and loops over one in-order queue, where the host waits for each (as it must if it is
 *                 to decide what comes next), and where it does not
 *
 * Both sides run the same source with the same sizes on the same device, and memory that the buffers wrap, alternately
 * in one process; which comes first changes from round to round. What is measured has always just been run once
 * unmeasured with the same size, by hand and as EDTs: whoever comes after others finds what these use in the caches,
 * and the runtime knows of kernels of the size before at first. The kernel is one work-group that loops; how often, is
 * found at the start by timing the hand-written loop. Times are nanoseconds per kernel, from the first call to when all
 * have finished, one line for each round:
 *
 *   independent_SIZE_edt, independent_SIZE_queue, independent_SIZE_queues, independent_SIZE_events,
 *   independent_SIZE_first
 *   chain_SIZE_edt, chain_SIZE_wait, chain_SIZE_queue
 *
 * where SIZE is empty, 20us, 200us or 1ms, and "first" is the run of EDTs before the one that is measured. For 1ms
 * there are a tenth as many independent kernels (a chain begins and ends with some wake-ups that are no link's, and is
 * as long for every size), and
 *
 *   manager_independent_1ms, manager_chain_1ms
 *
 * how much of a core the thread of the device's manager uses meanwhile, in percent (Linux only; the threads that the
 * OpenCL driver has started are others). DEVICE counts through platforms and their devices, as `ocr info` does; run
 * with OCR_SCHED=device OCR_DEVICES=DEVICE. Without OpenCL the program says so and prints no figures. */
#include "bench.h"
#include "opencl.h"

#include <extensions/ocr-variants.h>

#include <dirent.h>
#include <limits.h>
#include <string.h>

enum { ITEMS = 64, BYTES = ITEMS * sizeof(float), QUEUES = 2 };

static const char *source =
    "__kernel void spin(uint steps, __global float *x) {\n"
    "    float v = x[get_global_id(0)];\n"
    "    for (uint i = 0; i < steps; i++)\n"
    "        v = v * 0.999f + 0.001f;\n"
    "    x[get_global_id(0)] = v;\n"
    "}\n";

/* Long kernels are fewer: `part` of the launches. */
static const struct { const char *name; double ns; u64 part; } sizes[] = {
    { "empty", 0, 1 }, { "20us", 20e3, 1 }, { "200us", 200e3, 1 }, { "1ms", 1e6, 10 },
};
enum { SIZES = sizeof sizes / sizeof sizes[0], LONGEST = SIZES - 1 };

static u64 allLaunches, links, rounds;
static u64 launches; /* in this turn */
static u32 steps[SIZES];

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static cl_context context;
static cl_command_queue queue[QUEUES];
static cl_program program;
static cl_kernel kernel;
static cl_mem *buffer;
static cl_event *event;
static void *memory;

static void mustCl(cl_int status, const char *call) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "benchmark: %s failed with status %d\n", call, (int)status);
        _Exit(1);
    }
}
#define MUST_CL(call) mustCl((call), #call)

/* Device `wanted` in the order of platforms and their devices. */
static cl_device_id findDevice(u64 wanted) {
    cl_platform_id platforms[16];
    cl_uint platformCount = 0;
    if (!openclLoad() || clGetPlatformIDs(16, platforms, &platformCount) != CL_SUCCESS)
        return NULL;
    for (cl_uint p = 0; p < platformCount; p++) {
        cl_device_id devices[64];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) != CL_SUCCESS)
            continue;
        if (wanted < count)
            return devices[wanted];
        wanted -= count;
    }
    return NULL;
}

static void setUp(cl_device_id device) {
    char name[256] = "", driver[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    ocrPrintf("device = %s, driver = %s\n", name, driver);

    cl_int status;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    mustCl(status, "clCreateContext");
    for (int q = 0; q < QUEUES; q++) {
        queue[q] = clCreateCommandQueue(context, device, 0, &status);
        mustCl(status, "clCreateCommandQueue");
    }
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    mustCl(status, "clCreateProgramWithSource");
    MUST_CL(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    kernel = clCreateKernel(program, "spin", &status);
    mustCl(status, "clCreateKernel");
    buffer = malloc(allLaunches * sizeof(cl_mem));
    event = malloc(allLaunches * sizeof(cl_event));
    memory = aligned_alloc(4096, allLaunches * 4096);
    EXPECT(buffer != NULL && event != NULL && memory != NULL);
    memset(memory, 0, allLaunches * 4096);
    for (u64 i = 0; i < allLaunches; i++) {
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, (char *)memory + i * 4096,
                                   &status);
        mustCl(status, "clCreateBuffer");
    }
}

static void tearDown(void) {
    for (u64 i = 0; i < allLaunches; i++)
        clReleaseMemObject(buffer[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    for (int q = 0; q < QUEUES; q++)
        clReleaseCommandQueue(queue[q]);
    clReleaseContext(context);
    free(memory);
    free(event);
    free(buffer);
}

static void enqueue(cl_command_queue to, u32 count, u64 which, cl_event *ended) {
    const size_t global = ITEMS, local = ITEMS;
    MUST_CL(clSetKernelArg(kernel, 0, sizeof count, &count));
    MUST_CL(clSetKernelArg(kernel, 1, sizeof buffer[which], &buffer[which]));
    MUST_CL(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &global, &local, 0, NULL, ended));
}

/* Nanoseconds per kernel of independent kernels over `queues` queues. */
static double independentByHand(u64 count, u32 steps, int queues) {
    const double begin = now();
    for (u64 i = 0; i < count; i++)
        enqueue(queue[i % (u64)queues], steps, i, NULL);
    for (int q = 0; q < queues; q++)
        MUST_CL(clFlush(queue[q]));
    for (int q = 0; q < queues; q++)
        MUST_CL(clFinish(queue[q]));
    return (now() - begin) / (double)count;
}

static bool hasEnded(cl_event which) {
    cl_int status;
    MUST_CL(clGetEventInfo(which, CL_EVENT_STATUS, sizeof status, &status, NULL));
    return status == CL_COMPLETE;
}

/* The same over all queues, where each kernel's end is seen by itself. */
static double independentWithEvents(u64 count, u32 steps) {
    const double begin = now();
    u64 seen = 0;
    for (u64 i = 0; i < count; i++) {
        enqueue(queue[i % QUEUES], steps, i, &event[i]);
        for (; seen < i && hasEnded(event[seen]); seen++)
            MUST_CL(clReleaseEvent(event[seen]));
    }
    for (int q = 0; q < QUEUES; q++)
        MUST_CL(clFlush(queue[q]));
    while (seen < count)
        if (hasEnded(event[seen]))
            MUST_CL(clReleaseEvent(event[seen++]));
    return (now() - begin) / (double)count;
}

static double chainByHand(u32 steps, bool wait) {
    const double begin = now();
    for (u64 i = 0; i < links; i++) {
        enqueue(queue[0], steps, 0, NULL);
        if (wait)
            MUST_CL(clFinish(queue[0]));
    }
    MUST_CL(clFinish(queue[0]));
    return (now() - begin) / (double)links;
}

/* Finds the steps for each size: the time of a kernel grows with its steps, beyond what launching takes. */
static void calibrate(void) {
    const u32 few = 10000, many = 60000;
    const u64 count = allLaunches < 50 ? allLaunches : 50;
    double less = 1e18, more = 1e18;
    independentByHand(count, few, 1);
    /* The least of each, since whatever disturbs makes it longer. */
    for (int i = 0; i < 5; i++) {
        const double shorter = independentByHand(count, few, 1), longer = independentByHand(count, many, 1);
        less = shorter < less ? shorter : less;
        more = longer < more ? longer : more;
    }
    const double perStep = (more - less) / (many - few);
    EXPECT(perStep > 0);
    for (int s = 0; s < SIZES; s++)
        steps[s] = (u32)(sizes[s].ns / perStep);
}

/* ---- as EDTs ----------------------------------------------------------------------------------------------------- */

static ocrGuid_t kernelTemplate, *block;

static void oneGroup(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = ITEMS;
}

/* The template has a function for its kernels to be variants of; the policy `device` never chooses it. */
static ocrGuid_t notHere(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    EXPECT(!"a kernel EDT runs on the device");
    return NULL_GUID;
}

static void setUpEdts(void) {
    kernelTemplate = template(notHere, 1, 1);
    MUST(ocrEdtTemplateAddKernel(kernelTemplate, source, NULL, "spin", oneGroup, 0));
    block = malloc(allLaunches * sizeof *block);
    EXPECT(block != NULL);
    for (u64 i = 0; i < allLaunches; i++) {
        void *ptr;
        MUST(ocrDbCreate(&block[i], &ptr, BYTES, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(ptr, 0, BYTES);
        MUST(ocrDbRelease(block[i]));
    }
}

static void tearDownEdts(void) {
    for (u64 i = 0; i < allLaunches; i++)
        MUST(ocrDbDestroy(block[i]));
    MUST(ocrEdtTemplateDestroy(kernelTemplate));
    free(block);
}

static ocrGuid_t independentEdts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 count = paramv[0];
    for (u64 i = 0; i < launches; i++)
        MUST(ocrEdtCreate(NULL, kernelTemplate, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, &block[i], EDT_PROP_NONE,
                          NULL_HINT, NULL));
    return NULL_GUID;
}

/* The block goes from each EDT to the next through the output event. */
static ocrGuid_t chainedEdts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 count = paramv[0];
    ocrGuid_t first, before, output;
    MUST(ocrEdtCreate(&first, kernelTemplate, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                      &output));
    for (u64 i = 1; i < links; i++) {
        before = output;
        MUST(ocrEdtCreate(NULL, kernelTemplate, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, &before, EDT_PROP_NONE,
                          NULL_HINT, &output));
    }
    MUST(ocrAddDependence(block[0], first, 0, DB_MODE_RW));
    return NULL_GUID;
}

/* ---- in turns ---------------------------------------------------------------------------------------------------- */

/* A turn is a round for one size: everything by hand, and independent EDTs and then chained ones, or the other way
 * round in every second round; each twice, of which the second time counts. What is by hand runs in an EDT, when there
 * is no other. */
static u64 turn, kernelsRun;
static bool warm; /* the EDTs that run do so for the second time */
static double begin, edtNs, managerBegin;
static ocrGuid_t independentTemplate, chainTemplate, afterIndependentTemplate, afterChainTemplate;

static void report(const char *what, int size, const char *how, double ns) {
    if (turn >= SIZES) /* the first round warms up */
        ocrPrintf("%s_%s_%s: %.9g\n", what, sizes[size].name, how, ns);
}

/* The time that the device manager's thread has run, in nanoseconds; negative where the system does not tell. OpenCL
 * may have started threads from it, which have its name then: it is the oldest of them. */
static double managerTime(void) {
    static char path[64];
    if (path[0] == 0) {
        DIR *tasks = opendir("/proc/self/task");
        unsigned long long oldest = ULLONG_MAX;
        for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
            const unsigned long long id = strtoull(task->d_name, NULL, 10);
            char name[32] = "";
            snprintf(path, sizeof path, "/proc/self/task/%llu/comm", id);
            FILE *file = fopen(path, "r");
            if (file == NULL)
                continue;
            if (fgets(name, sizeof name, file) != NULL && strncmp(name, "ocr-device-", 11) == 0 && id < oldest)
                oldest = id;
            fclose(file);
        }
        if (tasks != NULL)
            closedir(tasks);
        snprintf(path, sizeof path, "/proc/self/task/%llu/schedstat", oldest);
    }
    double ns = -1;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%lf", &ns) != 1)
            ns = -1;
        fclose(file);
    }
    return ns;
}

static void reportManager(const char *what, double now) {
    const double ns = managerTime();
    if (turn >= SIZES && turn % SIZES == LONGEST && ns >= 0)
        ocrPrintf("manager_%s_%s: %.9g\n", what, sizes[LONGEST].name, 100 * (ns - managerBegin) / (now - begin));
}

/* Runs `scope` in a finish scope, and `after` when that has ended. */
static void runTurn(ocrGuid_t scope, ocrGuid_t after) {
    kernelsRun += ocrGuidIsEq(scope, chainTemplate) ? links : launches;
    u64 count = steps[turn % SIZES];
    ocrGuid_t first, ended;
    MUST(ocrEdtCreate(&first, scope, EDT_PARAM_DEF, &count, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &ended));
    MUST(ocrEdtCreate(NULL, after, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, &ended, EDT_PROP_NONE, NULL_HINT, NULL));
    managerBegin = managerTime();
    begin = now();
    MUST(ocrAddDependence(NULL_GUID, first, 0, DB_MODE_NULL));
}

static bool handFirst(void) {
    return turn / SIZES % 2 != 0;
}

static void independentLoop(int size, const char *how, int queues) {
    independentByHand(launches, steps[size], queues);
    report("independent", size, how, independentByHand(launches, steps[size], queues));
}

static void chainLoop(int size, const char *how, bool wait) {
    chainByHand(steps[size], wait);
    report("chain", size, how, chainByHand(steps[size], wait));
}

static void byHand(void) {
    const int size = (int)(turn % SIZES);
    independentLoop(size, "queue", 1);
    independentLoop(size, "queues", QUEUES);
    independentWithEvents(launches, steps[size]);
    report("independent", size, "events", independentWithEvents(launches, steps[size]));
    chainLoop(size, "wait", true);
    chainLoop(size, "queue", false);
}

static void startTurn(void);

/* Whether the EDTs that have ended ran for the second time; the next ones do if not. */
static bool wasWarm(void) {
    warm = !warm;
    return !warm;
}

static ocrGuid_t afterIndependent(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double end = now();
    edtNs = (end - begin) / (double)launches;
    UNUSED;
    const int size = (int)(turn % SIZES);
    if (!wasWarm()) {
        report("independent", size, "first", edtNs);
        runTurn(independentTemplate, afterIndependentTemplate);
        return NULL_GUID;
    }
    report("independent", size, "edt", edtNs);
    reportManager("independent", end);
    runTurn(chainTemplate, afterChainTemplate);
    return NULL_GUID;
}

static ocrGuid_t afterChain(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double end = now();
    edtNs = (end - begin) / (double)links;
    UNUSED;
    if (!wasWarm()) {
        runTurn(chainTemplate, afterChainTemplate);
        return NULL_GUID;
    }
    reportManager("chain", end);
    report("chain", (int)(turn % SIZES), "edt", edtNs);
    if (!handFirst())
        byHand();
    if (++turn < (rounds + 1) * SIZES) {
        startTurn();
        return NULL_GUID;
    }
    ocrStats_t stats;
    MUST(ocrStatsGet(&stats));
    EXPECT(stats.kernelEdts == kernelsRun);
    tearDownEdts();
    tearDown();
    ocrShutdown();
    return NULL_GUID;
}

static void startTurn(void) {
    const u64 part = sizes[turn % SIZES].part;
    launches = allLaunches < part ? 1 : allLaunches / part;
    if (handFirst())
        byHand();
    runTurn(independentTemplate, afterIndependentTemplate);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    allLaunches = sizeArgument(depv, 1, 1000);
    links = sizeArgument(depv, 2, 200);
    rounds = sizeArgument(depv, 3, 10);
    const u64 wanted = ocrGetArgc(depv[0].ptr) > 4 ? strtoull(ocrGetArgv(depv[0].ptr, 4), NULL, 10) : 0;
    const cl_device_id device = findDevice(wanted);
    if (device == NULL) {
        fprintf(stderr, "left out: kernels, since there is no OpenCL device %u here\n", (unsigned)wanted);
        ocrShutdown();
        return NULL_GUID;
    }
    setUp(device);
    calibrate();
    setUpEdts();
    independentTemplate = template(independentEdts, 1, 1);
    chainTemplate = template(chainedEdts, 1, 1);
    afterIndependentTemplate = template(afterIndependent, 0, 1);
    afterChainTemplate = template(afterChain, 0, 1);
    startTurn();
    return NULL_GUID;
}
