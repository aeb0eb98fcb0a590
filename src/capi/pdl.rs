//! `extensions/ocr-pdl.h`: properties of places.

use super::{EFAULT, EINVAL, EPERM, put, sys, with};
use crate::device::DeviceInfo;
use crate::engine::context::Context;
use crate::object::guid::{Guid, Kind};
use crate::text::read_file;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::ptr;
use sys::ocrGuid_t;

/// What an affinity GUID names.
enum Device<'a> {
    Host,
    OpenCl(u64, &'a DeviceInfo),
}

fn device<'a>(context: &'a Context, guid: Guid) -> Option<Device<'a>> {
    let place = guid.kind() == Some(Kind::Affinity) && guid.generation() == 0;
    if guid.is_null() || place && guid.index() == 0 {
        return Some(Device::Host);
    }
    let index = place.then(|| guid.index() as usize - 1)?;
    let used = context.runtime.devices.in_use().get(index)?;
    Some(Device::OpenCl(index as u64, &used.info))
}

/// A C string with this text that stays to the end of the process. Each text is kept once.
pub(super) fn lasting(text: String) -> &'static CStr {
    static TEXTS: Mutex<Option<HashMap<String, &'static CStr>>> = Mutex::new(None);
    let mut texts = TEXTS.lock();
    texts
        .get_or_insert_default()
        .entry(text)
        .or_insert_with_key(|text| {
            let bytes = text.bytes().filter(|&byte| byte != 0).collect::<Vec<_>>();
            Box::leak(CString::new(bytes).unwrap_or_default().into_boxed_c_str())
        })
}

/// The machine's name.
fn host_name() -> Option<String> {
    let name = read_file("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim_end().to_string())
}

export! {
    /// A property that is a text.
    fn pdlGetDevicePropertyString(
        guid: ocrGuid_t,
        property: *const c_char,
    ) -> *const c_char, or ptr::null(); {
        if property.is_null() {
            return ptr::null();
        }
        // SAFETY: the header asks for a text that ends with a zero.
        let property = unsafe { CStr::from_ptr(property) }.to_bytes();
        let value = with(None, |context| {
            match (device(context, guid.into())?, property) {
                (_, b"hostname") => host_name(),
                (Device::OpenCl(_, info), b"device-name") => Some(info.name.clone()),
                (Device::OpenCl(_, info), b"platform-name") => Some(info.platform.clone()),
                _ => None,
            }
        });
        value.map_or(ptr::null(), |value| lasting(value).as_ptr())
    }

    /// A property that is a number.
    fn pdlGetDevicePropertyInt(
        guid: ocrGuid_t,
        property: *const c_char,
        value: *mut u64,
    ) -> u8, or EFAULT; {
        if property.is_null() || value.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for a text that ends with a zero.
        let property = unsafe { CStr::from_ptr(property) }.to_bytes();
        with(EPERM, |context| {
            let Some(device) = device(context, guid.into()) else { return EINVAL };
            let number = match (device, property) {
                (_, b"node-index") => 0,
                (Device::Host, b"thread-count") => context.runtime.queues.workers() as u64,
                (Device::OpenCl(index, _), b"device-index") => index,
                _ => return 0,
            };
            // SAFETY: the header asks for a valid place.
            unsafe { put(value, number) };
            0
        })
    }
}
