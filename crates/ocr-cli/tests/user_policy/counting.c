/* A policy that does not ask how long EDTs take, and has one EDT run at a time: it relies on being notified of each
 * end. */
#include <ocr-policy.h>

static const ocrPolicyEdt_t *waiting[1000];
static unsigned count, running;

static u32 choose(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)machine;
    return OCR_POLICY_KEPT;
}

static void keep(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)machine;
    waiting[count++] = edt;
}

static const ocrPolicyEdt_t *take(void *policy, u32 place, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)place, (void)machine;
    if (running != 0 || count == 0)
        return 0;
    running = 1;
    return waiting[--count];
}

static void ended(void *policy, const ocrPolicyEdt_t *edt, u32 place, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)place, (void)machine;
    running = 0;
}

const ocrPolicy_t ocrPolicy = {.version = OCR_POLICY_VERSION,
                               .properties = OCR_POLICY_NONE,
                               .choose = choose,
                               .keep = keep,
                               .take = take,
                               .ended = ended};
