/* See edit-distance.h. The vector forms of the tile are in edit-distance-x86.h. */
#include "edit-distance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

void editAlphabet(EditAlphabet *alphabet, const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m) {
    bool inA[256] = { false }, inB[256] = { false };
    for (uint64_t i = 0; i < n; i++)
        inA[a[i]] = true;
    for (uint64_t i = 0; i < m; i++)
        inB[b[i]] = true;

    memset(alphabet, 0, sizeof *alphabet);
    uint32_t codes = 0;
    bool onlyA = false, onlyB = false;
    for (int c = 0; c < 256; c++) {
        if (inA[c] && inB[c]) {
            alphabet->rowCode[c] = alphabet->columnCode[c] = (uint8_t)codes++;
        } else {
            onlyA |= inA[c];
            onlyB |= inB[c];
        }
    }
    const uint32_t codeA = codes;
    codes += onlyA;
    const uint32_t codeB = codes;
    codes += onlyB;
    for (int c = 0; c < 256; c++) {
        if (inA[c] && !inB[c])
            alphabet->rowCode[c] = (uint8_t)codeA;
        if (inB[c] && !inA[c])
            alphabet->columnCode[c] = (uint8_t)codeB;
    }
    for (alphabet->planes = 1; (1u << alphabet->planes) < codes;)
        alphabet->planes++;
}

void editRowPlanes(const EditAlphabet *alphabet, const uint8_t *letters, uint32_t rows, uint32_t tile,
                   uint64_t *planes) {
    const uint32_t words = tile / EDIT_WORD_ROWS;
    memset(planes, 0, sizeof *planes * alphabet->planes * words);
    for (uint32_t r = 0; r < rows; r++) {
        const uint64_t code = alphabet->rowCode[letters[r]];
        for (uint32_t p = 0; p < alphabet->planes; p++)
            planes[p * words + r / 64] |= (code >> p & 1) << (r % 64);
    }
}

/* ---- the tile, in words of 64 bits ------------------------------------------------------------------------------- */

/* One column of 64 rows. *hp and *hm: the differences along the row above (in bit 63), then those of all 64 rows, of
 * which bit 63 is what the next word below takes in. */
ALWAYS_INLINE void column64(uint64_t eq, uint64_t *vp, uint64_t *vm, uint64_t *hp, uint64_t *hm) {
    const uint64_t inP = *hp >> 63, inM = *hm >> 63;
    const uint64_t xv = eq | *vm;
    eq |= inM;
    const uint64_t xh = (((eq & *vp) + *vp) ^ *vp) | eq;
    const uint64_t p = *vm | ~(xh | *vp), m = *vp & xh;
    const uint64_t downP = p << 1 | inP, downM = m << 1 | inM;
    *vp = downM | ~(xv | downP);
    *vm = downP & xv;
    *hp = p;
    *hm = m;
}

/* `lanes` words of rows over all columns of the tile. Several words at once, since the steps of one word hang on each
 * other; a processor works on the next column of the upper words while the lower ones finish this column. */
ALWAYS_INLINE void sweepWords(const uint32_t lanes, uint32_t words, uint32_t columns, uint32_t planes,
                              const uint64_t *rowPlanes, const uint8_t *columnCodes, uint64_t *vertical,
                              uint64_t *horizontal) {
    uint64_t match[256 * 4]; /* [code][lane]: the rows that have this code */
    for (uint32_t code = 0; code < 1u << planes; code++) {
        for (uint32_t k = 0; k < lanes; k++) {
            uint64_t eq = ~(uint64_t)0;
            for (uint32_t p = 0; p < planes; p++)
                eq &= rowPlanes[p * words + k] ^ ((code >> p & 1) - (uint64_t)1);
            match[code * lanes + k] = eq;
        }
    }

    uint64_t vp[4], vm[4];
    for (uint32_t k = 0; k < lanes; k++) {
        vp[k] = vertical[k];
        vm[k] = vertical[words + k];
    }
    for (uint32_t first = 0; first < columns; first += 64) {
        const uint32_t count = columns - first < 64 ? columns - first : 64;
        uint64_t inP = horizontal[first / 64], inM = horizontal[words + first / 64], outP = 0, outM = 0;
        for (uint32_t c = 0; c < count; c++) {
            const uint64_t *eq = match + columnCodes[first + c] * lanes;
            uint64_t hp = inP, hm = inM;
            column64(eq[0], &vp[0], &vm[0], &hp, &hm);
            if (lanes > 1)
                column64(eq[1], &vp[1], &vm[1], &hp, &hm);
            if (lanes > 2)
                column64(eq[2], &vp[2], &vm[2], &hp, &hm);
            if (lanes > 3)
                column64(eq[3], &vp[3], &vm[3], &hp, &hm);
            inP <<= 1;
            inM <<= 1;
            outP = outP << 1 | hp >> 63;
            outM = outM << 1 | hm >> 63;
        }
        horizontal[first / 64] = outP << (64 - count);
        horizontal[words + first / 64] = outM << (64 - count);
    }
    for (uint32_t k = 0; k < lanes; k++) {
        vertical[k] = vp[k];
        vertical[words + k] = vm[k];
    }
}

