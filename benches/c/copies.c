/* copies [MOST [ROUNDS]]: how fast a data block goes from the host to an OpenCL device and back.
 *
 * A function and a kernel use one block in turns. On the way to the device the function changes the block, and the
 * kernel only reads it; on the way back the kernel changes it, and the function only reads it. So each round moves all
 * bytes of the block once, in one direction. The time of a round has one launch in it. Blocks have 64 KiB, 1 MiB, 16
 * MiB and 256 MiB, at most MOST bytes; each goes ROUNDS times, after one round that does not count. Both sides check
 * what they get.
 *
 * to_device_KIB, from_device_KIB   gigabytes a second, by the size of the block
 * bytes_moved                      what the runtime says that it has copied
 *
 * Run with OCR_DEVICES=N OCR_SCHED=device, and OCR_DEVICE_FORCE_COPIES=1 for a CPU device. Without a device the program
 * says so and prints no figures. */
#include "bench.h"

#include <extensions/ocr-variants.h>
#include <inttypes.h>
#include <string.h>

static const char source[] =
    "__kernel void reads(ulong want, __global const uchar *block, __global ulong *right) {\n"
    "    if (block[0] == (uchar)want)\n"
    "        right[0] += 1;\n"
    "}\n"
    "__kernel void writes(ulong unused, __global uchar *block, __global ulong *right) {\n"
    "    block[0] += 1;\n"
    "    right[0] += 1;\n"
    "}\n";

static u64 bytes = 64 << 10, most, rounds, turn;
static bool fromDevice;
static double begin;
static ocrGuid_t block, right, hostTemplate, readsTemplate, writesTemplate, endTemplate;

static void oneItem(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes;
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = 1;
}

/* A step of the host on the block, once `after` is satisfied. */
static void thenHost(ocrGuid_t after) {
    ocrGuid_t host;
    MUST(ocrEdtCreate(&host, hostTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(block, host, 0, fromDevice ? DB_MODE_CONST : DB_MODE_EW));
    MUST(ocrAddDependence(after, host, 1, DB_MODE_NULL));
}

static void beginSize(void) {
    u8 *x;
    MUST(ocrDbCreate(&block, (void **)&x, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(x, 0, bytes);
    MUST(ocrDbRelease(block));
    u64 *count;
    MUST(ocrDbCreate(&right, (void **)&count, sizeof *count, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *count = 0;
    MUST(ocrDbRelease(right));
    turn = 0;
    thenHost(NULL_GUID);
}

/* All rounds of a size and a direction have ended. */
static ocrGuid_t endSize(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    EXPECT(*(u64 *)depv[0].ptr == rounds + 1);
    MUST(ocrDbDestroy(right));
    MUST(ocrDbDestroy(block));
    fromDevice = !fromDevice;
    if (!fromDevice)
        bytes *= 16;
    if (bytes <= most) {
        beginSize();
        return NULL_GUID;
    }
    ocrStats_t stats;
    MUST(ocrStatsGet(&stats));
    figure("bytes_moved", (double)(stats.bytesToDevices + stats.bytesFromDevices));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t host(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u8 *x = depv[0].ptr;
    if (fromDevice)
        EXPECT(x[0] == (u8)turn);
    if (turn == 1)
        begin = now();
    if (turn > rounds) {
        char name[48];
        snprintf(name, sizeof name, "%s_device_%" PRIu64, fromDevice ? "from" : "to", bytes >> 10);
        figure(name, (double)bytes * (double)rounds / (now() - begin));
        ocrGuid_t last;
        MUST(ocrEdtCreate(&last, endTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                          NULL));
        MUST(ocrAddDependence(right, last, 0, DB_MODE_CONST));
        return NULL_GUID;
    }
    turn++;
    u64 want = turn;
    if (!fromDevice)
        x[0] = (u8)want;
    ocrGuid_t kernel, done;
    MUST(ocrEdtCreate(&kernel, fromDevice ? writesTemplate : readsTemplate, EDT_PARAM_DEF, &want, EDT_PARAM_DEF, NULL,
                      EDT_PROP_NONE, NULL_HINT, &done));
    thenHost(done);
    MUST(ocrAddDependence(block, kernel, 0, fromDevice ? DB_MODE_EW : DB_MODE_CONST));
    MUST(ocrAddDependence(right, kernel, 1, DB_MODE_EW));
    return NULL_GUID;
}

/* In place of a kernel: its EDTs are to run on the device. */
static ocrGuid_t onWorker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    expect(false, "kernels run as kernels, which OCR_SCHED=device sees to");
    return NULL_GUID;
}

static ocrGuid_t kernelTemplate(const char *name) {
    ocrGuid_t guid;
    MUST(ocrEdtTemplateCreate(&guid, onWorker, 1, 2));
    MUST(ocrEdtTemplateAddKernel(guid, source, NULL, name, oneItem, OCR_NO_RESULT));
    return guid;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    most = sizeArgument(depv, 1, 256 << 20);
    rounds = sizeArgument(depv, 2, 10);
    hostTemplate = template(host, 0, 2);
    endTemplate = template(endSize, 0, 1);
    readsTemplate = kernelTemplate("reads");
    writesTemplate = kernelTemplate("writes");
    /* A device is opened when a kernel is added. */
    ocrStats_t stats;
    MUST(ocrStatsGet(&stats));
    if (stats.devices == 0) {
        fprintf(stderr, "left out: copies, since there is no OpenCL device here\n");
        ocrShutdown();
        return NULL_GUID;
    }
    beginSize();
    return NULL_GUID;
}
