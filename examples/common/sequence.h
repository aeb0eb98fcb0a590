/* Reads a file of letters, and says what was read. A file that includes this one defines _POSIX_C_SOURCE (200809L or
 * more) first, for fstat.
 *
 * A file is read in two steps. sequenceLoad reads its bytes. It refuses what is no text and so has no letters yet:
 * compressed files and UTF-16. sequenceIsFasta says whether they are FASTA, and sequenceJoin leaves the letters alone.
 *
 * FASTA. The first line that is not empty begins with '>' (or with ';', if letters or a line with '>' follow). Lines
 * that begin with '>' are headers, lines that begin with ';' are comments; both are dropped, and the other lines are
 * joined without blanks. A line ends with LF, CR LF or CR. A byte order mark of UTF-8 is dropped. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* No file has more bytes than this: the matrix of two such sequences has 10^18 cells. */
#define SEQUENCE_MAX (UINT64_C(1) << 30)

typedef struct {
    uint8_t *letters; /* to be freed */
    uint64_t length;
    uint64_t records;     /* headers of FASTA */
    const char *alphabet; /* "nucleotides", "protein", "bytes" (neither), or "none" (no letters) */
    uint64_t others;      /* letters that are no code of the alphabet */
    uint64_t firstOther;  /* where the first of these is */
    uint64_t lower, upper;
} Sequence;

/* ---- what is no text --------------------------------------------------------------------------------------------- */

/* How a compressed file begins, and what prints its contents. */
typedef struct {
    const char *magic;
    size_t length;
    const char *what, *tool;
} SequenceMagic;

static const SequenceMagic sequenceMagics[] = {
    { "\x1f\x8b", 2, "gzip (or bgzip)", "gzip -dc" },
    { "\x1f\x9d", 2, "compress", "gzip -dc" },
    { "\x1f\xa0", 2, "compress", "gzip -dc" },
    { "BZh", 3, "bzip2", "bzip2 -dc" },
    { "\xfd" "7zXZ\0", 6, "xz", "xz -dc" },
    { "\x5d\0\0", 3, "lzma", "xz -dc" },
    { "\x28\xb5\x2f\xfd", 4, "zstd", "zstd -dc" },
    { "\x50\x2a\x4d\x18", 4, "zstd", "zstd -dc" },
    { "\x04\x22\x4d\x18", 4, "lz4", "lz4 -dc" },
    { "LZIP\1", 5, "lzip", "lzip -dc" },
    { "PK\3\4", 4, "zip", "unzip -p" },
    { "PK\5\6", 4, "zip", "unzip -p" },
    { "7z\xbc\xaf\x27\x1c", 6, "7-Zip", "7z x -so" },
    { "Rar!\x1a\7", 6, "RAR", "unrar p -inul" },
};

/* Whether the text begins so. The fourth byte of bzip2 is a digit. */
static inline bool sequenceHasMagic(const SequenceMagic *magic, const uint8_t *text, uint64_t size) {
    return size >= magic->length && memcmp(text, magic->magic, magic->length) == 0 &&
           (magic->magic[0] != 'B' || (size > 3 && text[3] >= '1' && text[3] <= '9'));
}

/* The encoding, as iconv calls it, of a text whose letters have two or four bytes; NULL for others. The first letter is
 * a '>', or any Latin letter behind a byte order mark. */
static inline const char *sequenceWideEncoding(const uint8_t *text, uint64_t size) {
    static const struct { const char *begin; size_t length; const char *encoding; } wide[] = {
        { "\xff\xfe\0\0", 4, "UTF-32" }, { "\0\0\xfe\xff", 4, "UTF-32" },
        { ">\0\0\0", 4, "UTF-32LE" }, { "\0\0\0>", 4, "UTF-32BE" }, { ">\0", 2, "UTF-16LE" }, { "\0>", 2, "UTF-16BE" },
    };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (size >= wide[i].length && memcmp(text, wide[i].begin, wide[i].length) == 0)
            return wide[i].encoding;
    const bool little = size >= 2 && text[0] == 0xff && text[1] == 0xfe;
    const bool big = size >= 2 && text[0] == 0xfe && text[1] == 0xff;
    return (little || big) && (size == 2 || (size >= 4 && text[little ? 3 : 2] == 0)) ? "UTF-16" : NULL;
}

