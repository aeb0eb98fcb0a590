/*
 * ocr-policy.h - placement policies of users, which are loaded from a file (this runtime).
 *
 * A policy says in which place an EDT runs: on the host, whose workers run C functions, or on an OpenCL device. It is
 * asked about EDTs that more than one place can run. A policy of a user is a shared object that defines `ocrPolicy`:
 *
 *     cc -O2 -shared -fPIC -Iinclude -o mine.so mine.c
 *     OCR_SCHED=./mine.so ./program
 *
 * OCR_SCHED names a file where there is a slash in its value; numbers for the policy may follow, as in ./mine.so:1:2.
 * The commands `ocr compare`, `ocr simulate` and `ocr tune` take such a name for a policy, too. In a simulation the
 * same functions run in virtual time. The policies of the runtime itself have this interface in Rust
 * (crates/ocr-place/src/policy/interface.rs). The guide's chapter "Policies of your own" begins with an example.
 *
 * A policy decides in one of two ways:
 *
 *  - at once: `choose` answers with a place, or with OCR_POLICY_FIRST_FREE;
 *  - late: `choose` answers OCR_POLICY_KEPT. When the EDT has its blocks, the policy gets it by `keep`. Each place that
 *    may have room asks by `take`, and gets one of the EDTs that are kept.
 *
 * Calls come from many threads, but only one at a time for each policy. Threads of the runtime wait meanwhile. So a
 * policy neither waits nor sleeps, takes no lock that another thread may hold for long, and ends none of its functions
 * by longjmp or an exception. It calls no function of ocr.h: that would wait for the call in which it is made, without
 * end. It looks at no other clock than nowNs, or it does something else in a simulation.
 *
 * An answer that cannot be followed ends the program, or the simulation, with a message that names the file and the
 * EDT.
 */
#ifndef OCR_POLICY_H
#define OCR_POLICY_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A policy that was compiled for another one is refused. */
#define OCR_POLICY_VERSION 1

/* Places have numbers: 0 is the host, and from 1 on the devices in use, in the order of `ocr info`. */
#define OCR_POLICY_HOST       ((u32)0)
#define OCR_POLICY_NO_PLACE   ((u32)-1)

/* Answers of `choose` beside the number of a place. */
#define OCR_POLICY_KEPT       ((u32)-1) /* the policy keeps it until a place takes it */
#define OCR_POLICY_FIRST_FREE ((u32)-2) /* the first place that is free takes it; not for policies that keep EDTs */

/* A number of nanoseconds or bytes that is not known. */
#define OCR_POLICY_UNKNOWN    ((u64)-1)

/* A place. */
typedef struct {
    u32 units; /* how many EDTs it runs at once: the workers of the host; the kernels that a device ran at once
                  lately */
    u32 load;  /* how many EDTs it has and has not ended, those that no policy was asked about included */
} ocrPolicyPlace_t;

/* A place where an EDT may run. */
typedef struct {
    u32 place;
    u32 behind; /* a device that copies the EDT's blocks with the threads of its kernels, so that the copies wait
                   for these; mostly OCR_POLICY_NO_PLACE */
    u64 copyNs; /* until the EDT's blocks are there, if their copies begin now; 0: they are there */
    u64 bytes;  /* of the EDT's blocks that have a valid copy there, or should be there by hints (ocr-hints.h); in
                   `choose` alone, else OCR_POLICY_UNKNOWN */
} ocrPolicyOption_t;

/* An EDT. It is valid during `choose`, and from `keep` until `ended` has returned; its address names it. */
typedef struct {
    u64 kind;     /* EDTs of one template have the same number, others another one */
    u64 priority; /* those with a higher number should go first; in `choose` 0 */
    u64 bytes;    /* of its blocks */
    const u64 *params; /* its first parameters, six at most; the product of those that a hint of its template names */
    const ocrPolicyOption_t *options; /* the places where it may run, by their numbers in ascending order */
    u32 paramCount;
    u32 optionCount; /* at least 1 */
} ocrPolicyEdt_t;

/* How well it is known how long an EDT takes in a place. */
typedef enum {
    OCR_POLICY_TIME_UNKNOWN  = 0,
    OCR_POLICY_TIME_GUESSED  = 1, /* by a hint, by a launch in which the kernel may have been compiled, or the like */
    OCR_POLICY_TIME_DERIVED  = 2, /* from EDTs of the same template whose blocks have other sizes */
    OCR_POLICY_TIME_MEASURED = 3
} ocrPolicyCertainty_t;

/* What is known of how long an EDT takes in a place. Nothing is known by a policy without OCR_POLICY_LEARNS. */
typedef struct {
    u64 runNs;    /* it is expected to keep a unit of the place busy for this time, or all of them where isSpread says
                     so; or OCR_POLICY_UNKNOWN, as all of these */
    u64 atMostNs; /* a bound, where runNs is not known and the kernel may have been compiled in the only launch */
    u64 newestNs; /* what the last one of its kind took in this run */
    u64 aloneNs;  /* from its begin to its end in a place that runs several at once, alone there */
    u64 besideNs; /* the same, beside others */
    double slowdown; /* how many times as long it takes while another place works; 0: not known */
    double error;    /* relative error of what was expected in this place, where that was often wrong; otherwise 0 */
    u32 certainty;   /* ocrPolicyCertainty_t, of runNs */
    u32 isSpread; /* 1: it is a finish EDT whose function creates the EDTs that do the work, so that all units of the
                     place, the host, work on it until its scope closes. `ended` is called when the function has
                     returned, and the end of the scope is not reported. 0: it has one unit */
} ocrPolicyTime_t;

