/* Writes a picture as a PNG file, without a library.
 *
 * A PNG file is a signature and chunks, each with its length, its type, its data and a CRC-32 of type and data. The
 * pixels are one zlib stream, cut into chunks as one likes. Its compression, deflate, has a form that does not
 * compress: stored blocks of up to 65535 bytes. Here each such block is a chunk. (PNG: ISO/IEC 15948; zlib and
 * deflate: RFC 1950, RFC 1951.) */
#ifndef PNG_H
#define PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* CRC-32 of more bytes: `crc` is that of the bytes before, 0 for none. Four bits at a time, by a table of 16. */
static inline uint32_t pngCrc(uint32_t crc, const void *data, size_t size) {
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const uint8_t *byte = data;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

enum { PNG_STORED = 65535, PNG_BEFORE = 2 + 5 }; /* the most in a stored block; the zlib header and that of a block */

typedef struct {
    FILE *file;
    bool failed, begun;     /* a write did not succeed; the zlib header is written */
    uint32_t sumA, sumB;    /* Adler-32 of the pixels so far */
    size_t used;            /* bytes of the block that is being filled */
    uint8_t block[PNG_BEFORE + PNG_STORED + 4];
} Png;

static inline void pngNumber(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (24 - 8 * i));
}

static inline void pngChunk(Png *png, const char type[4], const uint8_t *data, size_t size) {
    uint8_t number[4];
    pngNumber(number, (uint32_t)size);
    png->failed |= fwrite(number, 1, 4, png->file) != 4 || fwrite(type, 1, 4, png->file) != 4 ||
                   (size > 0 && fwrite(data, 1, size, png->file) != size);
    pngNumber(number, pngCrc(pngCrc(0, type, 4), data, size));
    png->failed |= fwrite(number, 1, 4, png->file) != 4;
}

/* Begins a picture of 8-bit red, green and blue, into a file that is open. */
static inline void pngBegin(Png *png, FILE *file, uint32_t width, uint32_t height) {
    uint8_t header[13] = { [8] = 8, [9] = 2 }; /* 8 bits a sample, RGB; the rest 0: no choice, or not interlaced */
    png->file = file;
    png->failed = png->begun = false;
    png->sumA = 1;
    png->sumB = 0;
    png->used = 0;
    png->failed |= fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) != 8;
    pngNumber(header, width);
    pngNumber(header + 4, height);
    pngChunk(png, "IHDR", header, sizeof header);
}

/* Writes the block that was filled. The zlib header stands before the first, the Adler-32 behind the last. */
static inline void pngFlush(Png *png, bool last) {
    uint8_t *begin = png->block + 2;
    begin[0] = last; /* a stored block, and whether it is the last; then its length, and that inverted */
    begin[1] = (uint8_t)png->used;
    begin[2] = (uint8_t)(png->used >> 8);
    begin[3] = (uint8_t)~begin[1];
    begin[4] = (uint8_t)~begin[2];
    size_t size = 5 + png->used;
    if (!png->begun) {
        begin -= 2;
        begin[0] = 0x78; /* deflate, a window of 32 KiB */
        begin[1] = 0x01; /* makes both a multiple of 31 */
        size += 2;
        png->begun = true;
    }
    if (last) {
        pngNumber(begin + size, png->sumB << 16 | png->sumA);
        size += 4;
    }
    pngChunk(png, "IDAT", begin, size);
    png->used = 0;
}

static inline void pngBytes(Png *png, const uint8_t *data, size_t size) {
    while (size > 0) {
        if (png->used == PNG_STORED)
            pngFlush(png, false);
        size_t some = PNG_STORED - png->used;
        some = size < some ? size : some;
        some = some < 4096 ? some : 4096; /* 4096 bytes do not overflow the sums before they are reduced */
        for (size_t i = 0; i < some; i++) {
            png->sumA += data[i];
            png->sumB += png->sumA;
        }
        png->sumA %= 65521;
        png->sumB %= 65521;
        memcpy(png->block + PNG_BEFORE + png->used, data, some);
        png->used += some;
        data += some;
        size -= some;
    }
}

/* The next row of pixels, of 3 * width bytes. */
static inline void pngRow(Png *png, const uint8_t *pixels, uint32_t width) {
    pngBytes(png, (const uint8_t[]){ 0 }, 1); /* the row's filter: none */
    pngBytes(png, pixels, 3 * (size_t)width);
}

/* Ends the picture, and returns whether all of it was written. The file stays open. */
static inline bool pngEnd(Png *png) {
    pngFlush(png, true);
    pngChunk(png, "IEND", NULL, 0);
    return fflush(png->file) == 0 && !png->failed;
}

#endif
