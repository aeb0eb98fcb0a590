/*
 * ocr-hints.h - advice to the runtime about objects (OCR 1.1.0, B.1). ocr.h includes this header.
 *
 * A hint never changes what a program computes. Which properties there are: ocrHintProp_t. All are
 * kept with the object and can be read back; these have an effect:
 *
 *   OCR_HINT_EDT_PRIORITY  Of the ready EDTs, workers run those with a priority first, the highest
 *                          before others, and of equals the one that was ready first. 0 is like
 *                          none. It orders EDTs that are ready and wait for a worker: not those that
 *                          wait for a data block, and not those that wait for a device or, with a
 *                          kernel beside their function, for the first free place. A few times a
 *                          second one that has waited long runs before them, so that none waits indefinitely.
 *   OCR_HINT_EDT_AFFINITY  An EDT that has several variants runs in that place, a kernel on the
 *                          device or the function on a worker, whatever the policy says. Where none
 *                          of its variants can run there (no kernel for that device, no function),
 *                          or there is no such place, it goes where it would have gone without, and
 *                          the report of the run says so. The affinity argument of
 *                          ocrOpenclTaskCreate outranks the hint.
 *   OCR_HINT_EDT_TIME      What an EDT of this template takes, in nanoseconds, wherever it runs: a first
 *                          guess for a policy that places EDTs by their times, until some have run.
 *   OCR_HINT_EDT_TIME_PARAMS
 *                          Which parameters say how long an EDT takes: bit i (1 << i) stands for paramv[i]. Times
 *                          are then learned by the product of those parameters, from the first EDT on. Without the
 *                          hint, or with 0, the runtime finds out itself whether one of the first six parameters
 *                          says it. Parameters that an EDT does not have are left out. An extension, best given to
 *                          the template.
 *   OCR_HINT_EDT_RETRY     With the setting OCR_RETRY=N: how often the EDT may run again, in the place of N. 0: never.
 *                          Its function does not run as an attempt then, so give it to EDTs that do what cannot be
 *                          undone, such as writing to a file or a socket. With OCR_RETRY=verify an EDT with 0 runs
 *                          once, and others run as without the hint. With 0 an EDT has no duplicate either
 *                          (OCR_DUPLICATES). Without these settings the hint has no effect. An extension.
 *
 *   OCR_HINT_EDT_SLOT_MAX_ACCESS
 *                          The pre-slot, from 0, whose block is used most. A policy that asks where the EDT's blocks
 *                          are, or how long copies take (`eft`, `locality`, or one of ocr-policy.h), sees this block
 *                          alone. Without a block in that pre-slot it is as without the hint.
 *   OCR_HINT_DB_AFFINITY   Where the block is to be: a value of ocrAffinityToHintValue. Such a policy sees the
 *                          block there, wherever its content is: to `eft` any other place costs the copy from there.
 *                          Where there is no such place it is as without the hint. The content is copied when an
 *                          EDT needs it.
 *   OCR_HINT_DB_EAGER      If it is not 0: when a kernel that may write the block has ended on a device with memory of
 *                          its own, the content is copied to the host at once. So an EDT on the host that comes
 *                          later finds it there. Without it a block is copied when an EDT asks for it.
 *   OCR_HINT_DB_LAZY       If it is not 0: the content stays on a device until an EDT asks for it. Without it a CPU
 *                          device that shares the host's memory gives what kernels write back to the host behind the
 *                          kernel, while the host uses such blocks. OCR_HINT_DB_EAGER goes before it.
 *
 * An EDT begins with the hints that its template has when the EDT is created; those given to
 * ocrEdtCreate come on top, then those of ocrSetHint. A hint for another kind of object is left out
 * by the create functions.
 */
#ifndef OCR_API_EXT_HINTS_H
#define OCR_API_EXT_HINTS_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes *hint an empty hint for one kind of object. Comes first; called again, it empties the hint.
 * Errors: OCR_EINVAL (hint is NULL, no such kind, OCR_HINT_UNDEF_T). OCR 1.1.0, B.1.2.
 */
u8 ocrHintInit(ocrHint_t *hint, ocrHintType_t hintType);

/*
 * Sets a property to a value, in *hint alone. With NULL_HINT nothing happens, and 0 is returned.
 * The value may be signed, as OCR 1.1.0 has it, or unsigned, as OCR 1.2 has it: 64 bits either way,
 * of which the same come back.
 * Errors: OCR_EINVAL (the property is not one of that kind of object).
 * OCR 1.1.0, B.1.3.
 */