/* Why an EDT goes where it goes, as `ocr explain` says it. */
typedef enum {
    OCR_POLICY_WHY_SHORT   = 0, /* it is so short that the policy looked at nothing */
    OCR_POLICY_WHY_PLANNED = 1, /* it should end first there */
    OCR_POLICY_WHY_OPEN    = 2, /* it waits for the first place that may take it */
    OCR_POLICY_WHY_MOVED   = 3, /* it was planned for another place, but should end sooner here by now */
    OCR_POLICY_WHY_TAKEN   = 4, /* the place had nothing to do, and took it from the line of another one */
    OCR_POLICY_WHY_TRIED   = 5, /* to find out its time there */
    OCR_POLICY_WHY_CORES   = 6  /* its variant there uses the cores better that workers and a CPU device share */
} ocrPolicyWhy_t;

/* What a policy expects of an EDT in a place that it has looked at. */
typedef struct {
    u32 place;
    u32 unused;
    u64 queueNs; /* until a unit of the place is free for it */
    u64 copyNs;  /* until its blocks are there */
    u64 runNs;   /* that it takes then; or OCR_POLICY_UNKNOWN */
} ocrPolicyExpected_t;

/* The machine, at the time of a call and as long as this lasts. */
typedef struct ocrPolicyMachine ocrPolicyMachine_t;
struct ocrPolicyMachine {
    u64 nowNs;                      /* since some moment, by a clock that never goes back */
    const ocrPolicyPlace_t *places; /* by number */
    u32 placeCount;
    u32 isRecorded; /* 1: the run is recorded, and `considered` has an effect */

    /* What is known of an EDT in a place. */
    ocrPolicyTime_t (*time)(const ocrPolicyMachine_t *machine, const ocrPolicyEdt_t *edt, u32 place);

    /* How many EDTs have not ended, ready or not, counted up to `most`. */
    u64 (*pending)(const ocrPolicyMachine_t *machine, u64 most);

    /* Has `tick` called at this time of the clock, or earlier. For policies that keep EDTs. */
    void (*askAgain)(const ocrPolicyMachine_t *machine, u64 atNs);

    /* Says for the recording what was expected of an EDT that is not yet given to a place. expected[0] is the place
     * that was chosen; if none was chosen, why is OCR_POLICY_WHY_OPEN. */
    void (*considered)(const ocrPolicyMachine_t *machine, const ocrPolicyEdt_t *edt, ocrPolicyWhy_t why,
                       const ocrPolicyExpected_t *expected, u32 count);

    const void *runtime; /* not for the policy */
};

/* Properties of a policy; combined with |. */
#define OCR_POLICY_NONE   ((u32)0x0)
#define OCR_POLICY_LEARNS ((u32)0x1) /* it asks how long EDTs take: they are timed, and what earlier runs have
                                        learned is read */

/* A policy. Each function gets what `begin` has returned. NULL stands for a function that does nothing, where it may.
 */
typedef struct {
    u32 version;    /* OCR_POLICY_VERSION */
    u32 properties;

    /* Begins a run. The numbers are those behind the file's name. NULL says that they make no sense to the policy, and
     * nothing runs. Without this function there are no numbers, and the others get NULL. */
    void *(*begin)(u32 count, const u64 *numbers);

    /* The run is over, and nothing is called any more. May be NULL. */
    void (*end)(void *policy);

    /* An EDT has become runnable. Answers with one of its places, OCR_POLICY_FIRST_FREE or OCR_POLICY_KEPT. */
    u32 (*choose)(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine);

    /* These four are NULL for a policy that keeps no EDT. */

    /* An EDT for which the answer was OCR_POLICY_KEPT has its blocks. */
    void (*keep)(void *policy, const ocrPolicyEdt_t *edt, const ocrPolicyMachine_t *machine);

    /*
     * A place asks: a worker that has nothing else to do, or a device, however much it has to do: its load says.
     * Answers with an EDT that was kept, was not taken before and may run there, or with NULL. A place that was given
     * one asks once more. All places are asked again after each call that may have changed something (keep, take,
     * ended, tick).
     *
     * No EDT is forgotten: when no EDT of the policy runs, no device has any load, and all places have been answered
     * NULL, then there is none that is kept, or the policy has called askAgain. Otherwise the program would hang, and
     * is ended.
     */
    const ocrPolicyEdt_t *(*take)(void *policy, u32 place, const ocrPolicyMachine_t *machine);

    /* An EDT that more than one place could run has ended in this place, or has failed there. edt is NULL if the policy
     * has not kept it. May be NULL. */
    void (*ended)(void *policy, const ocrPolicyEdt_t *edt, u32 place, const ocrPolicyMachine_t *machine);

    /* The time has come that askAgain has named, or is near. May be NULL. */
    void (*tick)(void *policy, const ocrPolicyMachine_t *machine);
} ocrPolicy_t;

/* What the file defines. It is exported: visible under its name, also where others are hidden (-fvisibility=hidden). */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const ocrPolicy_t ocrPolicy;

#ifdef __cplusplus
}
#endif

#endif /* OCR_POLICY_H */