static void tilePortable(uint32_t from, uint32_t to, uint32_t words, uint32_t columns, uint32_t planes,
                         const uint64_t *rowPlanes, const uint8_t *columnCodes, uint64_t *vertical,
                         uint64_t *horizontal) {
    for (; from + 4 <= to; from += 4)
        sweepWords(4, words, columns, planes, rowPlanes + from, columnCodes, vertical + from, horizontal);
    for (; from < to; from++)
        sweepWords(1, words, columns, planes, rowPlanes + from, columnCodes, vertical + from, horizontal);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include "edit-distance-x86.h"
#define HAVE_X86_FORMS 1
#else
#define HAVE_X86_FORMS 0
#endif

enum { FORM_PORTABLE, FORM_AVX2, FORM_AVX512 };
static const char *const formNames[] = { "portable", "avx2", "avx512" };

static int chooseForm(void) {
    int form = FORM_PORTABLE;
#if HAVE_X86_FORMS
    if (haveAvx512())
        form = FORM_AVX512;
    else if (haveAvx2())
        form = FORM_AVX2;
#endif
    const char *asked = getenv("EDIT_DISTANCE_FORM");
    for (int f = FORM_PORTABLE; asked != NULL && f < form; f++)
        if (strcmp(asked, formNames[f]) == 0)
            form = f;
    return form;
}

/* Two threads that meet here first both store the same value. */
static int currentForm(void) {
    static int known = -1;
    int form = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (form < 0) {
        form = chooseForm();
        __atomic_store_n(&known, form, __ATOMIC_RELAXED);
    }
    return form;
}

const char *editTileBitsForm(void) {
    return formNames[currentForm()];
}

void editTileBits(uint32_t tile, uint32_t rows, uint32_t columns, uint32_t planes, const uint64_t *rowPlanes,
                  const uint8_t *columnCodes, uint64_t *vertical, uint64_t *horizontal) {
    const uint32_t words = tile / EDIT_WORD_ROWS, used = (rows + EDIT_WORD_ROWS - 1) / EDIT_WORD_ROWS;
    uint32_t done = 0; /* a vector form does all words but, at times, the last */
#if HAVE_X86_FORMS
    if (currentForm() == FORM_AVX512)
        done = tileAvx512(used, words, columns, planes, rowPlanes, columnCodes, vertical, horizontal);
    else if (currentForm() == FORM_AVX2)
        done = tileAvx2(used, words, columns, planes, rowPlanes, columnCodes, vertical, horizontal);
#endif
    tilePortable(done, used, words, columns, planes, rowPlanes, columnCodes, vertical, horizontal);
}

int64_t editVerticalSum(uint32_t tile, uint32_t rows, const uint64_t *vertical) {
    const uint32_t words = tile / EDIT_WORD_ROWS;
    int64_t sum = 0;
    for (uint32_t w = 0; w * EDIT_WORD_ROWS < rows; w++) {
        const uint32_t left = rows - w * EDIT_WORD_ROWS;
        const uint64_t valid = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
        sum += __builtin_popcountll(vertical[w] & valid);
        sum -= __builtin_popcountll(vertical[words + w] & valid);
    }
    return sum;
}

/* ---- the recurrence as in the textbook --------------------------------------------------------------------------- */

static inline uint32_t min2(uint32_t x, uint32_t y) {
    return x < y ? x : y;
}

void editTileDp(uint32_t rows, uint32_t columns, const uint8_t *rowLetters, const uint8_t *columnLetters,
                uint32_t *corner, uint32_t *left, uint32_t *top) {
    const uint32_t nextCorner = top[columns - 1];
    uint32_t northWest = *corner;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t diagonal = northWest, west = left[r];
        northWest = west;
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t north = top[c];
            const uint32_t replaced = diagonal + (rowLetters[r] != columnLetters[c]);
            const uint32_t cell = min2(min2(replaced, north + 1), west + 1);
            diagonal = north;
            west = cell;
            top[c] = cell;
        }
        left[r] = west;
    }
    *corner = nextCorner;
}