u8 ocrSetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 value);

/*
 * Takes a property out of *hint; fine if it is not set.
 * Errors: OCR_EINVAL (hint is NULL, the property is not one of that kind). OCR 1.1.0, B.1.4.
 */
u8 ocrUnsetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp);

/*
 * Reads a property of *hint. `value` is a u64 * (OCR 1.2), or an s64 * (OCR 1.1.0).
 * Errors: OCR_EINVAL (hint or value is NULL, the property is not one of that kind), OCR_ENOENT (it
 * is not set; *value is as before). OCR 1.1.0, B.1.5.
 */
u8 ocrGetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp, u64 *value);

/*
 * The types of OCR 1.1.0. Programs call them by the names above: in C those are macros, too, that
 * pick the function by the type of the value; in C++ there is another ocrGetHintValue for s64 *.
 */
static __inline__ u8 ocrSetHintValueSigned(ocrHint_t *hint, ocrHintProp_t hintProp, s64 value) {
    return ocrSetHintValue(hint, hintProp, (u64)value);
}
static __inline__ u8 ocrGetHintValueSigned(ocrHint_t *hint, ocrHintProp_t hintProp, s64 *value) {
    return ocrGetHintValue(hint, hintProp, (u64 *)value);
}

#ifdef __cplusplus
extern "C++" {
/* A template, so that NULL goes to the function above. */
template <typename T> struct ocrSignedHintValue;
template <> struct ocrSignedHintValue<s64> { typedef u8 status; };
template <typename T>
inline typename ocrSignedHintValue<T>::status ocrGetHintValue(ocrHint_t *hint, ocrHintProp_t hintProp,
                                                             T *value) {
    return ocrGetHintValueSigned(hint, hintProp, value);
}
}
#elif defined(__GNUC__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
/* GNU C has _Generic in every version of the language. */
#ifdef __GNUC__
#define OCR_HINT_PICK(pick) (__extension__(pick))
#else
#define OCR_HINT_PICK(pick) (pick)
#endif
#define ocrSetHintValue(hint, hintProp, value)                                               \
    OCR_HINT_PICK(_Generic((value), char: ocrSetHintValueSigned,                             \
        signed char: ocrSetHintValueSigned,                                                  \
        short: ocrSetHintValueSigned, int: ocrSetHintValueSigned, long: ocrSetHintValueSigned, \
        long long: ocrSetHintValueSigned, default: ocrSetHintValue))((hint), (hintProp), (value))
#define ocrGetHintValue(hint, hintProp, value)                                               \
    OCR_HINT_PICK(_Generic((value), s64 *: ocrGetHintValueSigned, default: ocrGetHintValue)) \
    ((hint), (hintProp), (value))
#endif

/* The three by the names that they have in later versions of the reference implementation. */
#define ocrHintSetValue   ocrSetHintValue
#define ocrHintUnsetValue ocrUnsetHintValue
#define ocrHintGetValue   ocrGetHintValue

/*
 * Gives an object the properties that are set in *hint; its others stay. Those of a template are
 * where its EDTs begin, from the next that is created on. For an EDT that is runnable already it
 * comes too late: nothing is set, and 0 is returned. *hint is copied. Events and groups have no properties.
 * Errors: OCR_EINVAL (hint is NULL, no such object, or the hint is for another kind); every value
 * can be set, so the OCR_EFAULT of the clause does not occur. OCR 1.1.0, B.1.6.
 */
u8 ocrSetHint(ocrGuid_t guid, ocrHint_t *hint);

/*
 * Adds the properties of an object to *hint; those that only *hint has stay there. Also for an EDT
 * that runs.
 * Errors: OCR_EINVAL (hint is NULL, no such object, or the hint is for another kind).
 * OCR 1.1.0, B.1.7.
 */
u8 ocrGetHint(ocrGuid_t guid, ocrHint_t *hint);

/*
 * How busy the runtime is: the share of the workers that neither look for an EDT nor sleep, from 0 to 1. Of an EDT that
 * waits in a call, the thread counts that runs others in its place. At this moment: OCR-Vx says it of the last second,
 * so who wants that asks several times. Devices are not counted. 0 if no runtime runs.
 * An extension of OCR-Vx.
 */
double ocrSystemLoadGet(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_HINTS_H */
