//! What is written is read, and what is wrong is said.

use super::*;

fn example() -> Platform {
    let speed = |latency_ns, bandwidth| LinkSpeed { latency_ns, bandwidth };
    let mut strange = DeviceInfo::example(1, DeviceKind::Gpu);
    strange.name = "a \"b\"\\ \t\u{7f}é".to_string();
    Platform::found(&[
        (DeviceInfo::example(0, DeviceKind::Cpu), None),
        (strange, Some([speed(1500.0, 12e9), speed(2500.5, 6e9)])),
    ])
}

#[test]
#[cfg_attr(miri, ignore = "it asks for the memory of the machine")]
fn what_is_written_is_read() {
    let platform = example();
    let text = platform.text();
    assert_eq!(Platform::parse(&text), Ok(platform.clone()), "{text}");
    assert_eq!(platform.check_host(), Ok(()));
    let link = platform.link(1, Direction::FromDevice).expect("measured");
    assert_eq!((link.latency_ns, link.bandwidth), (2500.5, 6e9));
    assert!(link.source.starts_with("measured 20"), "{}", link.source);
    assert_eq!(platform.link(0, Direction::ToDevice), None);
    assert_eq!(platform.device(1).map(|device| device.kind), Some(UnitKind::Gpu));
    assert_eq!(platform.device(2), None);
}

#[test]
#[cfg_attr(miri, ignore = "it asks for the memory of the machine")]
fn what_is_wrong_is_said() {
    let text = example().text();
    for (right, wrong, message) in [
        ("version = 1\n", "version = 2\n", "it has version 2, and this runtime reads version 1"),
        ("version = 1\n", "", "missing field `version`"),
        ("version = 1\n", "version = [\n", "TOML parse error"),
        ("role = \"Worker\"", "role = \"Slave\"", "unknown variant `Slave`"),
        ("kind = \"GPU\"", "kind = \"TPU\"", "unknown variant `TPU`"),
        ("memory = ", "memory = -", "invalid value"),
        ("max-work-group", "max-workgroup", "unknown field `max-workgroup`"),
        ("index = 1\n", "index = 0\n", "two devices with index 0"),
        ("to = \"device 1\"", "to = \"device 7\"", "there is no unit \"device 7\""),
        ("to = \"device 1\"", "to = \"host\"", "leads nowhere"),
        ("latency-ns = 1500.0", "latency-ns = -1", "latency-ns is -1"),
        ("latency-ns = 1500.0", "latency-ns = nan", "latency-ns is NaN"),
        ("bandwidth = 6000000000.0", "bandwidth = 0", "bandwidth is 0"),
        ("source = \"measured", "source = \"guessed", "source is \"guessed"),
        ("source = \"measured ", "source = \"measured x", "source is \"measured x"),
        ("shares-memory", "#", "missing field `shares-memory`"),
    ] {
        assert!(text.contains(right), "{right}");
        let error = Platform::parse(&text.replacen(right, wrong, 1));
        let error = error.expect_err(message);
        assert!(error.contains(message), "{error}");
    }
    let twice = text.replace("from = \"device 1\"\nto = \"host\"", "from = \"host\"\nto = \"device 1\"");
    let error = Platform::parse(&twice).expect_err("twice");
    assert!(error.contains("is there twice"), "{error}");
    assert!(Platform::parse("").is_err() && Platform::parse(&text[..text.len() / 2]).is_err());
    let given = text.replace(&format!("measured {}", today()), "given");
    assert!(Platform::parse(&given).is_ok());
}

#[test]
#[cfg_attr(miri, ignore = "it asks for the memory of the machine")]
fn another_machine_is_told_from_this_one() {
    let mut platform = example();
    platform.host.compute_units += 1;
    let error = platform.check_host().expect_err("cores");
    assert!(error.contains("cores, and this one has"), "{error}");
    platform.host.compute_units -= 1;
    assert_eq!(platform.check_host(), Ok(()));
    platform.host.name += "x";
    let error = platform.check_host().expect_err("name");
    assert!(error.contains("x\", and this one is \""), "{error}");
    platform.host.name.pop();
    let memory = platform.host.memory;
    platform.host.memory = memory / 2;
    assert_eq!(platform.check_host(), Ok(()));
    for wrong in [0, memory + 1] {
        platform.host.memory = wrong;
        let error = platform.check_host().expect_err("memory");
        assert!(error.contains(&format!("memory = {wrong}; here")), "{error}");
    }
    let mut found = vec![DeviceInfo::example(0, DeviceKind::Cpu), DeviceInfo::example(1, DeviceKind::Gpu)];
    let error = platform.check_devices(&found).expect_err("name");
    assert!(error.contains("device 1 has the name \"device 1\" here"), "{error}");
    found[1].name.clone_from(&platform.devices[1].name);
    assert_eq!(platform.check_devices(&found), Ok(()));
    for wrong in [0, found[0].global_memory + 1] {
        let right = std::mem::replace(&mut platform.devices[0].memory, wrong);
        let error = platform.check_devices(&found).expect_err("memory");
        assert!(error.contains("device 0 has memory = "), "{error}");
        platform.devices[0].memory = right;
    }
    // Not every OpenCL tells it.
    let told = std::mem::replace(&mut found[0].global_memory, 0);
    assert_eq!(platform.check_devices(&found), Ok(()));
    found[0].global_memory = told;
    found[1].kind = DeviceKind::Accelerator;
    let error = platform.check_devices(&found).expect_err("kind");
    assert!(error.contains("has the kind \"accelerator\" here"), "{error}");
    let error = platform.check_devices(&found[..1]).expect_err("missing");
    assert!(error.contains("there is no device 1"), "{error}");
    platform.devices.pop();
    assert_eq!(platform.check_devices(&found), Ok(()));
}

#[test]
fn days_have_dates() {
    for (number, date) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_453, "2025-12-31")] {
        assert_eq!(day(number), date);
        assert!(is_day(date));
    }
    for wrong in ["", "2026-1-01", "2026-13-01", "2026-01-00", "26-01-01", "2026-01-01-", "+026-01-01"] {
        assert!(!is_day(wrong), "{wrong}");
    }
}
