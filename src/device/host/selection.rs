//! Which devices a run uses, in the words of `OCR_DEVICES`.

use crate::device::opencl::discovery::{ASK_INFO, DeviceInfo, DeviceKind, Inventory};
use std::fmt;
use std::str::FromStr;

/// The devices that a run uses, as `OCR_DEVICES` names them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Selection {
    /// GPUs and accelerators; a CPU device only where a kernel has no other way to run
    /// ([`Inventory::fallback`]).
    #[default]
    Auto,
    /// No device, so that no kernel runs.
    None,
    /// CPU devices, and no others.
    Cpu,
    /// GPUs, and no other devices.
    Gpu,
    /// All devices that were found, of whatever kind.
    All,
    /// The devices with these numbers ([`DeviceInfo::index`]).
    Indices(Vec<usize>),
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = text.trim().to_ascii_lowercase();
        let fault = || {
            format!(
                "'{}' names no devices: say auto, none, cpu, gpu, all, or indices as `ocr info` \
                 prints them, such as 0 or 0,2",
                text.trim()
            )
        };
        Ok(match word.as_str() {
            "auto" => Selection::Auto,
            "none" => Selection::None,
            "cpu" => Selection::Cpu,
            "gpu" => Selection::Gpu,
            "all" => Selection::All,
            list => {
                let mut indices = Vec::new();
                for item in list.split(',') {
                    let index = item.trim().parse().map_err(|_| fault())?;
                    if !indices.contains(&index) {
                        indices.push(index);
                    }
                }
                Selection::Indices(indices)
            }
        })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::Auto => f.write_str("auto"),
            Selection::None => f.write_str("none"),
            Selection::Cpu => f.write_str("cpu"),
            Selection::Gpu => f.write_str("gpu"),
            Selection::All => f.write_str("all"),
            Selection::Indices(indices) => {
                for (i, index) in indices.iter().enumerate() {
                    write!(f, "{}{index}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

impl Inventory {
    /// The indices of the devices that are meant, in the order of the machine (of the list, for
    /// indices). `auto` and `none` may mean no device at all.
    ///
    /// # Errors
    /// A message for people: what was asked for, and what there is, where there is no such device.
    pub fn select(&self, selection: &Selection) -> Result<Vec<usize>, String> {
        let of = |wanted: &dyn Fn(&DeviceInfo) -> bool| -> Vec<usize> {
            self.devices.iter().filter(|d| wanted(d)).map(|d| d.index).collect()
        };
        let found = match selection {
            Selection::Auto => {
                return Ok(of(&|d| matches!(d.kind, DeviceKind::Gpu | DeviceKind::Accelerator)));
            }
            Selection::None => return Ok(Vec::new()),
            Selection::Cpu => of(&|d| d.kind == DeviceKind::Cpu),
            Selection::Gpu => of(&|d| d.kind == DeviceKind::Gpu),
            Selection::All => of(&|_| true),
            Selection::Indices(indices) => {
                if let Some(missing) = indices.iter().find(|i| **i >= self.devices.len()) {
                    return Err(format!("there is no device {missing}. {}", self.overview()));
                }
                indices.clone()
            }
        };
        if found.is_empty() {
            let what = match selection {
                Selection::Cpu => "CPU device",
                Selection::Gpu => "GPU",
                _ => "device",
            };
            return Err(format!("there is no {what}. {}", self.overview()));
        }
        Ok(found)
    }

    /// The devices to be used only where a kernel has no other way to run: the CPU devices, for
    /// `auto`; none for any other choice.
    pub fn fallback(&self, selection: &Selection) -> Vec<usize> {
        if *selection != Selection::Auto {
            return Vec::new();
        }
        self.devices.iter().filter(|d| d.kind == DeviceKind::Cpu).map(|d| d.index).collect()
    }

    /// What there is, in a sentence or a few lines.
    fn overview(&self) -> String {
        if self.devices.is_empty() {
            return format!("{} {ASK_INFO}", self.explain_absence());
        }
        let mut text = match self.devices.len() {
            1 => String::from("The only device has the number 0:"),
            more => format!("The devices have the numbers 0 to {}:", more - 1),
        };
        for device in &self.devices {
            text.push_str(&format!("\n  {}: {} ({}, {})", device.index, device.name, device.kind, device.platform));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::LoaderState;

    fn inventory(kinds: &[DeviceKind]) -> Inventory {
        Inventory {
            devices: kinds.iter().enumerate().map(|(i, kind)| DeviceInfo::example(i, *kind)).collect(),
            loader: LoaderState::Loaded { path: None },
            icd_files: Vec::new(),
            platforms: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            variables: Vec::new(),
        }
    }

    #[test]
    fn words_are_read_and_written() {
        for word in ["auto", "none", "cpu", "gpu", "all", "0", "0,2"] {
            assert_eq!(word.parse::<Selection>().unwrap().to_string(), word);
        }
        assert_eq!(" 2, 0,2".parse::<Selection>(), Ok(Selection::Indices(vec![2, 0])));
        for word in ["", "fast", "1,", "-1", "0;1"] {
            let message = word.parse::<Selection>().unwrap_err();
            assert!(message.contains("ocr info"), "{message}");
        }
    }

    #[test]
    fn devices_are_chosen_by_kind() {
        use DeviceKind::{Accelerator, Cpu, Gpu};
        let machine = inventory(&[Cpu, Gpu, Accelerator]);
        assert_eq!(machine.select(&Selection::Auto), Ok(vec![1, 2]));
        assert_eq!(machine.fallback(&Selection::Auto), vec![0]);
        assert_eq!(machine.fallback(&Selection::Gpu), Vec::<usize>::new());
        assert_eq!(machine.select(&Selection::All), Ok(vec![0, 1, 2]));
        assert_eq!(machine.select(&Selection::Cpu), Ok(vec![0]));
        assert_eq!(machine.select(&Selection::None), Ok(vec![]));
        let message = machine.select(&Selection::Indices(vec![0, 7])).unwrap_err();
        assert!(message.starts_with("there is no device 7. The devices have the numbers 0 to 2:\n  0: "), "{message}");
        let message = inventory(&[Cpu]).select(&Selection::Indices(vec![1]));
        let message = message.unwrap_err();
        assert!(message.starts_with("there is no device 1. The only device has the number 0:\n  0: "), "{message}");
    }

    #[test]
    fn nothing_to_choose_is_explained() {
        let machine = inventory(&[DeviceKind::Cpu]);
        let message = machine.select(&Selection::Gpu).unwrap_err();
        assert!(message.starts_with("there is no GPU. The only device has the number 0:\n  0: "), "{message}");
        assert_eq!(machine.select(&Selection::Auto), Ok(vec![]));
    }
}
