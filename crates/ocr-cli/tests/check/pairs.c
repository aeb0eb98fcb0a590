// Programs with a pair of EDTs that nothing orders, each beside one that differs in what orders them:
//     pairs NAME wrong|right
// All of them end well on one worker, whichever they are.

#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <ocr.h>
#include <stdbool.h>
#include <string.h>

static bool right;

// On each node of several, of which one alone runs mainEdt.
__attribute__((constructor)) static void read_arguments(int argc, char **argv) {
    right = argc > 2 && strcmp(argv[2], "right") == 0;
}

// How many calls by which others could begin an EDT makes between what it gives away and what it does with that.
static u32 calls_between;

static ocrGuid_t template_of(ocrEdt_t function, u32 paramc, u32 depc) {
    ocrGuid_t template;
    ocrEdtTemplateCreate(&template, function, paramc, depc);
    return template;
}

// An EDT with open pre-slots.
static ocrGuid_t edt(ocrEdt_t function, u32 depc, u64 param, ocrGuid_t *output) {
    ocrGuid_t made;
    ocrEdtCreate(&made, template_of(function, 1, depc), 1, &param, depc, NULL, EDT_PROP_NONE, NULL_HINT, output);
    return made;
}

static ocrGuid_t event(ocrEventTypes_t type) {
    ocrGuid_t made;
    ocrEventCreate(&made, type, EVT_PROP_TAKES_ARG);
    return made;
}

