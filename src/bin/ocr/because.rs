//! Why one place is faster than the other for a program, by what single EDTs took in each.

use crate::comparison::Row;
use ocr::report::{VariantReport, counted, duration};

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
    Some(format!(
        "One EDT of {} takes {} as a function under cpu, with {}, and {} as a kernel on {} under device.",
        function.template,
        duration(function.mean()),
        counted(cpu.workers as u64, "worker"),
        duration(kernel.mean()),
        kernel.device.as_deref()?
    ))
}
