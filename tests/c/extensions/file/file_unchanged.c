/*
 * Chunks that were only read are not written back, in whatever mode they were acquired: the file's time stays as it
 * was, and another chunk that has changed is written from its first new byte on. A file without permission to write is
 * read.
 */
// clause: ocr-file.h
// once: chunks are written in whatever mode they were acquired
// one-node: chunks of a file are for EDTs of its node
#include "file.h"
#include <extensions/ocr-db-partitioning.h>
#include <sys/time.h>

enum { SIZE = 600 * 1000, CHUNK = SIZE / 3, LAST = CHUNK - 5 };
static char read_only[64], changed[64];
static unsigned char bytes[SIZE];
static const struct timeval long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

static time_t time_of(const char *name) {
    struct stat about;
    CHECK_EQ(stat(name, &about), 0);
    return about.st_mtime;
}

/* Parameters: where the chunk begins, which bytes it changes (one, LAST; or none, 0). */
static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    unsigned char *content = depv[0].ptr;
    CHECK_EQ(memcmp(content, bytes + paramv[0], CHUNK), 0);
    if (paramv[1] != 0)
        content[paramv[1]] ^= 0xff;
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

/* What parts of a chunk hold goes back to it, and is the same. */
static ocrGuid_t divides(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t chunk = depv[0].guid;
    ocrDbPart_t parts[] = {{.offset = 0, .size = 4096}, {.offset = 4101, .size = 77}};
    OK(ocrDbRelease(chunk));
    OK(ocrDbPartition(chunk, 2, parts, 0));
    for (int i = 0; i < 2; i++)
        OK(ocrDbDestroy(parts[i].guid));
    OK(ocrDbDestroy(chunk));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    size_t size;
    CHECK_EQ(time_of(read_only), 1000000000);
    CHECK(time_of(changed) != 1000000000);
    unsigned char *now = read_file(changed, &size);
    CHECK_EQ(size, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        CHECK_EQ(now[i], (i == CHUNK + LAST ? bytes[i] ^ 0xff : bytes[i]));
    free(now);
    unlink(read_only);
    unlink(changed);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    const ocrDbAccessMode_t modes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW};
    ocrGuid_t file[3], chunk, ignored, ended[10], edts[10];
    int count = 0;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 1000);
    write_file(file_name(read_only, "file_unchanged_r"), bytes, SIZE);
    write_file(file_name(changed, "file_unchanged_w"), bytes, SIZE);
    CHECK_EQ(utimes(read_only, long_ago), 0);
    CHECK_EQ(utimes(changed, long_ago), 0);
    /* Once opened to be read and written, and once, when there is no permission to write it, to be read. */
    OK(ocrFileOpen(&file[0], read_only, "rb+", &ignored, 0));
    OK(ocrDbDestroy(ignored));
    CHECK_EQ(chmod(read_only, 0444), 0);
    OK(ocrFileOpen(&file[1], read_only, "rb", NULL, 0));
    OK(ocrFileOpen(&file[2], changed, "rb+", NULL, 0));
    ocrGuid_t last = spawn(ends, 0, NULL, 10, NULL);
    for (int f = 0; f < 3; f++) {
        for (u64 i = 0; i < 3; i++) {
            u64 params[] = {i * CHUNK, f == 2 && i == 1 ? LAST : 0};
            OK(ocrFileGetChunk(&chunk, file[f], params[0], CHUNK));
            edts[count] = spawn_with(looks, 2, params, 1, NULL, EDT_PROP_NONE, &ended[count]);
            link_to(ended[count], last, (u32)count, DB_MODE_NULL);
            link_to(chunk, edts[count++], 0, modes[i]);
        }
        OK(ocrFileRelease(file[f]));
    }
    OK(ocrFileOpen(&file[0], read_only, "r", NULL, 0));
    OK(ocrFileRelease(file[0]));
    edts[count] = spawn_with(divides, 0, NULL, 1, NULL, EDT_PROP_FINISH, &ended[count]);
    link_to(ended[count], last, (u32)count, DB_MODE_NULL);
    OK(ocrFileOpen(&file[0], read_only, geteuid() == 0 ? "r+" : "r", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file[0], 0, SIZE));
    OK(ocrFileRelease(file[0]));
    link_to(chunk, edts[count], 0, DB_MODE_RW);
    return NULL_GUID;
}