static ocrGuid_t block(u64 bytes) {
    ocrGuid_t made;
    void *at;
    ocrDbCreate(&made, &at, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memset(at, 0, bytes);
    ocrDbRelease(made);
    return made;
}

static ocrGuid_t guid_of(u64 bits) {
    ocrGuid_t guid = {.guid = (s64)bits};
    return guid;
}

static ocrGuid_t stop(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

// Has a number of EDTs end before the program does.
static ocrGuid_t last(u32 depc) { return edt(stop, depc, 0, NULL); }

static ocrGuid_t add_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    at[paramv[0]] += 1;
    return NULL_GUID;
}

static ocrGuid_t read_one(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    volatile u64 *at = depv[0].ptr;
    (void)*at;
    return NULL_GUID;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

// Two EDTs that use one block, the second behind the first if it is right.
static void two(ocrEdt_t first, ocrEdt_t second, ocrDbAccessMode_t one, ocrDbAccessMode_t other, u64 apart) {
    ocrGuid_t data = block(256), end = last(2), outputs[2];
    ocrGuid_t edts[2] = {edt(first, 2, 0, &outputs[0]), edt(second, 2, apart, &outputs[1])};
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    if (right && apart == 0)
        ocrAddDependence(outputs[0], edts[1], 1, DB_MODE_NULL);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(data, edts[0], 0, one);
    ocrAddDependence(data, edts[1], 0, other);
    if (!right || apart != 0)
        ocrAddDependence(NULL_GUID, edts[1], 1, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, edts[0], 1, DB_MODE_NULL);
}

static void writers(void) { two(add_one, add_one, DB_MODE_RW, DB_MODE_RW, 0); }
static void reader(void) { two(add_one, read_one, DB_MODE_RW, DB_MODE_RO, 0); }
static void default_mode(void) { two(read_one, add_one, DB_MODE_RW, DB_MODE_RW, 0); }
static void exclusive_reader(void) { two(add_one, read_one, DB_MODE_EW, DB_MODE_CONST, 0); }

// Right as it is: one word each. Wrong: the same word.
static void parts(void) { two(add_one, add_one, DB_MODE_RW, DB_MODE_RW, right); }
// The order of two that add in mode EW is luck, and the sum the same.
static void sum(void) { two(add_one, add_one, DB_MODE_EW, DB_MODE_EW, 0); }

static ocrGuid_t destroy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrDbDestroy(guid_of(paramv[0]));
    return NULL_GUID;
}

static void destroyed(void) {
    ocrGuid_t data = block(64), end = last(2), outputs[2];
    ocrGuid_t reads = edt(read_one, 2, 0, &outputs[0]), ends = edt(destroy, 1, (u64)data.guid, &outputs[1]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    if (right)
        ocrAddDependence(outputs[0], ends, 0, DB_MODE_NULL);
    ocrAddDependence(data, reads, 0, DB_MODE_RO);
    ocrAddDependence(NULL_GUID, reads, 1, DB_MODE_NULL);
    if (!right)
        ocrAddDependence(NULL_GUID, ends, 0, DB_MODE_NULL);
}

static ocrGuid_t satisfy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventSatisfy(guid_of(paramv[0]), NULL_GUID);
    return NULL_GUID;
}

static ocrGuid_t destroy_event(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrEventDestroy(guid_of(paramv[0]));
    return NULL_GUID;
}

// A sticky event is destroyed by an EDT that waits for it, or for nothing.
static void destroyed_event(void) {
    ocrGuid_t sticky = event(OCR_EVENT_STICKY_T), end = last(2), outputs[2];
    u64 bits = (u64)sticky.guid;
    ocrGuid_t satisfies = edt(satisfy, 1, bits, &outputs[0]), destroys = edt(destroy_event, 1, bits, &outputs[1]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    if (right)
        ocrAddDependence(sticky, destroys, 0, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, satisfies, 0, DB_MODE_NULL);
    if (!right)
        ocrAddDependence(NULL_GUID, destroys, 0, DB_MODE_NULL);
}

// Writes a block and passes it on, and, if it is wrong, goes on to write it.
static ocrGuid_t pass_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    at[0] = 1;
    if (right)
        at[1] = 2;
    ocrDbRelease(depv[0].guid);
    ocrEventSatisfy(guid_of(paramv[0]), depv[0].guid);
    ocrGuid_t latch = calls_between > 0 ? event(OCR_EVENT_LATCH_T) : NULL_GUID;
    for (u32 call = 0; call < calls_between; call++)
        ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    if (!right)
        at[1] = 2;
    return NULL_GUID;
}

static void late(void) {
    ocrGuid_t data = block(64), once = event(OCR_EVENT_ONCE_T), end = last(2), outputs[2];
    ocrGuid_t writes = edt(pass_on, 1, (u64)once.guid, &outputs[0]), reads = edt(read_one, 1, 0, &outputs[1]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    ocrAddDependence(once, reads, 0, DB_MODE_RO);
    ocrAddDependence(data, writes, 0, DB_MODE_RW);
}

static void late_by_much(void) {
    calls_between = 20000;
    late();
}

// Creates an EDT that reads the block, in its midst, and writes the block before or after that.
static ocrGuid_t create_in_midst(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    ocrGuid_t output, reads = edt(read_one, 2, 0, &output);
    ocrAddDependence(output, guid_of(paramv[0]), 0, DB_MODE_NULL);
    ocrAddDependence(depv[0].guid, reads, 0, DB_MODE_RO);
    if (!right)
        ocrAddDependence(NULL_GUID, reads, 1, DB_MODE_NULL);
    at[0] = 7;
    if (right)
        ocrAddDependence(NULL_GUID, reads, 1, DB_MODE_NULL);
    return NULL_GUID;
}

static void midst(void) {
    ocrGuid_t creates = edt(create_in_midst, 1, (u64)last(1).guid, NULL);
    ocrAddDependence(block(64), creates, 0, DB_MODE_RW);
}

// A cell waits for its neighbours above and to the left, and reads their blocks. In a wrong one, for that above alone.
enum { N = 5 };
static ocrGuid_t cell(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 *own = depv[0].ptr;
    const u64 *above = depv[1].ptr, *left = depv[2].ptr;
    own[0] = 1 + above[0] + left[0];
    return NULL_GUID;
}

static void wavefront(void) {
    ocrGuid_t blocks[N + 1][N + 1], cells[N][N], outputs[N][N], edge = block(8);
    ocrGuid_t end = last(1);
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            blocks[i][j] = i == 0 || j == 0 ? edge : block(8);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            cells[i][j] = edt(cell, 5, 0, &outputs[i][j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            bool forgets = !right && i == 2 && j == 3;
            bool has_right = j + 1 < N, has_below = i + 1 < N;
            if (has_right && !(!right && i == 2 && j + 1 == 3))
                ocrAddDependence(outputs[i][j], cells[i][j + 1], 4, DB_MODE_NULL);
            if (has_below)
                ocrAddDependence(outputs[i][j], cells[i + 1][j], 3, DB_MODE_NULL);
            if (!has_right && !has_below)
                ocrAddDependence(outputs[i][j], end, 0, DB_MODE_NULL);
            if (i == 0)
                ocrAddDependence(NULL_GUID, cells[i][j], 3, DB_MODE_NULL);
            if (j == 0 || forgets)
                ocrAddDependence(NULL_GUID, cells[i][j], 4, DB_MODE_NULL);
        }
    for (int i = N - 1; i >= 0; i--)
        for (int j = N - 1; j >= 0; j--) {
            ocrAddDependence(blocks[i + 1][j + 1], cells[i][j], 0, DB_MODE_RW);
            ocrAddDependence(blocks[i][j + 1], cells[i][j], 1, DB_MODE_RO);
            ocrAddDependence(blocks[i + 1][j], cells[i][j], 2, DB_MODE_RO);
        }
}

// Sends one block through a channel twice. The second time only behind the reader of the first, if it is right.
static ocrGuid_t send_block(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    at[0] += 1;
    ocrDbRelease(depv[0].guid);
    ocrEventSatisfy(guid_of(paramv[0]), depv[0].guid);
    return NULL_GUID;
}

static void channel(void) {
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    params.EVENT_CHANNEL.maxGen = 4;
    params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    ocrGuid_t data = block(64), pipe, end = last(2), outputs[4];
    ocrEventCreateParams(&pipe, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
    u64 bits = (u64)pipe.guid;
    ocrGuid_t senders[2] = {edt(send_block, 2, bits, &outputs[0]), edt(send_block, 2, bits, &outputs[1])};
    ocrGuid_t readers[2] = {edt(read_one, 1, 0, &outputs[2]), edt(read_one, 1, 0, &outputs[3])};
    ocrAddDependence(outputs[2], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[3], end, 1, DB_MODE_NULL);
    ocrAddDependence(right ? outputs[2] : outputs[0], senders[1], 1, DB_MODE_NULL);
    ocrAddDependence(pipe, readers[0], 0, DB_MODE_RO);
    ocrAddDependence(pipe, readers[1], 0, DB_MODE_RO);
    ocrAddDependence(data, senders[0], 0, DB_MODE_RW);
    ocrAddDependence(data, senders[1], 0, DB_MODE_RW);
    ocrAddDependence(NULL_GUID, senders[0], 1, DB_MODE_NULL);
}

// Counts one up and has an EDT count it down; twice. Right, if all is counted up before.
static void latch(void) {
    ocrGuid_t counter = event(OCR_EVENT_LATCH_T), end = last(1);
    ocrAddDependence(counter, end, 0, DB_MODE_NULL);
    ocrGuid_t downs[2] = {edt(satisfy, 1, (u64)counter.guid, NULL), edt(satisfy, 1, (u64)counter.guid, NULL)};
    ocrEventSatisfySlot(counter, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    if (right)
        ocrEventSatisfySlot(counter, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    ocrAddDependence(NULL_GUID, downs[0], 0, DB_MODE_NULL);
    if (!right)
        ocrEventSatisfySlot(counter, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    ocrAddDependence(NULL_GUID, downs[1], 0, DB_MODE_NULL);
}

// An EDT that creates a child which writes the block. Its output event waits for the child if it is a finish EDT alone.
static ocrGuid_t parent(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t child = edt(add_one, 1, 0, NULL);
    ocrAddDependence(depv[0].guid, child, 0, DB_MODE_RW);
    return NULL_GUID;
}

static void finish(void) {
    ocrGuid_t data = block(64), end = last(1), creates, output, read;
    u64 param = 0;
    ocrEdtCreate(&creates, template_of(parent, 1, 1), 1, &param, 1, NULL, right ? EDT_PROP_FINISH : EDT_PROP_NONE,
                 NULL_HINT, &output);
    ocrGuid_t reads = edt(read_one, 2, 0, &read);
    ocrAddDependence(read, end, 0, DB_MODE_NULL);
    ocrAddDependence(output, reads, 1, DB_MODE_NULL);
    ocrAddDependence(data, reads, 0, DB_MODE_RO);
    ocrAddDependence(data, creates, 0, DB_MODE_RO);
}

// Creates a block on a label and fills it. Others that know the label wait for an event behind that, or for nothing.
static ocrGuid_t range;
static ocrGuid_t fill_label(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t made;
    u64 *at;
    ocrGuidFromIndex(&made, range, 0);
    ocrDbCreate(&made, (void **)&at, 64, GUID_PROP_IS_LABELED | GUID_PROP_CHECK, NULL_HINT, NO_ALLOC);
    at[0] = 1;
    return NULL_GUID;
}

static ocrGuid_t use_label(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t made;
    ocrGuidFromIndex(&made, range, 0);
    ocrAddDependence(made, guid_of(paramv[0]), 0, DB_MODE_RO);
    return NULL_GUID;
}

static void label(void) {
    ocrGuidRangeCreate(&range, 1, GUID_USER_DB);
    ocrGuid_t end = last(1), outputs[2], reads = edt(read_one, 1, 0, &outputs[0]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrGuid_t fills = edt(fill_label, 1, 0, &outputs[1]), uses = edt(use_label, 1, (u64)reads.guid, NULL);
    if (right)
        ocrAddDependence(outputs[1], uses, 0, DB_MODE_NULL);
    if (!right)
        ocrAddDependence(NULL_GUID, uses, 0, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, fills, 0, DB_MODE_NULL);
}

// Connects an EDT to a once event before another EDT that satisfies it can begin, or after.
static void once(void) {
    ocrGuid_t goes = event(OCR_EVENT_ONCE_T), end = last(1), waits;
    ocrGuid_t satisfies = edt(satisfy, 1, (u64)goes.guid, NULL);
    ocrAddDependence(event(OCR_EVENT_STICKY_T), edt(nothing, 1, 0, &waits), 0, DB_MODE_NULL);
    if (!right)
        ocrAddDependence(NULL_GUID, satisfies, 0, DB_MODE_NULL);
    ocrAddDependence(goes, end, 0, DB_MODE_NULL);
    if (right)
        ocrAddDependence(NULL_GUID, satisfies, 0, DB_MODE_NULL);
}

// Connects a block that it holds to a reader, and writes it after that. In mode CONST the reader waits for its end.
static ocrGuid_t write_held(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    ocrGuid_t output, reads = edt(read_one, 1, 0, &output);
    ocrAddDependence(output, guid_of(paramv[0]), 0, DB_MODE_NULL);
    ocrAddDependence(depv[0].guid, reads, 0, right ? DB_MODE_CONST : DB_MODE_RO);
    at[0] = 7;
    return NULL_GUID;
}

static void held(void) { ocrAddDependence(block(64), edt(write_held, 1, (u64)last(1).guid, NULL), 0, DB_MODE_RW); }

// Two EDTs return an event that another satisfies by its end, before or after they return; or nothing, if it is wrong.
static ocrGuid_t give_back(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return right ? guid_of(paramv[0]) : NULL_GUID;
}

static void returned(void) {
    ocrGuid_t data = block(64), sticky = event(OCR_EVENT_STICKY_T), end = last(3), wrote, gives[2];
    ocrGuid_t writes = edt(add_one, 1, 0, &wrote);
    ocrAddDependence(wrote, sticky, 0, DB_MODE_NULL);
    ocrAddDependence(wrote, end, 2, DB_MODE_NULL);
    for (u32 at = 0; at < 2; at++) {
        ocrGuid_t given, output, reads = edt(read_one, 2, 0, &output);
        gives[at] = edt(give_back, 1, (u64)sticky.guid, &given);
        ocrAddDependence(output, end, at, DB_MODE_NULL);
        ocrAddDependence(given, reads, 1, DB_MODE_NULL);
        ocrAddDependence(data, reads, 0, DB_MODE_RO);
    }
    ocrAddDependence(NULL_GUID, gives[0], 0, DB_MODE_NULL);
    ocrAddDependence(data, writes, 0, DB_MODE_RW);
    ocrAddDependence(NULL_GUID, gives[1], 0, DB_MODE_NULL);
}

// A pre-slot is connected to an event that is destroyed, and then gets a block: from its writer, if it is right.
static ocrGuid_t write_and_add(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    at[0] = 1;
    if (right)
        ocrAddDependence(depv[0].guid, guid_of(paramv[0]), 0, DB_MODE_RO);
    return NULL_GUID;
}

static void again(ocrGuid_t gone, ocrGuid_t its_edt) {
    ocrGuid_t data = block(64), end = last(2), outputs[2];
    ocrGuid_t reads = edt(read_one, 1, 0, &outputs[0]);
    ocrGuid_t writes = edt(write_and_add, 1, (u64)reads.guid, &outputs[1]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    ocrAddDependence(gone, reads, 0, DB_MODE_RO);
    if (ocrGuidIsNull(its_edt))
        ocrEventDestroy(gone);
    else
        ocrEdtDestroy(its_edt);
    if (!right)
        ocrAddDependence(data, reads, 0, DB_MODE_RO);
    ocrAddDependence(data, writes, 0, DB_MODE_RW);
}

static void event_again(void) { again(event(OCR_EVENT_STICKY_T), NULL_GUID); }

static void output_again(void) {
    ocrGuid_t output, never = edt(nothing, 1, 0, &output);
    again(output, never);
}

// A channel passes on a copy to the first reader, refuses the second one, and passes the block of an EDT on to a third,
// which another EDT connects, before or after that: which of both, one of two channels shows.
static ocrGuid_t pipes[2], readers[2];
static ocrGuid_t connect_reader(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrAddDependence(pipes[paramv[0]], readers[paramv[0]], 0, DB_MODE_RO);
    return NULL_GUID;
}

// Passes on what a new block has.
static void pass_value(ocrGuid_t to) {
    ocrGuid_t made;
    u64 *at;
    ocrDbCreate(&made, (void **)&at, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    at[0] = 1;
    ocrAddDependenceByValue(made, to, 0, DB_MODE_RO);
}

static void channel_refused(void) {
    ocrEventParams_t params;
    memset(&params, 0, sizeof params);
    params.EVENT_CHANNEL.maxGen = params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
    ocrGuid_t end = last(6), outputs[6];
    for (u32 at = 0; at < 2; at++) {
        ocrEventCreateParams(&pipes[at], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
        ocrGuid_t first = edt(read_one, 1, 0, &outputs[3 * at]), refused = edt(nothing, 1, 0, NULL);
        readers[at] = edt(read_one, 1, 0, &outputs[3 * at + 1]);
        ocrGuid_t sends = edt(pass_on, 2, (u64)pipes[at].guid, &outputs[3 * at + 2]);
        ocrGuid_t connects = edt(connect_reader, 1, at, NULL);
        for (u32 slot = 3 * at; slot < 3 * at + 3; slot++)
            ocrAddDependence(outputs[slot], end, slot, DB_MODE_NULL);
        ocrAddDependence(pipes[at], first, 0, DB_MODE_RO);
        if (ocrAddDependence(pipes[at], refused, 0, DB_MODE_RO) == 0)
            ocrAbort(8);
        ocrEdtDestroy(refused);
        pass_value(pipes[at]);
        ocrAddDependence(block(64), sends, 0, DB_MODE_RW);
        if (at == 0)
            ocrAddDependence(NULL_GUID, connects, 0, DB_MODE_NULL);
        ocrAddDependence(NULL_GUID, sends, 1, DB_MODE_NULL);
        if (at == 1)
            ocrAddDependence(NULL_GUID, connects, 0, DB_MODE_NULL);
    }
}

// Satisfies an event by value when it has written and released a block, or before, if it is wrong.
static ocrGuid_t write_and_pass_value(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *at = depv[0].ptr;
    if (!right)
        pass_value(guid_of(paramv[0]));
    at[0] = 1;
    ocrDbRelease(depv[0].guid);
    if (right)
        pass_value(guid_of(paramv[0]));
    return NULL_GUID;
}

static void by_value(void) {
    ocrGuid_t data = block(64), sticky = event(OCR_EVENT_STICKY_T), end = last(2), outputs[2];
    ocrGuid_t reads = edt(read_one, 2, 0, &outputs[0]);
    ocrGuid_t writes = edt(write_and_pass_value, 1, (u64)sticky.guid, &outputs[1]);
    ocrAddDependence(outputs[0], end, 0, DB_MODE_NULL);
    ocrAddDependence(outputs[1], end, 1, DB_MODE_NULL);
    ocrAddDependence(data, reads, 0, DB_MODE_RO);
    ocrAddDependence(sticky, reads, 1, DB_MODE_RO);
    ocrAddDependence(data, writes, 0, DB_MODE_RW);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"writers", writers},     {"reader", reader},       {"default-mode", default_mode},
    {"exclusive-reader", exclusive_reader},
    {"parts", parts},         {"sum", sum},             {"destroyed", destroyed},
    {"destroyed-event", destroyed_event},
    {"late", late},           {"late-by-much", late_by_much},
    {"midst", midst},         {"wavefront", wavefront},       {"channel", channel},
    {"latch", latch},         {"finish", finish},       {"label", label},               {"once", once},
    {"held", held},           {"returned", returned},   {"event-again", event_again},
    {"output-again", output_again},                     {"channel-refused", channel_refused},
    {"by-value", by_value},
};

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const char *name = ocrGetArgv(depv[0].ptr, 1);
    for (unsigned at = 0; at < sizeof programs / sizeof *programs; at++) {
        if (strcmp(programs[at].name, name) == 0) {
            programs[at].run();
            return NULL_GUID;
        }
    }
    ocrAbort(9);
    return NULL_GUID;
}
