/* The arithmetic of examples/levenshtein.c, with no task and no data block in it.
 *
 * The matrix D of Levenshtein distances of the first r letters of `a` and the first c letters of `b` is cut into
 * square tiles of `tile` x `tile` cells. Rows belong to `a`, columns to `b`. A tile function reads the boundaries to
 * its left and above it, and overwrites them with the boundaries to its right and below it.
 *
 * Method "bits" (Myers 1999, in the block form of Hyyro 2003) uses that neighbouring cells differ by -1, 0 or 1. 64
 * cells of a column are two words: bit r of P says that D[r][c] = D[r-1][c] + 1, bit r of M that it is one less. A
 * boundary is therefore differences, two bits a cell:
 *   vertical    `words` words P, then as many M, down a column of cells; row 64 w + k is bit k of word w
 *   horizontal  `words` words P, then as many M, along a row of cells; column 64 w + k is bit 63 - k of word w (the
 *               first column in the highest bit, so that a shift to the left hands out one column after the other)
 * where words = tile / 64. No corner value is needed: differences to the left and above determine the tile.
 *
 * Letters are recoded (editAlphabet), so that "which of these 64 rows match this column" takes one logical operation
 * per bit of the code, and no table:
 *   row planes    planes x words words: bit k of word w of plane p is bit p of the code of row 64 w + k
 *   column codes  a byte a column
 *
 * Method "dp" is the recurrence as in the textbook, on values:
 *   corner  the value above and left of the tile; that of the next tile to the right is left there
 *   left    tile values: the column to the left of it
 *   top     tile values: the row above
 */
#ifndef EDIT_DISTANCE_H
#define EDIT_DISTANCE_H

#include <stdint.h>

#define EDIT_WORD_ROWS 64u
#define EDIT_TILE_MAX  (1u << 20)

/* Codes of the letters. Letters that occur in both sequences get codes of their own; those that occur in one alone
 * never match, and share a code per side. */
typedef struct {
    uint32_t planes;                       /* bits of a code, 1..8 */
    uint8_t rowCode[256], columnCode[256]; /* code of a letter of `a`, of `b` */
} EditAlphabet;

void editAlphabet(EditAlphabet *alphabet, const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m);

/* The planes of `rows` letters of `a`; rows beyond them, up to the end of the tile, get code 0. */
void editRowPlanes(const EditAlphabet *alphabet, const uint8_t *letters, uint32_t rows, uint32_t tile,
                   uint64_t *planes);

/* One tile, method "bits": the fastest form that this CPU has (see editTileBitsForm). A part of a tile is one, too,
 * from row and column numbers on that are divisible by 64: the pointers are to its words, and `tile` says how far apart
 * the planes, and the words P and M, are. */
void editTileBits(uint32_t tile, uint32_t rows, uint32_t columns, uint32_t planes, const uint64_t *rowPlanes,
                  const uint8_t *columnCodes, uint64_t *vertical, uint64_t *horizontal);

/* "avx512", "avx2" or "portable". The environment variable EDIT_DISTANCE_FORM asks for a lesser form. */
const char *editTileBitsForm(void);

/* What the vertical boundary adds up to over the first `rows` rows: D[rows][c] - D[0][c]. */
int64_t editVerticalSum(uint32_t tile, uint32_t rows, const uint64_t *vertical);

/* One tile, method "dp". */
void editTileDp(uint32_t rows, uint32_t columns, const uint8_t *rowLetters, const uint8_t *columnLetters,
                uint32_t *corner, uint32_t *left, uint32_t *top);

/* The tile to choose for these lengths, when the user did not: about 24 tiles along the longer sequence, for enough of
 * them to run at once; not less than 2048 (dp: 256), for a tile to take much longer than the handling of its task; and
 * not more than 8192 (dp: 1024), which gains nothing. */
uint32_t editDefaultTile(uint64_t n, uint64_t m, int bits);

/* The smallest tile of whole vectors that covers the matrix: a larger one would be memory for nothing. */
uint64_t editCoveringTile(uint64_t n, uint64_t m);

/* The distance by editTileBits in a plain loop over the tiles, with no runtime: what a run with tasks is measured
 * against. UINT64_MAX when memory runs out. */
uint64_t editDistancePlainLoop(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m, uint64_t tile);

/* The distance by two rows of the matrix and a band around its diagonal that doubles until the result is certain
 * (Ukkonen 1985). Shares no code with the tiles, to check them. UINT64_MAX when memory runs out. */
uint64_t editDistanceSerial(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m);

#endif
