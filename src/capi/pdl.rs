//! `extensions/ocr-pdl.h`: properties of places. A value of the platform description (`OCR_PLATFORM`) takes precedence
//! over what the system and OpenCL tell.

use crate::capi::{put, sys, with};
use crate::device::DeviceInfo;
use crate::engine::state::context::Context;
use crate::object::guid::{Guid, Kind};
use crate::platform;
use crate::platform::{DescribedDevice as Described, Direction, Host, PlatformLink, UnitKind, UnitRole};
use crate::status::Status;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::ptr;
use sys::ocrGuid_t;

/// What an affinity GUID names.
enum PdlDevice<'a> {
    Host,
    /// An OpenCL device: its index among those in use, and what OpenCL tells of it.
    OpenCl(u64, &'a DeviceInfo),
}

/// The device that a GUID names; `NULL_GUID` names the host. None if it names neither the host nor a device in use.
fn device<'a>(context: &'a Context, guid: Guid) -> Option<PdlDevice<'a>> {
    let place = guid.kind() == Some(Kind::Affinity) && guid.generation() == 0;
    if guid.is_null() || place && guid.index() == 0 {
        return Some(PdlDevice::Host);
    }
    let index = place.then(|| guid.index() as usize - 1)?;
    let used = context.runtime.devices.in_use().get(index)?;
    Some(PdlDevice::OpenCl(index as u64, &used.info))
}

/// A C string with this text, without its zero bytes, that stays to the end of the process. Each text is kept once.
pub(super) fn lasting(text: String) -> &'static CStr {
    static TEXTS: Mutex<rank::PdlTexts, Option<HashMap<String, &'static CStr>>> = Mutex::new(None);
    let mut texts = TEXTS.lock();
    texts.get_or_insert_default().entry(text).or_insert_with_key(|text| {
        let bytes = text.bytes().filter(|&byte| byte != 0).collect::<Vec<_>>();
        Box::leak(CString::new(bytes).unwrap_or_default().into_boxed_c_str())
    })
}

impl PdlDevice<'_> {
    /// What the platform description says of the device. None for the host, or without a description.
    fn described<'a>(&self, context: &'a Context) -> Option<&'a Described> {
        match self {
            PdlDevice::Host => None,
            PdlDevice::OpenCl(_, info) => context.runtime.platform.as_ref()?.device(info.index),
        }
    }

    /// The link of the device with the host, by the platform description. None for the host, or without a description.
    fn link<'a>(&self, context: &'a Context, direction: Direction) -> Option<&'a PlatformLink> {
        match self {
            PdlDevice::Host => None,
            PdlDevice::OpenCl(_, info) => {
                let platform = context.runtime.platform.as_ref()?;
                platform.link(info.index, direction)
            }
        }
    }

    /// The device's role in a run and its kind, by the platform description or else by the system.
    fn role_and_kind(&self, context: &Context) -> (UnitRole, UnitKind) {
        match (self, &context.runtime.platform, self.described(context)) {
            (PdlDevice::Host, Some(platform), _) => (platform.host.role, platform.host.kind),
            (PdlDevice::Host, None, _) => (UnitRole::Master, UnitKind::Cpu),
            (_, _, Some(device)) => (device.role, device.kind),
            (PdlDevice::OpenCl(_, info), _, None) => (UnitRole::Worker, info.kind.into()),
        }
    }

    /// A property that is a number, other than `node-index`. None for one that the device does not have.
    fn number(&self, context: &Context, property: &[u8]) -> Option<u64> {
        match self {
            PdlDevice::Host => {
                let host = match &context.runtime.platform {
                    Some(platform) => platform.host.clone(),
                    None => Host::here(),
                };
                match property {
                    b"thread-count" => Some(context.runtime.workers() as u64),
                    b"compute-units" => Some(host.compute_units),
                    b"memory-size" => Some(host.memory),
                    _ => None,
                }
            }
            PdlDevice::OpenCl(index, info) => {
                let described = self.described(context).cloned();
                let device = described.unwrap_or_else(|| Described::of(info));
                match property {
                    b"device-index" => Some(*index),
                    b"compute-units" => Some(device.compute_units),
                    b"memory-size" => Some(device.memory),
                    b"local-memory-size" => Some(device.local_memory),
                    b"max-work-group-size" => Some(device.max_work_group),
                    b"shares-host-memory" => Some(device.shares_memory.into()),
                    b"to-device-latency" | b"to-device-bandwidth" => {
                        speed(self.link(context, Direction::ToDevice)?, property)
                    }
                    b"from-device-latency" | b"from-device-bandwidth" => {
                        speed(self.link(context, Direction::FromDevice)?, property)
                    }
                    _ => None,
                }
            }
        }
    }
}

/// A property of a link, rounded: its latency in nanoseconds where the name ends so, otherwise its bandwidth in bytes
/// per second.
fn speed(link: &PlatformLink, property: &[u8]) -> Option<u64> {
    Some(if property.ends_with(b"latency") { link.latency_ns.round() as u64 } else { link.bandwidth.round() as u64 })
}

export! {
    /// A property of a place that is a text, valid to the end of the process. Null if the place has no such property.
    /// OCR-Vx.
    fn pdlGetDevicePropertyString(
        guid: ocrGuid_t,
        property: *const c_char,
    ) -> *const c_char, or ptr::null(); {
        if property.is_null() {
            return ptr::null();
        }
        // SAFETY: the name is not null here, and the header asks for a C string then.
        let property = unsafe { CStr::from_ptr(property) }.to_bytes();
        let value = with(None, |context| {
            let device = device(context, guid.into())?;
            let source = |direction| Some(device.link(context, direction)?.source.clone());
            match (&device, property) {
                (_, b"hostname") => platform::name(),
                (_, b"role") => Some(device.role_and_kind(context).0.word().to_string()),
                (_, b"kind") => Some(device.role_and_kind(context).1.word().to_string()),
                (_, b"to-device-source") => source(Direction::ToDevice),
                (_, b"from-device-source") => source(Direction::FromDevice),
                (PdlDevice::OpenCl(_, info), b"device-name") => Some(info.name.clone()),
                (PdlDevice::OpenCl(_, info), b"platform-name") => Some(info.platform.clone()),
                _ => None,
            }
        });
        value.map_or(ptr::null(), |value| lasting(value).as_ptr())
    }

    /// Writes a property of a place that is a number. Without such a property `*value` stays, and 0 is returned.
    /// OCR-Vx.
    fn pdlGetDevicePropertyInt(
        guid: ocrGuid_t,
        property: *const c_char,
        value: *mut u64,
    ) -> u8, or Status::EFAULT; {
        if property.is_null() || value.is_null() {
            return Status::EINVAL;
        }
        // SAFETY: the name is not null here, and the header asks for a C string then.
        let property = unsafe { CStr::from_ptr(property) }.to_bytes();
        with(Status::EPERM, |context| {
            let Some(device) = device(context, guid.into()) else { return Status::EINVAL };
            let number = match property {
                b"node-index" => Some(0),
                _ => device.number(context, property),
            };
            let Some(number) = number else { return Status::OK };
            // SAFETY: the header asks for a valid place.
            unsafe { put(value, number) };
            Status::OK
        })
    }
}
