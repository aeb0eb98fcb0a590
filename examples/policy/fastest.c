/* fastest.c - a placement policy of a user: each EDT waits for the place that runs it fastest. Another place takes it
 * if it ends it sooner than the fastest one has ended all that waits for it. `make` builds
 * build/examples/policy/fastest.so:
 *
 *     OCR_SCHED=build/examples/policy/fastest.so OCR_DEVICES=all build/examples/levenshtein --random 20000
 */
#include <ocr-policy.h>
#include <stdlib.h>

typedef struct {
    const ocrPolicyEdt_t **waiting; /* in the order in which they came */
    size_t count;
} Fastest;

static void *begin(u32 count, const u64 *numbers) {
    (void)numbers;
    return count == 0 ? calloc(1, sizeof(Fastest)) : NULL; /* it takes no numbers */
}

static void end(void *policy) {
    free(((Fastest *)policy)->waiting);
    free(policy);
}

static u32 choose(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)machine;
    return OCR_POLICY_KEPT;
}

static void keep(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    Fastest *fastest = policy;
    (void)machine;
    fastest->waiting = realloc(fastest->waiting, (fastest->count + 1) * sizeof *fastest->waiting);
    fastest->waiting[fastest->count++] = edt;
}

/* Nanoseconds that an EDT needs in a place. A place whose time is not known counts as the fastest, so that its time
 * becomes known. */
static u64 needs(const ocrPolicyMachine_t *machine, const ocrPolicyEdt_t *edt, const ocrPolicyOption_t *option) {
    u64 runNs = machine->time(machine, edt, option->place).runNs;
    return runNs == OCR_POLICY_UNKNOWN ? 0 : option->copyNs + runNs;
}

static const ocrPolicyEdt_t *take(void *policy, u32 place, const ocrPolicyMachine_t *machine) {
    Fastest *fastest = policy;
    u64 waits[64] = {0}; /* what waits for each place, in nanoseconds */
    if (machine->places[place].load > machine->places[place].units)
        return NULL; /* the device has one more than it runs */
    for (size_t i = 0; i < fastest->count; i++) {
        const ocrPolicyEdt_t *edt = fastest->waiting[i];
        const ocrPolicyOption_t *best = edt->options, *here = NULL, *option = edt->options;
        for (; option < edt->options + edt->optionCount; option++) {
            here = option->place == place ? option : here;
            best = needs(machine, edt, option) < needs(machine, edt, best) ? option : best;
        }
        u64 least = needs(machine, edt, best);
        waits[best->place] += least / machine->places[best->place].units;
        if (here != NULL && (needs(machine, edt, here) == least || needs(machine, edt, here) < waits[best->place])) {
            for (fastest->count--; i < fastest->count; i++)
                fastest->waiting[i] = fastest->waiting[i + 1];
            return edt;
        }
    }
    return NULL;
}

const ocrPolicy_t ocrPolicy = {.version = OCR_POLICY_VERSION, .properties = OCR_POLICY_LEARNS, .begin = begin,
                               .end = end, .choose = choose, .keep = keep, .take = take};
