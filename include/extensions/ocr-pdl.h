/*
 * ocr-pdl.h - ask about places (extension: OCR-Vx, platform description).
 *
 * A device is an affinity GUID: of kind AFFINITY_PD the host, of kind AFFINITY_OCL an OpenCL device
 * in use (see ocr-affinity.h). NULL_GUID is the host.
 *
 * Without more, the answers are what the system and OpenCL report. A platform description is a file that says the
 * same, and how fast the links between the host and the devices are, which neither reports:
 *
 *   ocr info --write-platform machine.toml     finds, measures, and writes it
 *   OCR_PLATFORM=machine.toml ./program        has a run read it (or -ocr:platform machine.toml)
 *
 * It can be changed by hand: its values are the answers then. A file that is damaged, has another version or says of
 * this machine what is not so ends the program with a message: where the settings are read, with status 2; of
 * devices when OpenCL is started, with status 1.
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
 *   "role"           "Master": programs begin there (the host); "Worker": it gets work (a device); "Hybrid": both, only
 *                    where a platform description says so
 *   "kind"           "CPU", "GPU", "accelerator" or "other"
 *   "to-device-source", "from-device-source"
 *                    of a device, where the numbers about its link with the host come from: "measured" and a day, such
 *                    as "measured 2026-01-31", or "given"
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
 *   "compute-units" the machine's cores, whether or not this process may use them; a device's compute units
 *   "memory-size"   bytes of memory; for a device that shares the host's, what OpenCL lets it use
 *   "local-memory-size", "max-work-group-size", "shares-host-memory"
 *                   of a device: bytes that the work-items of a group share; the most work-items in a group; 1 if
 *                   its memory is the host's, so that nothing is copied, and otherwise 0
 *   "to-device-latency", "to-device-bandwidth", "from-device-latency", "from-device-bandwidth"
 *                   of a device, with a platform description that has its links: nanoseconds that a copy from the host
 *                   to the device, or back, takes whatever its size, and bytes per second beyond that. Of a device
 *                   that shares the host's memory it is what copies take with OCR_DEVICE_FORCE_COPIES=1
 *
 * Returns 0 also for a property of another name, or one that the device does not have: *value is
 * then as it was. Errors: OCR_EINVAL (propertyName or value is NULL, or no such device).
 */
u8 pdlGetDevicePropertyInt(ocrGuid_t device, const char *propertyName, u64 *value);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_PDL_H */
