/* Reads a file of letters: FASTA if its first byte is '>', plain bytes otherwise. A file that includes this one defines
 * _POSIX_C_SOURCE (200809L or more) first, for fstat. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* No file has more bytes than this: the matrix of two such sequences has 10^18 cells. */
#define SEQUENCE_MAX (UINT64_C(1) << 30)

/* Drops the header lines of a FASTA file and joins the others, in place. Answers how many letters are left. */
static inline uint64_t sequenceJoinFasta(uint8_t *text, uint64_t size) {
    uint64_t kept = 0;
    for (uint64_t line = 0, next; line < size; line = next) {
        const uint8_t *newline = memchr(text + line, '\n', size - line);
        uint64_t end = newline != NULL ? (uint64_t)(newline - text) : size;
        next = end + 1;
        if (text[line] == '>')
            continue;
        if (end > line && text[end - 1] == '\r')
            end--;
        memmove(text + kept, text + line, end - line);
        kept += end - line;
    }
    return kept;
}

/* All bytes of a stream, but no more than SEQUENCE_MAX and one; NULL when memory runs out. Streams without a size, such
 * as pipes, are fine. */
static inline uint8_t *sequenceReadAll(FILE *stream, uint64_t expected, uint64_t *size) {
    uint64_t room = expected > 0 ? expected + 1 : 1 << 16;
    uint8_t *text = malloc(room);
    *size = 0;
    while (text != NULL) {
        *size += fread(text + *size, 1, room - *size, stream);
        if (*size < room || *size > SEQUENCE_MAX)
            break;
        room = room < SEQUENCE_MAX / 2 ? 2 * room : SEQUENCE_MAX + 1;
        uint8_t *larger = realloc(text, room);
        if (larger == NULL)
            free(text);
        text = larger;
    }
    return text;
}

/* The sequence in a file, to be freed; or NULL, and *why says the reason. */
static inline uint8_t *sequenceRead(const char *path, uint64_t *length, const char **why) {
    FILE *stream = fopen(path, "rb");
    struct stat status;
    if (stream == NULL || fstat(fileno(stream), &status) != 0) {
        *why = strerror(errno);
        if (stream != NULL)
            fclose(stream);
        return NULL;
    }
    const uint64_t expected = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    const char *const tooLong = "has more than 1073741824 bytes (1 GiB), which is the most";
    if (S_ISDIR(status.st_mode) || expected > SEQUENCE_MAX) {
        *why = S_ISDIR(status.st_mode) ? "is a directory" : tooLong;
        fclose(stream);
        return NULL;
    }
    uint64_t size;
    uint8_t *text = sequenceReadAll(stream, expected, &size);
    if (text == NULL) {
        *why = "no memory for its contents";
    } else if (size > SEQUENCE_MAX) {
        *why = tooLong;
        free(text);
        text = NULL;
    } else if (ferror(stream)) {
        *why = strerror(errno);
        free(text);
        text = NULL;
    } else {
        *length = size > 0 && text[0] == '>' ? sequenceJoinFasta(text, size) : size;
    }
    fclose(stream);
    return text;
}

#endif