/* Whether the text is none that can be read; then `why` (of `room` bytes) says so. */
static inline bool sequenceIsNoText(const uint8_t *text, uint64_t size, const char *path, char *why, size_t room) {
    for (size_t i = 0; i < sizeof sequenceMagics / sizeof *sequenceMagics; i++) {
        const SequenceMagic *magic = &sequenceMagics[i];
        if (sequenceHasMagic(magic, text, size)) {
            snprintf(why, room, "is compressed with %s; give what this prints: %s %s", magic->what, magic->tool, path);
            return true;
        }
    }
    const char *const encoding = sequenceWideEncoding(text, size);
    if (encoding != NULL)
        snprintf(why, room, "is a text in %s; give what this prints: iconv -f %s -t UTF-8 %s", encoding, encoding,
                 path);
    return encoding != NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

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

/* The bytes of an open file, to be freed; or NULL, and `why` (of `room` bytes) says the reason. */
static inline uint8_t *sequenceReadStream(FILE *stream, uint64_t *size, char *why, size_t room) {
    const char *const tooLong = "has more than 1073741824 bytes (1 GiB), which is the most";
    struct stat status;
    if (fstat(fileno(stream), &status) != 0) {
        snprintf(why, room, "%s", strerror(errno));
        return NULL;
    }
    const uint64_t expected = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    if (S_ISDIR(status.st_mode) || expected > SEQUENCE_MAX) {
        snprintf(why, room, "%s", S_ISDIR(status.st_mode) ? "is a directory" : tooLong);
        return NULL;
    }
    uint8_t *text = sequenceReadAll(stream, expected, size);
    if (text != NULL && *size <= SEQUENCE_MAX && !ferror(stream))
        return text;
    snprintf(why, room, "%s", text == NULL ? "no memory for its contents" : ferror(stream) ? strerror(errno) : tooLong);
    free(text);
    return NULL;
}

/* The bytes of a file, or of the standard input ("-"), as letters; `raw`: any bytes are fine. False: `why` (of `room`
 * bytes) says the reason. */
static inline bool sequenceLoad(const char *path, bool raw, Sequence *sequence, char *why, size_t room) {
    const bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    *sequence = (Sequence){ 0 };
    sequence->letters = sequenceReadStream(stream, &sequence->length, why, room);
    if (!standard)
        fclose(stream);
    if (sequence->letters == NULL)
        return false;
    if (!raw && sequenceIsNoText(sequence->letters, sequence->length, standard ? "FILE" : path, why, room)) {
        free(sequence->letters);
        sequence->letters = NULL;
        return false;
    }
    return true;
}

/* ---- letters ----------------------------------------------------------------------------------------------------- */

static inline bool sequenceIsBlank(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
}

static inline bool sequenceIsEnd(uint8_t byte) {
    return byte == '\n' || byte == '\r';
}

/* Where the next line with something in it begins, behind blanks and a byte order mark; `size` if there is none. */
static inline uint64_t sequenceLine(const uint8_t *text, uint64_t size, uint64_t at) {
    for (;;) {
        if (size - at >= 3 && memcmp(text + at, "\xef\xbb\xbf", 3) == 0)
            at += 3;
        else if (at < size && (sequenceIsBlank(text[at]) || sequenceIsEnd(text[at])))
            at++;
        else
            return at;
    }
}

static inline uint64_t sequenceLineEnd(const uint8_t *text, uint64_t size, uint64_t at) {
    while (at < size && !sequenceIsEnd(text[at]))
        at++;
    return at;
}

/* Whether the bytes are FASTA. After a comment, which other files may begin with as well, letters must follow. */
static inline bool sequenceIsFasta(const Sequence *sequence) {
    const uint8_t *text = sequence->letters;
    const uint64_t size = sequence->length;
    uint64_t at = sequenceLine(text, size, 0);
    if (at == size || (text[at] != '>' && text[at] != ';'))
        return false;
    while (at < size && text[at] == ';')
        at = sequenceLine(text, size, sequenceLineEnd(text, size, at));
    if (at == size || text[at] == '>')
        return true;
    for (; at < size; at++) {
        const uint8_t byte = text[at], folded = byte | 0x20;
        if (!(folded >= 'a' && folded <= 'z') && byte != '*' && byte != '-' && byte != '.' &&
            !sequenceIsBlank(byte) && !sequenceIsEnd(byte))
            return byte == '>' && sequenceIsEnd(text[at - 1]);
    }
    return true;
}

/* Drops headers, comments, blanks and line ends, in place. False: there is a byte that no text has, and `why` (of
 * `room` bytes) says where. */
static inline bool sequenceJoin(Sequence *sequence, bool fasta, char *why, size_t room) {
    uint8_t *text = sequence->letters;
    const uint64_t size = sequence->length;
    uint64_t kept = 0, end;
    for (uint64_t at = sequenceLine(text, size, 0); at < size; at = sequenceLine(text, size, end)) {
        end = sequenceLineEnd(text, size, at);
        if (fasta && (text[at] == '>' || text[at] == ';')) {
            sequence->records += text[at] == '>';
            continue;
        }
        for (; at < end; at++) {
            if (text[at] < ' ' && !sequenceIsBlank(text[at])) {
                snprintf(why, room, "has a byte 0x%02x behind %llu letters, which no sequence has", text[at],
                         (unsigned long long)kept);
                return false;
            }
            if (!sequenceIsBlank(text[at]))
                text[kept++] = text[at];
        }
    }
    sequence->length = kept;
    return true;
}

/* Drops a byte order mark of UTF-8 at the beginning. */
static inline void sequenceDropMark(Sequence *sequence) {
    if (sequence->length >= 3 && memcmp(sequence->letters, "\xef\xbb\xbf", 3) == 0) {
        sequence->length -= 3;
        memmove(sequence->letters, sequence->letters + 3, sequence->length);
    }
}

/* Makes lower case letters upper case ones. */
static inline void sequenceFoldCase(Sequence *sequence) {
    for (uint64_t i = 0; i < sequence->length; i++)
        if (sequence->letters[i] >= 'a' && sequence->letters[i] <= 'z')
            sequence->letters[i] -= 'a' - 'A';
}

/* For every byte: bit 0, a code of nucleotides; bit 1, one of protein; bit 2, one of the usual nucleotides. */
static inline void sequenceCodes(uint8_t codes[256]) {
    static const char *const sets[] = { "ACGTUNRYSWKMBDHV-.", "ABCDEFGHIJKLMNOPQRSTUVWXYZ*-.", "ACGTUN" };
    memset(codes, 0, 256);
    for (int set = 0; set < 3; set++)
        for (const char *code = sets[set]; *code != '\0'; code++) {
            codes[(uint8_t)*code] |= (uint8_t)(1 << set);
            if (*code >= 'A')
                codes[(uint8_t)*code | 0x20] |= (uint8_t)(1 << set);
        }
}

/* Decides on the alphabet, and counts. What has a majority of usual nucleotides is nucleotides; of the rest, what has a
 * majority of letters is protein. Codes are those of IUPAC, and '-' and '.' for gaps. */
static inline void sequenceCount(Sequence *sequence) {
    uint64_t counts[256] = { 0 }, usual = 0, letters = 0;
    uint8_t codes[256];
    sequenceCodes(codes);
    for (uint64_t i = 0; i < sequence->length; i++)
        counts[sequence->letters[i]]++;
    for (int byte = 0; byte < 256; byte++) {
        usual += codes[byte] & 4 ? counts[byte] : 0;
        letters += codes[byte] & 2 ? counts[byte] : 0;
        sequence->lower += byte >= 'a' && byte <= 'z' ? counts[byte] : 0;
        sequence->upper += byte >= 'A' && byte <= 'Z' ? counts[byte] : 0;
    }
    const int set = 2 * usual > sequence->length ? 1 : 2 * letters > sequence->length ? 2 : 0;
    sequence->alphabet = sequence->length == 0 ? "none" : set == 1 ? "nucleotides" : set == 2 ? "protein" : "bytes";
    for (uint64_t i = 0; set != 0 && i < sequence->length; i++)
        if (!(codes[sequence->letters[i]] & set) && sequence->others++ == 0)
            sequence->firstOther = i;
}

#endif
