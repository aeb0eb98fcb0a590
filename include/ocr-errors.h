/*
 * ocr-errors.h - status codes of the OCR interface (OCR 1.1.0, 2.1, table 2.1).
 *
 * A function that returns u8 returns 0 when it did what was asked and one of these codes when it
 * did not; then it has changed nothing, unless its description says otherwise. The names follow
 * errno, and so do the values where errno has the name; they do not depend on <errno.h>.
 *
 * Two codes any of them may return. OCR_EPERM: no runtime runs, as in a program with its own main
 * before ocrLegacyInit and after ocrLegacyFinalize (extensions/ocr-legacy.h). OCR_EFAULT: the
 * runtime itself has failed, and a message says how.
 */
#ifndef OCR_API_ERRORS_H
#define OCR_API_ERRORS_H

#define OCR_EPERM       1   /* the object's state or kind does not permit the operation */
#define OCR_ENOENT      2   /* nothing there by that name */
#define OCR_EINTR       4   /* the call was interrupted */
#define OCR_EIO         5   /* input or output failed */
#define OCR_ENXIO       6   /* no such device or address */
#define OCR_E2BIG       7   /* too many arguments */
#define OCR_ENOEXEC     8   /* not in an executable format */
#define OCR_EAGAIN     11   /* not now: try again */
#define OCR_ENOMEM     12   /* not enough memory */
#define OCR_EACCES     13   /* the caller has no access to the object */
#define OCR_EFAULT     14   /* bad address or bad value */
#define OCR_EBUSY      16   /* something that the call needs is in use: try again */
#define OCR_ENODEV     19   /* no such device */
#define OCR_EINVAL     22   /* an argument is not valid */
#define OCR_ENOSPC     28   /* no space left */
#define OCR_ESPIPE     29   /* position out of reach */
#define OCR_EROFS      30   /* read only */
#define OCR_EDOM       33   /* argument outside of the function's domain */
#define OCR_ERANGE     34   /* result cannot be represented */
#define OCR_ENOSYS     38   /* not implemented */
#define OCR_ENOTEMPTY  39   /* not empty (extension: OCR 1.2) */
#define OCR_ENOTSUP    95   /* not supported */
#define OCR_EGUIDEXISTS 100 /* an object with this labeled GUID exists already */
#define OCR_EACQ       101  /* the data block is acquired already */
#define OCR_EPEND      102  /* the operation is under way */
#define OCR_ENOP       103  /* there was nothing to do (extension: OCR 1.2) */
#define OCR_EDEFERRED  104  /* not done yet (extension: later versions of OCR 1.2; this runtime does not return it) */
#define OCR_ECANCELED  125  /* the operation was cancelled */

/* Two names that stand in the text of OCR 1.1.0 (2.5.3, 2.8.1) for two of the above. */
#define OCR_EACCESS OCR_EACCES
#define OCR_ENOPERM OCR_EPERM

#endif /* OCR_API_ERRORS_H */
