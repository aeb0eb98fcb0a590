/* Reads two files of letters to compare, each as what it looks like, and reports to the user what is not as expected.
 * Or makes two random sequences. */
#ifndef INPUT_H
#define INPUT_H

#include <inttypes.h>

#include "sequence.h"

/* How files are read. auto: two files that are not FASTA byte by byte, and all others as letters. */
typedef enum { INPUT_AUTO, INPUT_LETTERS, INPUT_BYTES } InputForm;

/* What was read, for the lines that are printed. */
typedef struct {
    const char *name; /* first or second */
    const char *form; /* FASTA, letters, bytes or random */
    const char *alphabet;
    uint64_t records, letters, others;
} InputFacts;

/* Room for a message that may have a file's name in it twice. */
enum { INPUT_WHY = 9000 };

static inline const char *inputName(const char *file) {
    return strcmp(file, "-") == 0 ? "the standard input" : file;
}

/* Reports what the user may not expect. */
static inline void inputRemark(const char *file, const InputFacts *facts, const Sequence *sequence, InputForm form) {
    if (facts->letters == 0)
        fprintf(stderr, "levenshtein: warning: %s has %s\n", file,
                facts->records > 0 ? "a header and no letters" : "no letters");
    if (facts->records > 1)
        fprintf(stderr, "levenshtein: note: the %" PRIu64 " records of %s are joined to one sequence\n", facts->records,
                file);
    const bool bytes = strcmp(facts->form, "bytes") == 0;
    /* Two texts of any kind may be compared; this is about sequences with line ends. */
    if (facts->others == 0 || (bytes && (form == INPUT_BYTES || strcmp(facts->alphabet, "nucleotides") != 0)))
        return;
    fprintf(stderr, "levenshtein: warning: %" PRIu64 " of %" PRIu64 " letters of %s are no codes of %s; the first is"
            " letter %" PRIu64 ", 0x%02x%s\n", facts->others, facts->letters, file, facts->alphabet,
            sequence->firstOther + 1, sequence->letters[sequence->firstOther],
            bytes ? "; the file is not FASTA: --read letters drops its line ends and blanks" : "");
}

/* Reads both files; the caller frees their letters. False: `why` (of INPUT_WHY bytes) says the reason. */
static inline bool inputRead(const char *const file[2], InputForm form, bool ignoreCase, Sequence sequence[2],
                             InputFacts facts[2], char *why) {
    char reason[INPUT_WHY / 2];
    for (int i = 0; i < 2; i++)
        if (!sequenceLoad(file[i], form == INPUT_BYTES, &sequence[i], reason, sizeof reason)) {
            snprintf(why, INPUT_WHY, "%s: %s", inputName(file[i]), reason);
            return false;
        }
    const bool fasta[2] = { sequenceIsFasta(&sequence[0]), sequenceIsFasta(&sequence[1]) };
    const bool letters = form == INPUT_LETTERS || (form == INPUT_AUTO && (fasta[0] || fasta[1]));
    for (int i = 0; i < 2; i++) {
        Sequence *const s = &sequence[i];
        if (letters && !sequenceJoin(s, fasta[i], reason, sizeof reason)) {
            snprintf(why, INPUT_WHY, "%s: %s; --read bytes compares any files byte by byte", inputName(file[i]),
                     reason);
            return false;
        }
        if (!letters && form == INPUT_AUTO)
            sequenceDropMark(s);
        if (ignoreCase)
            sequenceFoldCase(s);
        sequenceCount(s);
        facts[i] = (InputFacts){ .name = i == 0 ? "first" : "second", .alphabet = s->alphabet, .records = s->records,
                                 .form = !letters ? "bytes" : fasta[i] ? "FASTA" : "letters", .letters = s->length,
                                 .others = s->others };
        inputRemark(inputName(file[i]), &facts[i], s, form);
    }
    const bool mixed = (sequence[0].lower > 0 && sequence[1].upper > 0) ||
                       (sequence[0].upper > 0 && sequence[1].lower > 0);
    if (letters && mixed)
        fprintf(stderr, "levenshtein: note: lower case letters differ from upper case ones; --ignore-case takes them"
                " for the same\n");
    return true;
}

/* ---- sequences without files ------------------------------------------------------------------------------------- */

/* The most letters of the first one: the second may become twice as long. */
#define INPUT_RANDOM_MAX (SEQUENCE_MAX / 2)

/* The next of the random numbers that a seed begins (splitmix64). */
static inline uint64_t inputNext(uint64_t *state) {
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

/* Makes a random sequence of nucleotides, and one like it, in which one letter in ten has been dropped, replaced, or
 * got another before it; the caller frees their letters. False: there is no memory. */
static inline bool inputRandom(uint64_t letters, uint64_t seed, Sequence sequence[2], InputFacts facts[2]) {
    uint8_t *one = malloc(letters), *other = malloc(2 * letters);
    uint64_t length = 0;
    if (one == NULL || other == NULL) {
        free(one);
        free(other);
        return false;
    }
    for (uint64_t i = 0; i < letters; i++) {
        const uint64_t word = inputNext(&seed);
        const uint8_t random = (uint8_t)"ACGT"[word >> 2 & 3];
        one[i] = (uint8_t)"ACGT"[word & 3];
        switch ((word >> 32) % 30) {
        case 0: /* dropped */
            break;
        case 1:
            other[length++] = random;
            break;
        case 2:
            other[length++] = random;
            other[length++] = one[i];
            break;
        default:
            other[length++] = one[i];
        }
    }
    sequence[0] = (Sequence){ .letters = one, .length = letters };
    sequence[1] = (Sequence){ .letters = other, .length = length };
    for (int i = 0; i < 2; i++) {
        sequenceCount(&sequence[i]);
        facts[i] = (InputFacts){ .name = i == 0 ? "first" : "second", .form = "random", .letters = sequence[i].length,
                                 .alphabet = sequence[i].alphabet };
    }
    return true;
}

#endif
