/*
 * ocr-pdl.h - ask about places (extension: OCR-Vx, platform description).
 *
 * A device is an affinity GUID: of kind AFFINITY_PD the host, of kind AFFINITY_OCL an OpenCL device
 * in use (see ocr-affinity.h). NULL_GUID is the host.
 */
#ifndef OCR_API_EXT_PDL_H
#define OCR_API_EXT_PDL_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A property that is a text:
 *
 *   "hostname"       the machine's name, for every device
 *   "device-name"    the name of an OpenCL device; where several have one name, with " #" and a number behind it
 *   "platform-name"  the name of the OpenCL platform that it belongs to
 *
 * NULL for a property of another name or none (propertyName is NULL), one that the device does not have, a GUID
 * that names no device, and where no runtime runs. The text is valid to the end of the process.
 */
const char *pdlGetDevicePropertyString(ocrGuid_t device, const char *propertyName);

/*
 * A property that is a number:
 *
 *   "node-index"    0: there is one machine
 *   "thread-count"  of the host, how many workers there are
 *   "device-index"  of an OpenCL device, its number among those in use, from 0
 *
 * Returns 0 also for a property of another name, or one that the device does not have: *value is
 * then as it was. Errors: OCR_EINVAL (propertyName or value is NULL, or no such device).
 */
u8 pdlGetDevicePropertyInt(ocrGuid_t device, const char *propertyName, u64 *value);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_PDL_H */
