//! Names of devices in texts for the terminal. They are long, so each is written once, and is "the device" or "device
//! 2" elsewhere.

/// The devices of a run, or of several.
pub(crate) struct DeviceNames(Vec<String>);

impl DeviceNames {
    /// Devices with these names, each once, in this order.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> DeviceNames {
        let mut all: Vec<String> = Vec::new();
        for name in names {
            if !name.is_empty() && !all.iter().any(|known| known == name) {
                all.push(name.to_string());
            }
        }
        DeviceNames(all)
    }

    /// What a device is called beside the place where its name is written.
    fn called(&self, index: usize) -> String {
        match self.0.len() {
            1 => "the device".to_string(),
            _ => format!("device {}", index + 1),
        }
    }

    /// What a device is called in a table.
    pub(crate) fn in_table(&self, name: &str) -> String {
        match self.0.iter().position(|known| known == name) {
            Some(_) if self.0.len() == 1 => "device".to_string(),
            Some(index) => self.called(index),
            None => name.to_string(),
        }
    }

    /// The names, each with what it is called where there are several.
    pub(crate) fn told(&self) -> String {
        match &self.0[..] {
            [name] => name.clone(),
            names => {
                let names = names.iter().enumerate();
                let names = names.map(|(index, name)| format!("{name} ({})", self.called(index)));
                names.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Whether there is no device.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text in which each name is replaced by what the device is called.
    pub(crate) fn short(&self, text: &str) -> String {
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        // A name may be a part of a longer one.
        order.sort_by_key(|&index| std::cmp::Reverse(self.0[index].len()));
        let mut text = text.to_string();
        for index in order {
            let (name, called) = (&self.0[index], self.called(index));
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(name.as_str()) {
                let (before, after) = (&rest[..at], &rest[at + name.len()..]);
                let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
                let is_part = is_letter(before.chars().next_back()) || is_letter(after.chars().next());
                out += before;
                if is_part {
                    out += name;
                } else {
                    // "The device NAME" is not to become "the device the device".
                    let begins = ["the device ", "The device ", "device "];
                    let begin = begins.into_iter().find(|begin| out.ends_with(begin));
                    out.truncate(out.len() - begin.map_or(0, str::len));
                    out += if begin == Some("The device ") && self.0.len() == 1 { "The device" } else { &called };
                }
                rest = after;
            }
            text = out + rest;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_told_once() {
        let one = DeviceNames::new(["pthread-x", "pthread-x"]);
        assert_eq!(one.told(), "pthread-x");
        assert_eq!((&*one.in_table("pthread-x"), &*one.in_table("other")), ("device", "other"));
        assert_eq!(
            one.short("EDTs of a on pthread-x, and the device pthread-x (core 1); my-pthread-xy is none."),
            "EDTs of a on the device, and the device (core 1); my-pthread-xy is none."
        );
        assert_eq!(one.short("The device pthread-x waits."), "The device waits.");
        let two = DeviceNames::new(["gpu", "gpu 2"]);
        assert_eq!(two.told(), "gpu (device 1), gpu 2 (device 2)");
        assert_eq!(two.short("on gpu 2, then on gpu"), "on device 2, then on device 1");
        let none = DeviceNames::new([]);
        assert!(none.is_empty() && none.short("a") == "a");
    }
}