/* ---- whole matrices ---------------------------------------------------------------------------------------------- */

uint32_t editDefaultTile(uint64_t n, uint64_t m, int bits) {
    const uint64_t unit = bits ? 2048 : 256; /* bits: the words that a sweep of four AVX-512 vectors takes */
    const uint64_t longer = n > m ? n : m, units = (longer / 24 + unit / 2) / unit;
    return (uint32_t)(unit * (units < 1 ? 1 : units > 4 ? 4 : units));
}

uint64_t editCoveringTile(uint64_t n, uint64_t m) {
    const uint64_t longer = n > m ? n : m;
    return longer == 0 ? 512 : (longer + 511) / 512 * 512;
}

uint64_t editDistancePlainLoop(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m, uint64_t tile) {
    const uint64_t words = (tile + 63) / 64;
    const uint64_t strips = (m + words * 64 - 1) / (words * 64);
    tile = words * 64;
    EditAlphabet alphabet;
    editAlphabet(&alphabet, a, n, b, m);

    uint8_t *codes = malloc(m + 1);
    uint64_t *rowPlanes = malloc(sizeof *rowPlanes * alphabet.planes * words);
    uint64_t *vertical = malloc(sizeof *vertical * 2 * words);
    uint64_t *horizontal = malloc(sizeof *horizontal * 2 * words * (strips + 1));
    uint64_t distance = UINT64_MAX;
    if (codes != NULL && rowPlanes != NULL && vertical != NULL && horizontal != NULL) {
        for (uint64_t c = 0; c < m; c++)
            codes[c] = alphabet.columnCode[b[c]];
        for (uint64_t s = 0; s < strips; s++) {
            memset(horizontal + s * 2 * words, 0xff, sizeof *horizontal * words);
            memset(horizontal + s * 2 * words + words, 0, sizeof *horizontal * words);
        }
        distance = m;
        for (uint64_t r = 0; r < n; r += tile) {
            const uint32_t rows = (uint32_t)(n - r < tile ? n - r : tile);
            editRowPlanes(&alphabet, a + r, rows, (uint32_t)tile, rowPlanes);
            memset(vertical, 0xff, sizeof *vertical * words);
            memset(vertical + words, 0, sizeof *vertical * words);
            for (uint64_t c = 0; c < m; c += tile)
                editTileBits((uint32_t)tile, rows, (uint32_t)(m - c < tile ? m - c : tile), alphabet.planes,
                             rowPlanes, codes + c, vertical, horizontal + c / tile * 2 * words);
            distance += (uint64_t)editVerticalSum((uint32_t)tile, rows, vertical);
        }
    }
    free(codes);
    free(rowPlanes);
    free(vertical);
    free(horizontal);
    return distance;
}

/* Two rows, cells at most `band` off the diagonal; exact if it answers at most `band`. */
static uint64_t banded(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m, uint64_t band, uint64_t *row) {
    const uint64_t far = UINT64_MAX / 2;
    for (uint64_t c = 0; c <= m; c++)
        row[c] = c <= band ? c : far;
    for (uint64_t r = 1; r <= n; r++) {
        const uint64_t first = r > band ? r - band : 0, last = r + band < m ? r + band : m;
        /* row[first - 1] is the diagonal of the first cell; left of the band everything is out of reach. */
        uint64_t diagonal, left = far, c = first;
        if (first == 0) {
            diagonal = row[0];
            left = row[0] = r;
            c = 1;
        } else {
            diagonal = row[first - 1];
        }
        for (; c <= last; c++) {
            const uint64_t up = row[c], replaced = diagonal + (a[r - 1] != b[c - 1]);
            const uint64_t gap = (up < left ? up : left) + 1;
            diagonal = up;
            left = row[c] = gap < replaced ? gap : replaced;
        }
    }
    return row[m];
}

uint64_t editDistanceSerial(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m) {
    uint64_t *row = malloc(sizeof *row * (m + 1));
    if (row == NULL)
        return UINT64_MAX;
    const uint64_t longer = n > m ? n : m, off = n > m ? n - m : m - n;
    uint64_t band = off > 64 ? off : 64, distance;
    while ((distance = banded(a, n, b, m, band, row)) > band && band < longer)
        band *= 2;
    free(row);
    return distance;
}
