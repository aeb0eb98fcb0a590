//! The runtime's own part of a kernel's build options, which says for which kind of device the kernel is.

use crate::device::DeviceKind;
use ocr_base::text::Readable;

/// Takes `-ocr-device=` from the front of build options.
pub(crate) fn split_options(options: &[u8]) -> Result<(Option<DeviceKind>, &[u8]), String> {
    const OPTION: &str = "-ocr-device";
    let options = options.trim_ascii();
    let end = options.iter().position(u8::is_ascii_whitespace);
    let (first, rest) = options.split_at(end.unwrap_or(options.len()));
    let rest = rest.trim_ascii();
    let named = Readable(first);
    let (kind, rest) = match first.strip_prefix(OPTION.as_bytes()) {
        None => (None, options),
        Some(b"=cpu") => (Some(DeviceKind::Cpu), rest),
        Some(b"=gpu") => (Some(DeviceKind::Gpu), rest),
        Some(b"" | b"=") => {
            return Err(format!(
                "the option {named} is followed by a blank: write {OPTION}=cpu or {OPTION}=gpu, in one word, before all \
                 other options"
            ));
        }
        Some(_) => {
            return Err(format!(
                "the option {named} is none: write {OPTION}=cpu or {OPTION}=gpu, before all other options"
            ));
        }
    };
    let mut words = rest.split(u8::is_ascii_whitespace);
    match words.find(|word| word.starts_with(OPTION.as_bytes())) {
        None => Ok((kind, rest)),
        Some(word) if kind.is_some() => Err(format!(
            "the option {} comes after {named}: a kernel has one such option; add the kernel again for other devices",
            Readable(word)
        )),
        Some(word) => Err(format!(
            "the option {} stands behind others: it must come first, as {OPTION}=cpu or {OPTION}=gpu",
            Readable(word)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_for_which_devices_a_kernel_is() {
        let gpu = Some(DeviceKind::Gpu);
        assert_eq!(split_options(b""), Ok((None, &b""[..])));
        assert_eq!(split_options(b"-DX=1 -O"), Ok((None, &b"-DX=1 -O"[..])));
        assert_eq!(split_options(b" -ocr-device=gpu\t-DX=1 "), Ok((gpu, &b"-DX=1"[..])));
        let fault = |options: &str| split_options(options.as_bytes()).expect_err(options);
        for options in ["-ocr-device cpu", "-ocr-device = cpu", "-ocr-device= cpu", "-ocr-device"] {
            assert!(fault(options).contains("blank"), "{options}");
        }
        for options in ["-ocr-device=tpu", "-ocr-device=GPU", "-ocr-devices=gpu"] {
            assert!(fault(options).contains(options), "{options}");
        }
        assert!(fault("-DX=1 -ocr-device=cpu").contains("must come first"));
        assert!(fault("-ocr-device=cpu -DX -ocr-device=gpu").contains("comes after"));
    }
}
