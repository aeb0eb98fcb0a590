//! How the value of a setting is read. Errors are for people. Words are read alike in capital letters and small ones,
//! and with spaces around them.

use super::Models;
use crate::device::DeviceSettings;
use crate::directory::from_start;
use ocr_place::policy;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// The most workers that make sense to ask for; more is a typing error.
const MAX_WORKERS: usize = 4096;

/// The most seconds of patience that make sense to ask for: a year.
pub(super) const MAX_PATIENCE: u64 = 366 * 86_400;

/// A value as it is compared with words.
pub(super) fn word(text: &str) -> String {
    text.trim().to_ascii_lowercase()
}

pub(super) fn parse_workers(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|workers| (1..=MAX_WORKERS).contains(workers))
        .ok_or_else(|| format!("\"{text}\" is not a number of workers from 1 to {MAX_WORKERS}"))
}

/// A policy by its name, or a file, which is loaded when a run begins.
pub(super) fn parse_policy(text: &str) -> Result<String, String> {
    if policy::is_file(text) {
        return Ok(text.to_string());
    }
    let text = word(text);
    policy::parse(&text).map(|_| text)
}

pub(super) fn parse_models(text: &OsStr) -> Result<Models, String> {
    match text.to_str().map(word).as_deref() {
        Some("off" | "0") => Ok(Models::Off),
        _ => from_start(Path::new(text)).map(Models::In).map_err(|error| error.to_string()),
    }
}

pub(super) fn parse_flag(text: &str) -> Result<bool, String> {
    match &*word(text) {
        "1" | "true" | "on" | "yes" => Ok(true),
        "0" | "false" | "off" | "no" => Ok(false),
        _ => Err(format!("\"{text}\" is neither 1 nor 0")),
    }
}

pub(super) fn parse_count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("\"{text}\" is no number"))
}

pub(super) fn parse_queues(text: &str) -> Result<usize, String> {
    let most = DeviceSettings::MAX_QUEUES;
    (text.parse().ok().filter(|queues| (1..=most).contains(queues)))
        .ok_or_else(|| format!("\"{text}\" is no number from 1 to {most}"))
}

pub(super) fn parse_patience(text: &str) -> Result<Option<Duration>, String> {
    match &*word(text) {
        "off" | "0" => Ok(None),
        _ => text
            .parse()
            .ok()
            .filter(|seconds| (1..=MAX_PATIENCE).contains(seconds))
            .map(|seconds| Some(Duration::from_secs(seconds)))
            .ok_or_else(|| format!("\"{text}\" is neither off nor a number of seconds from 1 to {MAX_PATIENCE}")),
    }
}

pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => 0,
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| format!("\"{text}\" is not a size such as 1048576, 512K, 64M or 2G"))
}
