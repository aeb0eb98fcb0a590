/* plain-loop FILE FILE [TILE]: the edit distance of two files, by the tile function of examples/levenshtein.c in a
 * plain loop on one core. The first line of each file is dropped if it begins with '>', and line ends are.
 *
 * distance    the result
 * seconds     how long it took, without reading the files */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/edit-distance.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint8_t *readSequence(const char *path, uint64_t *length) {
    FILE *stream = fopen(path, "rb");
    uint8_t *letters = NULL;
    uint64_t size = 0, kept = 0;
    if (stream != NULL && fseek(stream, 0, SEEK_END) == 0) {
        size = (uint64_t)ftell(stream);
        rewind(stream);
        letters = malloc(size + 1);
    }
    if (letters == NULL || fread(letters, 1, size, stream) != size) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    fclose(stream);
    uint64_t i = 0;
    if (size > 0 && letters[0] == '>')
        while (i < size && letters[i] != '\n')
            i++;
    for (; i < size; i++)
        if (letters[i] != '\n' && letters[i] != '\r')
            letters[kept++] = letters[i];
    *length = kept;
    return letters;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: plain-loop FILE FILE [TILE]\n");
        return 2;
    }
    uint64_t n, m;
    uint8_t *a = readSequence(argv[1], &n), *b = readSequence(argv[2], &m);
    const uint64_t wanted = argc > 3 ? strtoull(argv[3], NULL, 10) : editDefaultTile(n, m, 1);
    const uint64_t covering = editCoveringTile(n, m), tile = wanted < covering ? wanted : covering;
    const double begin = now();
    const uint64_t distance = editDistancePlainLoop(a, n, b, m, tile);
    const double seconds = now() - begin;
    printf("distance: %" PRIu64 "\nseconds: %.9f\n", distance, seconds);
    free(a);
    free(b);
    return 0;
}
