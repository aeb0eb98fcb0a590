/* The edit distance of two files: a wavefront of tiles that run on CPU cores and OpenCL devices.
 *
 * The matrix of distances is cut into square tiles. A tile needs what its neighbours to the left, above, and to the
 * upper left leave at its edges, and nothing else of the matrix; only these boundaries are kept. What the tiles compute
 * is in common/edit-distance.c and kernels/levenshtein.cl, this file is the task graph.
 *
 * Data blocks. A row of tiles has a block with its letters and one with the boundary that moves through it from left to
 * right; a column of tiles has the same, and its boundary moves down:
 *
 *             column j: letters, boundary
 *                   |
 *                   v
 *     row i:  -> tile (i, j) ->      Every tile overwrites both boundaries in place, so that no block is created
 *     letters,      |                or destroyed in the inner part of the graph. Memory grows with the boundary:
 *     boundary      v                a row's blocks live from its creation until its last tile is done.
 *
 * The upper left neighbour needs no dependence of its own: it comes before the left one and the upper one. The single
 * value it contributes is implied by differences (method bits) or travels in front of the row's boundary (method dp).
 *
 * Tasks. A tile waits for the output events of its left and upper neighbours, which carry no data: both boundaries are
 * attached to it from the start, in mode EW. Its template has a C function and OpenCL kernels; the runtime chooses for
 * each tile where it runs.
 *
 * Blocks. With --block the squares of this graph are larger, and have variants of different grain: a kernel sweeps the
 * whole square, while the C function cuts it into tiles (--tile) with the same dependences among them, which all
 * workers run. The task is a finish EDT, so that its output event waits for its tiles.
 *
 * The graph is made row by row as the wavefront advances. When a row is complete, `rowDone` adds up its share of the
 * distance, destroys its blocks, and creates the next row that does not exist yet. Output events vanish when they are
 * satisfied, so a row must not start before the row below is connected to it: the first tile of each row has one
 * dependence, its gate, which is satisfied only then. */
#define _POSIX_C_SOURCE 200809L
#define PROGRAM         "levenshtein"
#define MEMORY_ADVICE   " A larger --tile needs fewer tasks"

#include <ocr.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

#include <unistd.h>

#include "common/edit-distance.h"
#include "common/input.h"
#include "common/kernel-source.h"
#include "common/program.h"
#include "common/sequence.h"

typedef enum { METHOD_BITS, METHOD_DP } Method;

/* ---- the tile ---------------------------------------------------------------------------------------------------- */

/* Parameters and pre-slots of a tile. Kernels get them as arguments in this order; method dp has no PLANES. */
enum { TILE, ROWS, COLUMNS, PLANES, TILE_PARAMS };
enum { ROW_LETTERS, COLUMN_LETTERS, ROW_BOUNDARY, COLUMN_BOUNDARY, LEFT_DONE, UP_DONE, TILE_SLOTS };

/* A block has one more, with its `Inner`. Kernels do not ask for it. */
enum { INNER = TILE_SLOTS, BLOCK_SLOTS };

static ocrGuid_t tileBits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    editTileBits((u32)paramv[TILE], (u32)paramv[ROWS], (u32)paramv[COLUMNS], (u32)paramv[PLANES],
                 depv[ROW_LETTERS].ptr, depv[COLUMN_LETTERS].ptr, depv[ROW_BOUNDARY].ptr, depv[COLUMN_BOUNDARY].ptr);
    return NULL_GUID;
}

_Static_assert(2 * SEQUENCE_MAX < UINT32_MAX, "it counts in 32 bits");
static ocrGuid_t tileDp(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u32 *left = depv[ROW_BOUNDARY].ptr;
    editTileDp((u32)paramv[ROWS], (u32)paramv[COLUMNS], depv[ROW_LETTERS].ptr, depv[COLUMN_LETTERS].ptr, left, left + 1,
               depv[COLUMN_BOUNDARY].ptr);
    return NULL_GUID;
}

/* ---- the block, and the tiles in it ------------------------------------------------------------------------------ */

/* How a block is cut. */
typedef struct {
    ocrGuid_t tileTemplate;
    u64 tile; /* side of a tile in it */
} Inner;

