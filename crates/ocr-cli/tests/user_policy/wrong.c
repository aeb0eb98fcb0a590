/* Policies that are wrong in one way each: -DWRONG_... says in which. */
#include <ocr-policy.h>
#include <stddef.h>

static u32 choose(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)machine;
#ifdef WRONG_PLACE
    return 9;
#elif defined WRONG_KEPT
    return OCR_POLICY_KEPT;
#else
    return OCR_POLICY_FIRST_FREE;
#endif
}

#ifdef WRONG_FORGETS
static u32 keepAll(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)machine;
    return OCR_POLICY_KEPT;
}

static void keep(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)edt, (void)machine;
}

static const ocrPolicyEdt_t *take(void *policy, u32 place, const ocrPolicyMachine_t *machine) {
    (void)policy, (void)place, (void)machine;
    return NULL;
}
#endif

#ifdef WRONG_NUMBERS
static void *begin(u32 count, const u64 *numbers) {
    static int policy;
    return count == 1 && numbers[0] == 7 ? &policy : NULL;
}
#endif

#ifdef WRONG_NAME
#define ocrPolicy otherName
extern const ocrPolicy_t otherName;
#endif

const ocrPolicy_t ocrPolicy = {
#ifdef WRONG_VERSION
    .version = OCR_POLICY_VERSION + 1,
#else
    .version = OCR_POLICY_VERSION,
#endif
#ifdef WRONG_NUMBERS
    .begin = begin,
#endif
#ifdef WRONG_FORGETS
    .choose = keepAll,
    .keep = keep,
    .take = take,
#elif !defined WRONG_NULL
    .choose = choose,
#endif
};

/* Some are wrong for lack of it. */
u32 ocrPolicyUnused(void);
u32 ocrPolicyUnused(void) {
    return choose(NULL, NULL, NULL);
}
