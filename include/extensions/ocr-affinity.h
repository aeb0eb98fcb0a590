/*
 * ocr-affinity.h - places, and how to ask for one (extension: OCR 1.2, affinity; no clause of OCR 1.1.0
 * defines any of the functions below).
 *
 * A place has a GUID. To ask that an EDT runs, or a data block lives, at a place, turn the GUID
 * into a value with ocrAffinityToHintValue and set it in a hint, as OCR_HINT_EDT_AFFINITY or
 * OCR_HINT_DB_AFFINITY.
 *
 * This runtime has one machine, so one policy domain, and OpenCL devices under AFFINITY_OCL. What an
 * affinity does for an EDT is said in ocr-hints.h: one with a variant for the device goes there. That is
 * so on a device, too, that is used by nothing else, as a CPU device beside C functions with
 * OCR_DEVICES=auto: the first who asks for AFFINITY_OCL has the kernels built for it, those that are
 * there, and later ones as they are added. For a data block it is kept and has no effect,
 * since blocks follow the EDTs that use them.
 */
#ifndef OCR_API_EXT_AFFINITY_H
#define OCR_API_EXT_AFFINITY_H

#include "ocr-types.h"

/* Programs of OCR-Vx that are compiled with these include nothing else for what they name then. */
#if defined(OCR_WITH_OPENCL) && OCR_WITH_OPENCL
#include "ocr-opencl.h"
#endif
#if defined(OCR_WITH_PDL) && OCR_WITH_PDL
#include "ocr-pdl.h"
#endif

#ifndef ENABLE_EXTENSION_AFFINITY
#define ENABLE_EXTENSION_AFFINITY 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of places. A policy domain (PD) is a machine; this runtime has one. */
typedef enum {
    AFFINITY_CURRENT   = 0, /* where the caller runs */
    AFFINITY_PD        = 1, /* every policy domain */
    AFFINITY_PD_MASTER = 2, /* the one that runs mainEdt */
    AFFINITY_SIM       = 3, /* these two have the value of OCR 1.2, where OCR-Vx has another */
    AFFINITY_GUID      = 4, /* where an object lives: the machine */
    AFFINITY_OCL       = 5  /* OpenCL devices that kernels run on, for ocrOpenclTaskCreate (extension:
                               OCR-Vx). Who asks for them has OpenCL started, as the first kernel has */
} ocrAffinityKind;

/*
 * How many places of a kind there are; may be 0 for OpenCL devices.
 * Errors: OCR_EINVAL (no such kind, count is NULL).
 */
u8 ocrAffinityCount(ocrAffinityKind kind, u64 *count);

/*
 * The places of a kind.
 *   count       in: room in affinities; out: how many were written, the smaller of room and places
 *   affinities  out: their GUIDs, in the same order each time
 * Errors: OCR_EINVAL (no such kind, a pointer is NULL).
 */
u8 ocrAffinityGet(ocrAffinityKind kind, u64 *count, ocrGuid_t *affinities);

/*
 * One of them, by its number from 0.
 * Errors: OCR_EINVAL (no such kind or number, affinity is NULL).
 */
u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 idx, ocrGuid_t *affinity);

/*
 * The place where the caller runs.
 * Errors: OCR_EINVAL (affinity is NULL).
 */
u8 ocrAffinityGetCurrent(ocrGuid_t *affinity);

/*
 * The place where an object is; for NULL_GUID, where the caller runs. For a data block it is one that
 * has its content now, the machine before a device; for a place, that place; for all else that
 * exists, the machine.
 *
 *   count       in: room in affinities; out: 1, or 0 where there is no room. NULL: there is room
 *   affinities  out: the place, in the first element
 *
 * Errors: OCR_EINVAL (no such object, affinities is NULL).
 */
u8 ocrAffinityQuery(ocrGuid_t guid, u64 *count, ocrGuid_t *affinities);

/*
 * The value that stands for a place in a hint, for ocrSetHintValue; 0, which stands for no place, for
 * NULL_GUID. The GUID is not looked at: a hint with the value of one that is no place has no effect
 * (strict mode refuses it in ocrSetHintValue).
 */
u64 ocrAffinityToHintValue(ocrGuid_t affinity);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_AFFINITY_H */