/* Parameters of a tile in a block: those of the block, with its own rows and columns, and where it is there. */
enum { FROM_ROW = TILE_PARAMS, FROM_COLUMN, INNER_TILE, INNER_PARAMS };

static ocrGuid_t innerBits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u64 row = paramv[FROM_ROW] / EDIT_WORD_ROWS, column = paramv[FROM_COLUMN];
    editTileBits((u32)paramv[TILE], (u32)paramv[ROWS], (u32)paramv[COLUMNS], (u32)paramv[PLANES],
                 (u64 *)depv[ROW_LETTERS].ptr + row, (u8 *)depv[COLUMN_LETTERS].ptr + column,
                 (u64 *)depv[ROW_BOUNDARY].ptr + row, (u64 *)depv[COLUMN_BOUNDARY].ptr + column / EDIT_WORD_ROWS);
    return NULL_GUID;
}

/* The corner of the first row of tiles is that of the block. Those of the others are behind the boundary, since there
 * the tile above overwrites them before the tile to the left has been here. */
static u32 *cornerOf(u32 *boundary, u64 block, u64 fromRow, u64 tile) {
    return fromRow == 0 ? boundary : boundary + block + fromRow / tile;
}

static ocrGuid_t innerDp(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const u64 row = paramv[FROM_ROW], column = paramv[FROM_COLUMN];
    u32 *boundary = depv[ROW_BOUNDARY].ptr;
    editTileDp((u32)paramv[ROWS], (u32)paramv[COLUMNS], (u8 *)depv[ROW_LETTERS].ptr + row,
               (u8 *)depv[COLUMN_LETTERS].ptr + column, cornerOf(boundary, paramv[TILE], row, paramv[INNER_TILE]),
               boundary + 1 + row, (u32 *)depv[COLUMN_BOUNDARY].ptr + column);
    return NULL_GUID;
}

/* Creates the tiles of a block, row by row. They wait for its data blocks, which it has until it ends, so that no
 * output event is gone before it is connected. Tiles write to parts of both boundaries side by side: mode RW. */
static void cutBlock(u64 planes, const u64 *paramv, ocrEdtDep_t depv[]) {
    const Inner *inner = depv[INNER].ptr;
    const u64 side = inner->tile, rows = paramv[ROWS], columns = paramv[COLUMNS];
    ocrGuid_t *above = malloc((columns + side - 1) / side * sizeof *above);
    if (above == NULL) {
        fail("no memory to cut a block into tiles; give a larger --tile");
        return;
    }
    for (u64 row = 0; row < rows; row += side) {
        ocrGuid_t left = NULL_GUID;
        for (u64 column = 0; column < columns; column += side) {
            u64 params[INNER_PARAMS] = { paramv[TILE], least(side, rows - row), least(side, columns - column), planes,
                                         row, column, side };
            ocrGuid_t tile, *up = &above[column / side];
            ocrGuid_t done;
            MUST(ocrEdtCreate(&tile, inner->tileTemplate, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                              NULL_HINT, &done));
            MUST(ocrAddDependence(depv[ROW_LETTERS].guid, tile, ROW_LETTERS, DB_MODE_CONST));
            MUST(ocrAddDependence(depv[COLUMN_LETTERS].guid, tile, COLUMN_LETTERS, DB_MODE_CONST));
            MUST(ocrAddDependence(depv[ROW_BOUNDARY].guid, tile, ROW_BOUNDARY, DB_MODE_RW));
            MUST(ocrAddDependence(depv[COLUMN_BOUNDARY].guid, tile, COLUMN_BOUNDARY, DB_MODE_RW));
            MUST(ocrAddDependence(left, tile, LEFT_DONE, DB_MODE_NULL));
            MUST(ocrAddDependence(row > 0 ? *up : NULL_GUID, tile, UP_DONE, DB_MODE_NULL));
            left = *up = done;
        }
    }
    free(above);
}

static ocrGuid_t blockBits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    cutBlock(paramv[PLANES], paramv, depv);
    return NULL_GUID;
}

