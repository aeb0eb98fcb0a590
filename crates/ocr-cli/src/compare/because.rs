//! Why one place is faster than the other for a program, by what single EDTs took in each.

use crate::compare::row::Row;
use ocr::report::VariantReport;
use ocr_analysis::diagnosis::Facts;
use ocr_base::text::{counted, duration};

/// How many times the time of a kernel by the device's clock its time by the host's clock must be, to be explained.
const APART: f64 = 1.5;

/// A sentence on the template on which the runs spent most time. It says what one of its EDTs took as a function under
/// the policy `cpu`, and as a kernel under `device`. None where these two policies have not run.
pub(crate) fn because(rows: &[Row]) -> Option<String> {
    let middle = |policy: &str| {
        let row = rows.iter().find(|row| row.policy == policy)?;
        Some(&row.middle()?.report)
    };
    let (cpu, device) = (middle("cpu")?, middle("device")?);
    let functions = cpu.variants.iter().filter(|one| one.device.is_none());
    let pairs = functions.filter_map(|function| {
        let mut kernels = device.variants.iter();
        let kernel = kernels.find(|one| one.template == function.template && one.device.is_some());
        Some((function, kernel?))
    });
    let spent = |(function, kernel): &(&VariantReport, &VariantReport)| {
        let most = function.seconds.max(kernel.seconds);
        // The times are not negative, so their bits have the order of the times.
        most.to_bits()
    };
    let (function, kernel) = pairs.max_by_key(spent)?;
    let text = format!(
        "One EDT of {} takes {} as a function under cpu, with {}, and {} as a kernel on {} under device.",
        function.template,
        duration(function.mean()),
        counted(cpu.workers as u64, "worker"),
        duration(kernel.mean()),
        kernel.device.as_deref()?
    );
    let recorded = rows.iter().find(|row| row.policy == "device");
    let recorded = recorded.and_then(|row| row.facts.as_ref());
    let apart = recorded.and_then(|facts| apart(facts, kernel));
    Some(text + &apart.unwrap_or_default())
}

/// A sentence on what a kernel took by the device's clock. None if that is about what it took by the host's, which the
/// report has, or if it was not recorded.
fn apart(facts: &Facts, kernel: &VariantReport) -> Option<String> {
    let mut variants = facts.variants.iter();
    let its = variants.find(|its| its.place != 0 && its.name == kernel.template)?;
    let took = its.mean() / 1e9;
    (kernel.mean() > APART * took).then(|| {
        format!(
            " By the device's clock the kernel took {} in the recorded run: the rest passed before it began, and until its end \
             was seen.",
            duration(took)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ocr_analysis::diagnosis::{IdleTimes, Variant};

    #[test]
    fn what_a_kernel_takes_until_its_end_is_seen_is_told() {
        let its = |place| Variant { template: 0, name: "tile".into(), place, edts: 10, ns: 10_000_000 };
        let facts = |place| Facts {
            seconds: 0.1,
            score: None,
            times: IdleTimes::default(),
            moved: Default::default(),
            variants: vec![its(place)],
            findings: Vec::new(),
        };
        let kernel = |seconds| VariantReport { template: "tile".into(), device: Some("gpu".into()), edts: 10, seconds };
        let said = apart(&facts(1), &kernel(0.05)).expect("5 ms are more than 1 ms");
        assert!(said.starts_with(" By the device's clock the kernel took 1.00 ms in"));
        assert_eq!(apart(&facts(1), &kernel(0.012)), None);
        // The template has run on no device in the recorded run.
        assert_eq!(apart(&facts(0), &kernel(0.05)), None);
    }
}
