/* A file that cannot be closed at the end of the program keeps the chunks of other files from nothing. */
// clause: ocr-file.h
// status: 1
// stderr: cannot be closed, so what was written may be lost: Input/output error
// stdout: the others are written
#include "file.h"
#include <extensions/ocr-legacy.h>
#include <sys/syscall.h>

#define FILES 8

static char names[FILES][64];

/* The system's, but for the first file. */
int close(int fd) {
    struct stat first, about;
    int found = stat(names[0], &first) == 0 && fstat(fd, &about) == 0 && first.st_ino == about.st_ino;
    int result = (int)syscall(SYS_close, fd);
    if (!found)
        return result;
    errno = EIO;
    return -1;
}

static ocrGuid_t fills(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv;
    for (u32 i = 0; i < depc; i++)
        memset(depv[i].ptr, 'x', 100);
    ocrShutdown();
    return NULL_GUID;
}

int main(void) {
    ocrGuid_t context, chunks[FILES];
    ocrConfig_t config = {0};
    ocrLegacyInit(&context, &config);
    for (int i = 0; i < FILES; i++) {
        ocrGuid_t file;
        snprintf(names[i], sizeof names[i], "file_close_fails.%d.%ld.tmp", i, (long)getpid());
        OK(ocrFileOpen(&file, names[i], "w", NULL, 0));
        OK(ocrFileGetChunk(&chunks[i], file, 0, 100));
        if (i % 2 == 0)
            OK(ocrFileRelease(file));
    }
    spawn(fills, 0, NULL, FILES, chunks);
    int status = ocrLegacyFinalize(context, true);
    for (int i = 0; i < FILES; i++) {
        size_t size;
        unsigned char *bytes = read_file(names[i], &size);
        CHECK_EQ(size, 100);
        CHECK_EQ(bytes[99], 'x');
        free(bytes);
        CHECK_EQ(unlink(names[i]), 0);
    }
    puts("the others are written");
    return status;
}