static ocrGuid_t blockDp(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const Inner *inner = depv[INNER].ptr;
    u32 *boundary = depv[ROW_BOUNDARY].ptr;
    for (u64 row = inner->tile; row < paramv[ROWS]; row += inner->tile)
        *cornerOf(boundary, paramv[TILE], row, inner->tile) = boundary[row];
    cutBlock(0, paramv, depv);
    return NULL_GUID;
}

static void oneGroup(u64 items, ocrNdRange_t *range) {
    const u64 most = 256; /* MAX_GROUP in the kernels, and what every GPU offers */
    range->workDim = 1;
    range->globalSize[0] = range->localSize[0] = items < most ? items : most;
}

/* A GPU sweeps it with one work-group, a work-item for each word (bits) or row (dp). The same for all tiles of a run,
 * those at the edges too: a driver may compile a kernel again for every size of the work-group. */
static void rangeGpuBits(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    oneGroup(paramv[TILE] / EDIT_WORD_ROWS, range);
}

static void rangeGpuDp(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    (void)paramc, (void)depc, (void)depSizes;
    oneGroup(paramv[TILE], range);
}

/* ---- the state of the run ---------------------------------------------------------------------------------------- */

typedef struct {
    ocrGuid_t letters, boundary;
    ocrGuid_t lowest; /* output event of the column's lowest tile so far */
} Column;

/* In a data block that goes from one rowDone to the next, and to `report` at the end. */
typedef struct {
    Method method;
    bool check, progress;
    u64 n, m;                  /* lengths of the sequences; rows and columns of the matrix */
    u64 tile, rows, columns;   /* side of a tile or block; rows and columns of these */
    u64 innerTile;             /* side of a tile in a block; 0: the squares are tiles */
    EditAlphabet alphabet;
    ocrGuid_t self, a, b;      /* this block, the sequences */
    ocrGuid_t tileTemplate, rowDoneTemplate, reportTemplate, report;
    ocrGuid_t inner, innerTemplate; /* with --block: the block of an `Inner`, and what it names */
    u64 nextRow;               /* of tiles, to be created */
    ocrGuid_t gate;            /* first tile of the row before that, if it still waits for the row below */
    ocrGuid_t rowDone;         /* output event of that row's rowDone */
    u64 distance;
    double start;
    InputFacts input[2];
    Column column[];
} Run;

/* ---- building the graph ------------------------------------------------------------------------------------------ */

/* How many rows of tiles exist at a time. That number of tiles can run at once, and that number of
 * rows of tasks is in memory. */
static u64 rowsAhead(void) {
    ocrStats_t stats = { 0 };
    ocrStatsGet(&stats);
    return stats.workers > 32 ? 2 * stats.workers : 64;
}

/* The boundary of a row or column of tiles at the edge of the matrix, where the distance is the number of letters:
 * every difference is 1; `first` is the first value. */
