// Many EDTs at once create others, and connect, satisfy and destroy those and their output events; what they return is
// a block that no EDT holds, an output event, or garbage. Meanwhile pictures are taken. In the end each EDT has run
// once, or was destroyed by a call that said so, and no output event is left.
//
// clause: 2.7.3
// unordered: EDTs use and destroy the same objects at once, on purpose
// stderr: ocr: note: after
// one-node: its EDTs share variables of the program
#include "check.h"
#include <extensions/ocr-labeling.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { MOST = 60000, ACTORS = 24, OPERATIONS = 1500, SHARES = 12, RECENT = 60, SLOTS = 5, EVENTS = 32, SIZES = 4 };

static const u32 sizes[SIZES] = {1, 12, 40, 90}; /* parameters */
static ocrGuid_t edts[MOST], outputs[MOST];
static atomic_bool created[MOST];
static atomic_uchar ran[MOST], destroyed[MOST];
static _Atomic u64 next;
static _Atomic s64 events[EVENTS];
static atomic_int actors = ACTORS, signals;
static ocrGuid_t bodies[SIZES][SLOTS], actorTemplate;
static _Thread_local u64 seed;

static u64 below(u64 bound) {
    if (seed == 0) {
        seed = (u64)(uintptr_t)&seed | 1;
    }
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545F4914F6CDD1DULL >> 32) % bound;
}

static u64 count(void) {
    u64 now = next;
    return now < MOST ? now : MOST;
}

/* One of the youngest; false if none was found. */
static bool pick(u64 *at) {
    for (int tries = 0; tries < 8; tries++) {
        u64 all = count();
        u64 recent = all < RECENT ? all : RECENT;
        if (recent != 0 && created[*at = all - 1 - below(recent)]) {
            return true;
        }
    }
    return false;
}

static ocrGuid_t any_output(void) {
    u64 at;
    return pick(&at) ? outputs[at] : NULL_GUID;
}

static ocrGuid_t any_event(void) { return (ocrGuid_t){.guid = events[below(EVENTS)]}; }

static ocrGuid_t body(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    CHECK_EQ(atomic_fetch_add(&ran[paramv[0]], 1), 0);
    switch (below(6)) {
    case 0: return any_event();
    case 1: return any_output();
    case 2: return (ocrGuid_t){.guid = (s64)((8 + below(8)) << 59 | below(4) << 32 | below(500))};
    default: return NULL_GUID;
    }
}

static void create(void) {
    u64 at = next++, paramv[90] = {at}, size = below(40) == 0 ? SIZES - 1 : below(SIZES - 1);
    u32 depc = below(SLOTS);
    if (at >= MOST) {
        return;
    }
    ocrGuid_t depv[SLOTS], edt, output = NULL_GUID;
    for (u32 slot = 0; slot < depc; slot++) {
        ocrGuid_t some[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID, UNINITIALIZED_GUID, NULL_GUID, any_event(),
                            any_output()};
        depv[slot] = some[below(6)];
    }
    u16 properties = below(12) == 0 ? EDT_PROP_FINISH : EDT_PROP_NONE;
    u8 status = ocrEdtCreate(&edt, bodies[size][depc], sizes[size], paramv, depc, depc ? depv : NULL, properties,
                             NULL_HINT, &output);
    CHECK(status == 0 || status == OCR_EINVAL);
    if (status == 0) {
        edts[at] = edt;
        outputs[at] = output;
        created[at] = true;
    }
}

static void released(u64 at) {
    for (u32 slot = 0; slot < SLOTS; slot++) {
        ocrAddDependence(NULL_GUID, edts[at], slot, DB_MODE_NULL);
    }
}

static void operation(void) {
    u64 at, k = below(EVENTS);
    if (!pick(&at)) {
        create();
        return;
    }
    switch (below(18)) {
    case 0: case 1: case 2: released(at); break;
    case 3: case 4: ocrAddDependence(any_output(), edts[at], (u32)below(SLOTS), DB_MODE_RO); break;
    case 5: ocrAddDependence(any_event(), edts[at], (u32)below(SLOTS), DB_MODE_RO); break;
    case 6: ocrAddDependence(outputs[at], any_event(), (u32)below(2), DB_MODE_NULL); break;
    case 7: ocrAddDependence(any_event(), outputs[at], 0, DB_MODE_NULL); break;
    case 8: ocrAddDependence(any_output(), outputs[at], 0, DB_MODE_NULL); break;
    case 9: ocrEventSatisfy(outputs[at], NULL_GUID); break;
    case 10: ocrEventDestroy(outputs[at]); break;
    case 11: ocrEventSatisfy(any_event(), NULL_GUID); break;
    case 12: {
        ocrGuid_t fresh = event_of(OCR_EVENT_ONCE_T + below(4));
        ocrEventDestroy((ocrGuid_t){.guid = atomic_exchange(&events[k], fresh.guid)});
        break;
    }
    case 13: case 14:
        if (ocrEdtDestroy(edts[at]) == 0) {
            CHECK_EQ(atomic_fetch_add(&destroyed[at], 1), 0);
        }
        break;
    default: create(); break;
    }
}

/* Lets go what waits. False if there was something. */
static bool all_ended(void) {
    u64 open = 0;
    for (u64 k = 0; k < EVENTS; k++) {
        ocrEventDestroy((ocrGuid_t){.guid = events[k]});
    }
    for (u64 at = 0; at < count(); at++) {
        if (created[at]) {
            ocrEventDestroy(outputs[at]);
            if (!destroyed[at] && !ran[at]) {
                open++;
                released(at);
            }
        }
    }
    return open == 0;
}

static void *ends(void *unused) {
    while (!all_ended()) {
        usleep(1000);
    }
    for (u64 at = 0; at < count(); at++) {
        if (created[at]) {
            CHECK_EQ(ran[at] + destroyed[at], 1);
            REFUSED(OCR_EINVAL, ocrEventDestroy(outputs[at]));
        }
    }
    /* Signals are not to come when the runtime has gone. */
    signals = 1;
    while (signals != 2) {
        usleep(1000);
    }
    ocrShutdown();
    return unused;
}

static void *asks(void *unused) {
    while (signals == 0) {
        OK(kill(getpid(), SIGUSR1));
        usleep(2000);
    }
    OK(kill(getpid(), SIGUSR1));
    usleep(200000);
    signals = 2;
    return unused;
}

static void start(void *(*function)(void *)) {
    pthread_t id;
    OK(pthread_create(&id, NULL, function, NULL));
    OK(pthread_detach(id));
}

static ocrGuid_t actor(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u64 n = 0; n < scaled(OPERATIONS) / SHARES; n++) {
        operation();
    }
    if (paramv[0] != 0) {
        u64 left = paramv[0] - 1;
        edt_of(actorTemplate, 1, &left, 0, NULL, EDT_PROP_NONE, NULL);
    } else if (--actors == 0) {
        start(ends);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 left = SHARES - 1;
    for (int size = 0; size < SIZES; size++) {
        for (u32 slots = 0; slots < SLOTS; slots++) {
            bodies[size][slots] = template_of(body, sizes[size], slots);
        }
    }
    actorTemplate = template_of(actor, 1, 0);
    for (int k = 0; k < EVENTS; k++) {
        events[k] = event_of(OCR_EVENT_STICKY_T).guid;
    }
    start(asks);
    for (int n = 0; n < ACTORS; n++) {
        edt_of(actorTemplate, 1, &left, 0, NULL, EDT_PROP_NONE, NULL);
    }
    return NULL_GUID;
}
