//! What a program that is started here would get, as JSON. `docs/guide/src/json.md` describes the members.

use crate::info::shares::{chosen, cpu_units, shares};
use crate::output;
use ocr::config::{SETTINGS, Settings};
use ocr::device::{DeviceInfo, Inventory, LoaderState};
use ocr::platform::Platform;
use ocr_base::text::Readable;
use ocr_place::policy::{DEFAULT, POLICIES};
use serde_json::{Value, json};

/// The answer of `ocr info --json`, with a line feed at its end.
pub(crate) fn json(settings: &Settings, inventory: &Inventory, platform: Option<&Platform>) -> String {
    let links = platform.iter().flat_map(|platform| &platform.links);
    let links = links.map(|link| {
        json!({
            "from": link.from,
            "to": link.to,
            "latency_ns": link.latency_ns,
            "bandwidth": link.bandwidth,
            "source": link.source,
        })
    });
    let rows = settings.rows().into_iter();
    let rows = rows.map(|(name, value, origin)| {
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        json!({
            "name": name,
            "variable": setting.map(|setting| setting.variable),
            "what": setting.map(|setting| setting.what),
            "value": value,
            "origin": origin,
        })
    });
    let policies = POLICIES.iter().map(|policy| {
        json!({
            "usage": policy.usage,
            "what": policy.what,
            "default": policy.name == DEFAULT,
        })
    });
    let units = cpu_units(inventory, settings);
    let shares = shares(units, settings).map(|shares| {
        json!({
            "workers": shares.workers,
            "worker_cores": shares.of_workers.to_string(),
            "compute_units": shares.units,
            "device_cores": shares.of_devices.to_string(),
        })
    });
    let value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "api": "1.1.0",
        "cores": settings.cores,
        "workers": *settings.workers,
        "shares": shares,
        "devices": devices(settings, inventory),
        "links": links.collect::<Vec<_>>(),
        "settings": rows.collect::<Vec<_>>(),
        "policies": policies.collect::<Vec<_>>(),
    });
    output::json(&value)
}

fn devices(settings: &Settings, inventory: &Inventory) -> Value {
    let selection = &settings.devices;
    let (used, fallback, problem) = chosen(inventory, selection);
    let use_of = |device: &DeviceInfo| match device.index {
        index if used.contains(&index) => "all kernels",
        index if fallback.contains(&index) => "EDTs without a C function",
        _ => "none",
    };
    let found = inventory.devices.iter();
    let found: Vec<Value> = found.map(|device| describe(device, use_of(device))).collect();
    let library = match &inventory.loader {
        LoaderState::Loaded { path } => path.as_deref(),
        _ => None,
    };
    json!({
        "selection": selection.value.to_string(),
        "origin": selection.origin,
        "found": found,
        "problem": problem,
        "absence": inventory.devices.is_empty().then(|| inventory.explain_absence()),
        "library": library.map(|path| Readable::path(path).to_string()),
        "notes": inventory.warnings.iter().chain(&inventory.notes).collect::<Vec<_>>(),
    })
}

fn describe(device: &DeviceInfo, use_of: &str) -> Value {
    json!({
        "index": device.index,
        "name": device.name,
        "vendor": device.vendor,
        "kind": device.kind.to_string(),
        "compute_units": device.compute_units,
        "memory": device.global_memory,
        "shares_memory": device.host_unified,
        "max_buffer": device.max_buffer,
        "local_memory": device.local_memory,
        "max_work_group": device.max_work_group,
        "platform": device.platform,
        "version": device.device_version,
        "driver": device.driver_version,
        "used_for": use_of,
    })
}