static ocrGuid_t createBoundary(const Run *run, u64 first, u64 values) {
    ocrGuid_t block;
    void *ptr;
    if (run->method == METHOD_BITS) {
        const u64 half = run->tile / 8;
        MUST(ocrDbCreate(&block, &ptr, 2 * half, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        memset(ptr, 0xff, half);
        memset((char *)ptr + half, 0, half);
    } else {
        MUST(ocrDbCreate(&block, &ptr, values * sizeof(u32), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        for (u64 i = 0; i < values; i++)
            ((u32 *)ptr)[i] = (u32)(first + i);
    }
    MUST(ocrDbRelease(block));
    return block;
}

static void createColumns(Run *run, const u8 *b) {
    for (u64 j = 0; j < run->columns; j++) {
        const u64 from = j * run->tile, count = least(run->tile, run->m - from);
        void *ptr;
        MUST(ocrDbCreate(&run->column[j].letters, &ptr, run->tile, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
        u8 *letters = ptr;
        memset(letters, 0, run->tile); /* all blocks have one size, the last one too */
        for (u64 c = 0; c < count; c++)
            letters[c] = run->method == METHOD_BITS ? run->alphabet.columnCode[b[from + c]] : b[from + c];
        MUST(ocrDbRelease(run->column[j].letters));
        run->column[j].boundary = createBoundary(run, from + 1, run->tile);
    }
}

static ocrGuid_t createRowLetters(const Run *run, const u8 *letters, u64 count) {
    const u64 size = run->method == METHOD_BITS ? run->alphabet.planes * (run->tile / 8) : run->tile;
    ocrGuid_t block;
    void *ptr;
    MUST(ocrDbCreate(&block, &ptr, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    memset(ptr, 0, size);
    if (run->method == METHOD_BITS)
        editRowPlanes(&run->alphabet, letters, (u32)count, (u32)run->tile, ptr);
    else
        memcpy(ptr, letters, count);
    MUST(ocrDbRelease(block));
    return block;
}

enum { DONE_RUN, DONE_A, DONE_LETTERS, DONE_BOUNDARY, DONE_LAST_TILE, DONE_SLOTS };

/* Creates the next row of tiles and its rowDone, and opens the gate of the row above it. a: the row sequence. */
static void createRow(Run *run, const u8 *a) {
    const u64 i = run->nextRow++, from = i * run->tile, rows = least(run->tile, run->n - from);
    const bool lastRow = run->nextRow == run->rows;
    const ocrGuid_t letters = createRowLetters(run, a + from, rows);
    const u64 corners = run->innerTile > 0 ? run->tile / run->innerTile : 0;
    const ocrGuid_t boundary = createBoundary(run, from, run->tile + 1 + corners);

    ocrGuid_t first = NULL_GUID, left = NULL_GUID;
    for (u64 j = 0; j < run->columns; j++) {
        Column *column = &run->column[j];
        u64 paramv[TILE_PARAMS] = { run->tile, rows, least(run->tile, run->m - j * run->tile), run->alphabet.planes };
        ocrGuid_t tile, done;
        MUST(ocrEdtCreate(&tile, run->tileTemplate, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL,
                          run->innerTile > 0 ? EDT_PROP_FINISH : EDT_PROP_NONE, NULL_HINT, &done));
        if (run->innerTile > 0)
            MUST(ocrAddDependence(run->inner, tile, INNER, DB_MODE_CONST));
        MUST(ocrAddDependence(letters, tile, ROW_LETTERS, DB_MODE_CONST));
        MUST(ocrAddDependence(column->letters, tile, COLUMN_LETTERS, DB_MODE_CONST));
        MUST(ocrAddDependence(boundary, tile, ROW_BOUNDARY, DB_MODE_EW));
        MUST(ocrAddDependence(column->boundary, tile, COLUMN_BOUNDARY, DB_MODE_EW));
        MUST(ocrAddDependence(i > 0 ? column->lowest : NULL_GUID, tile, UP_DONE, DB_MODE_NULL));
        if (j > 0)
            MUST(ocrAddDependence(left, tile, LEFT_DONE, DB_MODE_NULL));
        else
            first = tile; /* LEFT_DONE is its gate */
        left = column->lowest = done;
    }

    u64 paramv[] = { i, rows };
    ocrGuid_t rowDone, done;
    MUST(ocrEdtCreate(&rowDone, run->rowDoneTemplate, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                      NULL_HINT, &done));
    MUST(ocrAddDependence(i > 0 ? run->rowDone : run->self, rowDone, DONE_RUN, DB_MODE_EW));
    MUST(ocrAddDependence(run->a, rowDone, DONE_A, DB_MODE_CONST));
    MUST(ocrAddDependence(letters, rowDone, DONE_LETTERS, DB_MODE_RO));
    MUST(ocrAddDependence(boundary, rowDone, DONE_BOUNDARY, DB_MODE_RO));
    if (lastRow)
        MUST(ocrAddDependence(done, run->report, 0, DB_MODE_EW));
    run->rowDone = done;
    MUST(ocrAddDependence(left, rowDone, DONE_LAST_TILE, DB_MODE_NULL));

    if (i > 0)
        MUST(ocrAddDependence(NULL_GUID, run->gate, LEFT_DONE, DB_MODE_NULL));
    if (lastRow)
        MUST(ocrAddDependence(NULL_GUID, first, LEFT_DONE, DB_MODE_NULL));
    run->gate = first;
}

/* A row is complete: parameters are its number and its letters. */
static ocrGuid_t rowDone(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    Run *run = depv[DONE_RUN].ptr;
    const u64 i = paramv[0], rows = paramv[1];
    if (run->method == METHOD_BITS)
        run->distance += (u64)editVerticalSum((u32)run->tile, (u32)rows, depv[DONE_BOUNDARY].ptr);
    else
        run->distance = ((const u32 *)depv[DONE_BOUNDARY].ptr)[rows];
    MUST(ocrDbDestroy(depv[DONE_LETTERS].guid));
    MUST(ocrDbDestroy(depv[DONE_BOUNDARY].guid));

    if (run->nextRow < run->rows)
        createRow(run, depv[DONE_A].ptr);
    if (run->progress)
        fprintf(stderr, "\r%3u %%", (unsigned)((i + 1) * 100 / run->rows));
    return run->self;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

enum { REPORT_RUN, REPORT_A, REPORT_B, REPORT_SLOTS };

static void printInput(const InputFacts *input) {
    ocrPrintf("%s_form: %s\n", input->name, input->form);
    ocrPrintf("%s_records: %" PRIu64 "\n", input->name, input->records);
    ocrPrintf("%s_letters: %" PRIu64 "\n", input->name, input->letters);
    ocrPrintf("%s_alphabet: %s\n", input->name, input->alphabet);
    ocrPrintf("%s_others: %" PRIu64 "\n", input->name, input->others);
}

static ocrGuid_t report(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const Run *run = depv[REPORT_RUN].ptr;
    const double seconds = now() - run->start;
    if (run->progress)
        fprintf(stderr, "\r      \r");

    ocrPrintf("distance: %" PRIu64 "\n", run->distance);
    ocrPrintf("seconds: %.6f\n", seconds);
    ocrPrintf("gcups: %.3f\n", (double)run->n * (double)run->m / seconds * 1e-9);
    printRan();
    for (int i = 0; i < 2; i++)
        printInput(&run->input[i]);
    if (run->check) {
        const u64 expected = editDistanceSerial(depv[REPORT_A].ptr, run->n, depv[REPORT_B].ptr, run->m);
        if (expected != run->distance) {
            fail(expected == UINT64_MAX ? "no memory for --check" : "--check: the serial computation gives %" PRIu64
                 ", the tiles gave %" PRIu64, expected, run->distance);
            return NULL_GUID;
        }
        ocrPrintf("check: ok\n");
    }
    if (!isWritten())
        return NULL_GUID;

    for (u64 j = 0; j < run->columns; j++) {
        ocrDbDestroy(run->column[j].letters);
        ocrDbDestroy(run->column[j].boundary);
    }
    if (run->innerTile > 0) {
        ocrDbDestroy(run->inner);
        ocrEdtTemplateDestroy(run->innerTemplate);
    }
    ocrEdtTemplateDestroy(run->tileTemplate);
    ocrEdtTemplateDestroy(run->rowDoneTemplate);
    ocrEdtTemplateDestroy(run->reportTemplate);
    for (u32 slot = 0; slot < REPORT_SLOTS; slot++)
        ocrDbDestroy(depv[slot].guid);
    ocrShutdown();
    return NULL_GUID;
}

/* ---- what the user asks for -------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: levenshtein [options] FILE FILE\n"
    "       levenshtein [options] --random N\n"
    "\n"
    "Prints the edit distance (Levenshtein) of two files. One of them may be -, the standard input (./- is a file of\n"
    "that name). A file has at most 1073741824 bytes (1 GiB), and its lines may have any length.\n"
    "\n"
    "FASTA is a file whose first line that is not empty begins with '>', or with ';' if nothing but letters or a line\n"
    "with '>' follows. Lines that begin with '>' (headers) or ';' (comments) are dropped, and the others are joined,\n"
    "without blanks; so all records of a file are one sequence. A line ends with LF, CR LF or CR. A header without\n"
    "letters is an empty sequence. A zero byte or another control character is an error.\n"
    "\n"
    "Two files that are not FASTA are compared byte by byte, with blanks, line ends and zero bytes. Where one of them\n"
    "is FASTA, the letters of the other are read as those of FASTA without headers.\n"
    "\n"
    "A byte order mark of UTF-8 is dropped. Compressed files, and texts in UTF-16, are refused. Lower case letters\n"
    "differ from upper case ones.\n"
    "\n"
    "  --read FORM    auto: as said above (default); letters: drop line ends and blanks of files that are not FASTA,\n"
    "                 too; bytes: all files byte by byte, compressed ones and FASTA as well\n"
    "  --random N     in place of files: N random nucleotides, and a copy with one letter in ten changed, 1 to 536870912\n"
    "  --seed N       which random sequences (default: 1)\n"
    "  --ignore-case  take lower case letters of ASCII for upper case ones\n"
    "  --tile N       side of a tile, 1 to 1048576; rounded up to a multiple of 64. By default a 24th of the longer\n"
    "                 sequence, but at least 2048 and at most 8192 (method dp: at least 256 and at most 1024);\n"
    "                 never much more than the longer sequence\n"
    "  --block N      side of a block, 1 to 1048576; rounded up to a multiple of --tile. A kernel sweeps a whole block; the\n"
    "                 C function cuts it into tiles, which all workers run. Without it, each tile has a kernel of its\n"
    "                 own\n"
    "  --method M     bits: bit-parallel, 64 cells a word (default); dp: the plain recurrence\n"
    "  --check        compare with a serial computation by another algorithm; may take long\n"
    "  --quiet        no progress on a terminal\n"
    "  --help         this text\n"
    "\n"
    "The output has lines KEY: value. distance is first. first_ and second_ tell of each file: its form (FASTA,\n"
    "letters, bytes or random), its records, its letters, its alphabet (nucleotides, protein, bytes or none, as most letters\n"
    "say), and others, the letters that are no code of that alphabet. Codes are those of IUPAC, and - and . for gaps.\n"
    "\n"
    "EDIT_DISTANCE_FORM=portable, avx2 or avx512 limits the vectors that the C function uses. Kernels are looked for in\n"
    "$OCR_KERNELS, in the source tree or the installation that this program is part of, and in ./kernels.\n";

typedef struct {
    Method method;
    InputForm read;
    bool ignoreCase, check, quiet, help;
    u64 tile;  /* 0: by the lengths */
    u64 block; /* 0: there are tiles alone */
    u64 random, seed; /* letters of the first random sequence; 0: there are files */
    const char *file[2];
} Options;

static bool parseSide(const char *name, const char *text, u64 *side) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = text != NULL ? strtoull(text, &end, 10) : 0;
    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value == 0 ||
        value > EDIT_TILE_MAX) {
        fail("%s %s: give a number of cells from 1 to %u, or leave %s out", name, text != NULL ? text : "(nothing)",
             EDIT_TILE_MAX, name);
        return false;
    }
    *side = (value + EDIT_WORD_ROWS - 1) / EDIT_WORD_ROWS * EDIT_WORD_ROWS;
    return true;
}

static bool parseMethod(const char *text, Method *method) {
    if (text != NULL && strcmp(text, "bits") == 0) {
        *method = METHOD_BITS;
    } else if (text != NULL && strcmp(text, "dp") == 0) {
        *method = METHOD_DP;
    } else {
        fail("--method %s: give bits or dp", text != NULL ? text : "(nothing)");
        return false;
    }
    return true;
}

static bool parseRead(const char *text, InputForm *form) {
    static const char *const forms[] = { "auto", "letters", "bytes" };
    for (int i = INPUT_AUTO; i <= INPUT_BYTES; i++)
        if (text != NULL && strcmp(text, forms[i]) == 0) {
            *form = (InputForm)i;
            return true;
        }
    fail("--read %s: give auto, letters or bytes", text != NULL ? text : "(nothing)");
    return false;
}

static bool parseOptions(void *arguments, Options *options) {
    int files = 0;
    bool onlyFiles = false;
    for (u64 i = 1; i < ocrGetArgc(arguments); i++) {
        const char *argument = ocrGetArgv(arguments, i), *value;
        bool is;
        if (onlyFiles || argument[0] != '-' || argument[1] == '\0') {
            if (files == 2) {
                fail("%s is a third file; give two files (levenshtein --help says more)", argument);
                return false;
            }
            options->file[files++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            onlyFiles = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            options->help = true;
            return true;
        } else if (strcmp(argument, "--check") == 0) {
            options->check = true;
        } else if (strcmp(argument, "--ignore-case") == 0) {
            options->ignoreCase = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            options->quiet = true;
        } else if (value = optionValue(arguments, &i, "--tile", &is), is) {
            if (!parseSide("--tile", value, &options->tile))
                return false;
        } else if (value = optionValue(arguments, &i, "--block", &is), is) {
            if (!parseSide("--block", value, &options->block))
                return false;
        } else if (value = optionValue(arguments, &i, "--method", &is), is) {
            if (!parseMethod(value, &options->method))
                return false;
        } else if (value = optionValue(arguments, &i, "--read", &is), is) {
            if (!parseRead(value, &options->read))
                return false;
        } else if (value = optionValue(arguments, &i, "--random", &is), is) {
            if (!optionNumber("--random", value, 1, INPUT_RANDOM_MAX, &options->random))
                return false;
        } else if (value = optionValue(arguments, &i, "--seed", &is), is) {
            if (!optionNumber("--seed", value, 0, UINT64_MAX, &options->seed))
                return false;
        } else {
            fail("unknown option %s; levenshtein --help lists the options, -- ends them", argument);
            return false;
        }
    }
    if (options->random != 0 && files > 0) {
        fail("--random makes both sequences; give no files with it");
        return false;
    }
    if (options->random != 0)
        return true;
    if (files < 2) {
        fail("%s; give two files (levenshtein --help says more)", files == 0 ? "no files" : "only one file");
        return false;
    }
    if (strcmp(options->file[0], "-") == 0 && strcmp(options->file[1], "-") == 0) {
        fail("both files are the standard input, which can be read once; give one of them by its name");
        return false;
    }
    return true;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* Without kernels the tiles run as C functions. */
static void addKernels(const Run *run) {
    char *source = kernelSource("levenshtein.cl");
    if (source == NULL) {
        fprintf(stderr, "levenshtein: going on without kernels, on CPU cores alone\n");
        return;
    }
    char cpu[64], gpu[64];
    const char *blocks = run->innerTile > 0 ? " -DIN_BLOCKS" : "";
    snprintf(cpu, sizeof cpu, "-ocr-device=cpu -DPLANES=%" PRIu32 "%s", run->alphabet.planes, blocks);
    snprintf(gpu, sizeof gpu, "-ocr-device=gpu -DPLANES=%" PRIu32 "%s", run->alphabet.planes, blocks);
    const bool bits = run->method == METHOD_BITS;
    if (ocrEdtTemplateAddKernel(run->tileTemplate, source, cpu, bits ? "levenshtein_bits_cpu" : "levenshtein_dp_cpu",
                                rangeOneItem, OCR_NO_RESULT) != 0 ||
        ocrEdtTemplateAddKernel(run->tileTemplate, source, gpu, bits ? "levenshtein_bits_gpu" : "levenshtein_dp_gpu",
                                bits ? rangeGpuBits : rangeGpuDp, OCR_NO_RESULT) != 0)
        fprintf(stderr, "levenshtein: a kernel could not be added; going on with the others\n");
    free(source);
}

static ocrGuid_t createSequence(const u8 *letters, u64 length) {
    ocrGuid_t block;
    void *ptr;
    MUST(ocrDbCreate(&block, &ptr, length + 1, DB_PROP_NONE, NULL_HINT, NO_ALLOC)); /* no block is empty */
    memcpy(ptr, letters, length);
    MUST(ocrDbRelease(block));
    return block;
}

static void createBlockTemplates(Run *run) {
    if (run->method == METHOD_BITS) {
        MUST(ocrEdtTemplateCreate(&run->tileTemplate, blockBits, TILE_PARAMS, BLOCK_SLOTS));
        MUST(ocrEdtTemplateCreate(&run->innerTemplate, innerBits, INNER_PARAMS, TILE_SLOTS));
    } else {
        MUST(ocrEdtTemplateCreate(&run->tileTemplate, blockDp, PLANES, BLOCK_SLOTS));
        MUST(ocrEdtTemplateCreate(&run->innerTemplate, innerDp, INNER_PARAMS, TILE_SLOTS));
    }
    void *ptr;
    MUST(ocrDbCreate(&run->inner, &ptr, sizeof(Inner), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *(Inner *)ptr = (Inner){ .tileTemplate = run->innerTemplate, .tile = run->innerTile };
    MUST(ocrDbRelease(run->inner));
}

static void start(const Options *options, const Sequence sequence[2], const InputFacts input[2]) {
    const u8 *a = sequence[0].letters, *b = sequence[1].letters;
    const u64 n = sequence[0].length, m = sequence[1].length;
    const bool bits = options->method == METHOD_BITS;
    const u64 wanted = options->tile != 0 ? options->tile : editDefaultTile(n, m, bits);
    const u64 innerTile = least(wanted, editCoveringTile(n, m));
    const u64 tile = options->block > 0 ? (least(options->block, editCoveringTile(n, m)) + innerTile - 1) / innerTile *
                     innerTile : innerTile;
    const u64 columns = n > 0 ? (m + tile - 1) / tile : 0;

    ocrGuid_t self;
    void *ptr;
    MUST(ocrDbCreate(&self, &ptr, sizeof(Run) + columns * sizeof(Column), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    Run *run = ptr;
    *run = (Run){
        .method = options->method, .check = options->check, .progress = !options->quiet && isatty(STDERR_FILENO),
        .n = n, .m = m, .tile = tile, .rows = (n + tile - 1) / tile, .columns = columns, .self = self,
        .innerTile = options->block > 0 ? innerTile : 0,
        .input = { input[0], input[1] },
        .distance = m, /* the upper right corner of the matrix; the rows add what comes below it */
    };
    editAlphabet(&run->alphabet, a, n, b, m);
    if (run->innerTile > 0)
        createBlockTemplates(run);
    else if (bits)
        MUST(ocrEdtTemplateCreate(&run->tileTemplate, tileBits, TILE_PARAMS, TILE_SLOTS));
    else
        MUST(ocrEdtTemplateCreate(&run->tileTemplate, tileDp, PLANES, TILE_SLOTS));
    addKernels(run);

    run->start = now(); /* reading files and building kernels is not counted */
    MUST(ocrEdtTemplateCreate(&run->rowDoneTemplate, rowDone, 2, DONE_SLOTS));
    MUST(ocrEdtTemplateCreate(&run->reportTemplate, report, 0, REPORT_SLOTS));
    run->a = createSequence(a, n);
    run->b = createSequence(b, options->check ? m : 0);
    MUST(ocrEdtCreate(&run->report, run->reportTemplate, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                      NULL_HINT, NULL));
    MUST(ocrAddDependence(run->a, run->report, REPORT_A, DB_MODE_CONST));
    MUST(ocrAddDependence(run->b, run->report, REPORT_B, DB_MODE_CONST));

    if (columns == 0) { /* a sequence is empty: no tiles */
        run->distance = n + m;
        MUST(ocrAddDependence(self, run->report, REPORT_RUN, DB_MODE_EW));
    } else {
        createColumns(run, b);
        for (u64 ahead = rowsAhead(); run->nextRow < run->rows && ahead > 0; ahead--)
            createRow(run, a);
    }
    MUST(ocrDbRelease(self)); /* the first rowDone, or report, waits for it */
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    Options options = { .method = METHOD_BITS, .seed = 1 };
    if (!parseOptions(depv[0].ptr, &options))
        return NULL_GUID;
    if (options.help) {
        ocrPrintf("%s", usage);
        if (isWritten())
            ocrShutdown();
        return NULL_GUID;
    }

    Sequence sequence[2] = { { 0 }, { 0 } };
    InputFacts input[2];
    char why[INPUT_WHY];
    if (options.random != 0 ? inputRandom(options.random, options.seed, sequence, input)
                            : inputRead(options.file, options.read, options.ignoreCase, sequence, input, why))
        start(&options, sequence, input);
    else
        fail("%s", options.random != 0 ? "no memory for --random" : why);
    free(sequence[0].letters);
    free(sequence[1].letters);
    return NULL_GUID;
}
