/* Modes, sizes and offsets, overlaps, wrong calls, and when a file is closed. */
// clause: ocr-file.h
// stderr: ocr: warning: ocrFileOpen: "file_modes.missing" cannot be opened with the mode "rb+": No such file
// stderr: ocr: warning: ocrFileOpen: "." cannot be opened with the mode "r": it is a directory
// stderr: ocr: warning: ocrFileOpen: there is no mode "a"
// one-node: chunks of a file are for EDTs of its node
#include "file.h"
#include <extensions/ocr-db-info.h>
#include <sys/resource.h>

static char name[64];
static const char text[] = "0123456789";

static ocrGuid_t opened(const char *mode) {
    ocrGuid_t file;
    OK(ocrFileOpen(&file, name, mode, NULL, 0));
    return file;
}

static void file_is(const char *want, size_t size) {
    size_t got;
    unsigned char *bytes = read_file(name, &got);
    CHECK_EQ(got, size);
    CHECK(memcmp(bytes, want, size) == 0);
    free(bytes);
}

/* paramv: where the chunk begins */
static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    char *bytes = depv[0].ptr;
    CHECK(memcmp(bytes, paramv[0] == 3 ? "345" : "9\0\0", 3) == 0);
    memcpy(bytes, "abc", 3);
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t chunk_of(ocrGuid_t file, u64 offset, u64 size) {
    ocrGuid_t chunk;
    OK(ocrFileGetChunk(&chunk, file, offset, size));
    return chunk;
}

/* The chunks have been written, or not, when the EDTs have run. */
static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    static const char *const modes[] = {"r", "r+"};
    u64 step = paramv[0] + 1;
    if (step == 2) {
        file_is(text, 10); /* as it was */
        CHECK_EQ(times_open(name), 1);
        ocrGuid_t file = opened("r");
        CHECK_EQ(times_open(name), 2);
        OK(ocrFileRelease(file));
        CHECK_EQ(times_open(name), 1);
    } else if (step == 3) {
        file_is("012abc678abc", 12);
        /* Emptied. Chunks that no EDT uses are written, too: with zeros here. */
        ocrGuid_t file = opened("w"), chunk;
        CHECK_EQ(size_of_file(name), 0);
        chunk = chunk_of(file, 2, 2);
        CHECK_EQ(size_of_file(name), 4);
        OK(ocrDbDestroy(chunk));
        file_is("\0\0\0\0", 4);
        OK(ocrFileRelease(file));
        CHECK_EQ(unlink(name), 0);
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t file = opened(modes[step - 1]), done[2], last = spawn(after, 1, &step, 2, NULL);
    for (u32 i = 0; i < 2; i++) {
        u64 offset = i == 0 ? 3 : 9;
        ocrGuid_t edt = spawn_with(fills, 1, &offset, 1, NULL, EDT_PROP_NONE, &done[i]),
                  chunk = chunk_of(file, offset, 3);
        CHECK_EQ(size_of_file(name), step == 2 && i == 1 ? 12 : 10);
        link_to(done[i], last, i, DB_MODE_NULL);
        link_to(chunk, edt, 0, DB_MODE_EW);
    }
    if (step == 2)
        OK(ocrFileRelease(file)); /* that of step 1 is open at the end */
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t event = event_of(OCR_EVENT_STICKY_T), file = event, descriptor = event, chunk = event, other;
    write_file(file_name(name, "file_modes"), text, 10);
    REFUSED(OCR_EINVAL, ocrFileOpen(NULL, name, "r", &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, NULL, "r", &descriptor, 0));
    static const char *const wrong[] = {"", "a", "ab+", "rw", "x", "wbx", "r+r", "read"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(OCR_EINVAL, ocrFileOpen(&file, name, wrong[i], &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, name, NULL, &descriptor, 0));
    REFUSED(OCR_ENOENT, ocrFileOpen(&file, "file_modes.missing", "rb+", &descriptor, 0));
    REFUSED(OCR_ENOENT, ocrFileOpen(&file, "file_modes.missing/x", "w", &descriptor, 0));
    REFUSED(OCR_ENOENT, ocrFileOpen(&file, "", "r", &descriptor, 0));
    REFUSED(OCR_ENOENT, ocrFileOpen(&file, "/etc/passwd/x", "r", &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, ".", "r", &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, ".", "w", &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, "/dev/zero", "r", &descriptor, 0));
    char pipe_name[64];
    CHECK_EQ(mkfifo(file_name(pipe_name, "file_modes_pipe"), 0600), 0);
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, pipe_name, "r", &descriptor, 0));
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, pipe_name, "w", &descriptor, 0));
    CHECK_EQ(unlink(pipe_name), 0);
    char long_name[8192];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    REFUSED(OCR_EINVAL, ocrFileOpen(&file, long_name, "r", &descriptor, 0));
    struct rlimit limit, none_left;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none_left = (struct rlimit){0, limit.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none_left), 0);
    REFUSED(OCR_EAGAIN, ocrFileOpen(&file, name, "r", &descriptor, 0));
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    if (geteuid() != 0) {
        CHECK_EQ(chmod(name, 0400), 0);
        REFUSED(OCR_EACCES, ocrFileOpen(&file, name, "r+", &descriptor, 0));
        CHECK_EQ(chmod(name, 0600), 0);
    }
    CHECK(ocrGuidIsEq(file, event) && ocrGuidIsEq(descriptor, event));
    file_is(text, 10);
    CHECK_EQ(times_open(name), 0);

    REFUSED(OCR_EINVAL, ocrFileRelease(event));
    REFUSED(OCR_EINVAL, ocrFileRelease(NULL_GUID));
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&chunk, event, 0, 1));
    CHECK(ocrGuidIsError(ocrFileGetGuid(NULL)));
    CHECK_EQ(ocrFileGetSize(NULL), 0);

    file = opened("rb+");
    REFUSED(OCR_EINVAL, ocrFileGetChunk(NULL, file, 0, 1));
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&chunk, file, ~(u64)0, 1));
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&chunk, file, 1, ~(u64)0));
    REFUSED(OCR_EINVAL, ocrFileGetChunk(&chunk, file, (u64)1 << 63, 0));
    REFUSED(OCR_ENOMEM, ocrFileGetChunk(&chunk, file, 0, (u64)1 << 60));
    CHECK(ocrGuidIsEq(chunk, event));
    /* What was refused is free. */
    chunk = chunk_of(file, 4, 4);
    REFUSED(OCR_EBUSY, ocrFileGetChunk(&other, file, 0, 10));
    REFUSED(OCR_EBUSY, ocrFileGetChunk(&other, file, 5, 1));
    REFUSED(OCR_EBUSY, ocrFileGetChunk(&other, file, 7, 10));
    other = chunk_of(file, 8, 2);
    ocrGuid_t none = chunk_of(file, 5, 0);
    u64 size;
    OK(ocrDbGetSize(none, &size));
    CHECK_EQ(size, 0);
    OK(ocrFileRelease(file));
    OK(ocrDbDestroy(none));
    OK(ocrDbDestroy(other));
    CHECK_EQ(times_open(name), 1);
    OK(ocrDbDestroy(chunk));
    CHECK_EQ(times_open(name), 0);
    REFUSED(OCR_EPERM, ocrDbDestroy(chunk));
    file_is(text, 10);
    OK(ocrEventDestroy(event));

    u64 step = 0;
    ocrGuid_t deps[] = {NULL_GUID, NULL_GUID};
    spawn(after, 1, &step, 2, deps);
    return NULL_GUID;
}
