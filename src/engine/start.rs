//! Starting and ending: from the process's `main` to `mainEdt` and back.

use super::context::Context;
use super::create::{Output, PARAM_DEF, Request};
use super::devices::Devices;
use super::end::{End, FATAL_STATUS, abort, exit_now, fatal};
use super::{Runtime, worker};
use crate::config::{self, Settings};
use crate::object::Objects;
use crate::object::template::TemplateView;
use crate::object::work::{EdtFunction, Work};
use crate::report::tally::Registry;
use crate::report::{Destination, DeviceReport, Report};
use crate::sched::policy;
use crate::sched::queues::{self, Queues};
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

/// Exit status where the settings or the command line are wrong.
pub const USAGE_STATUS: i32 = 2;

/// EDTs run on the workers' stacks; programs put arrays there as they do in `main`. Only what is
/// touched takes memory.
const STACK_BYTES: usize = 16 << 20;

/// Runs an OCR program: its arguments, and its `mainEdt`. Returns the exit status.
pub fn run_program(mut args: Vec<OsString>, main_edt: EdtFunction) -> i32 {
    let settings = match Settings::load(&mut args) {
        Ok((settings, config::Request::Run)) => settings,
        Ok((_, config::Request::Help)) => {
            print!("{}", config::help());
            return 0;
        }
        Ok((_, config::Request::Version)) => {
            println!("ocr {}, OCR API 1.1.0", env!("CARGO_PKG_VERSION"));
            return 0;
        }
        Err(message) => {
            eprintln!("ocr: error: {message}");
            return USAGE_STATUS;
        }
    };
    let started = Instant::now();
    let (queues, locals) = Queues::new(*settings.workers);
    let policy = match policy::parse(&settings.sched) {
        Ok(policy) => policy,
        Err(message) => {
            eprintln!("ocr: error: {message}");
            return USAGE_STATUS;
        }
    };
    let runtime = Box::into_raw(Box::new(Runtime {
        objects: Objects::default(),
        queues,
        policy,
        policy_name: CString::new(settings.sched.as_str()).unwrap_or_default(),
        devices: Devices::default(),
        end: End::default(),
        in_flight: AtomicUsize::new(1),
        registry: Registry::default(),
        settings,
        started,
    }));
    // SAFETY: freed below, when all threads that know it have ended.
    let this: &'static Runtime = unsafe { &*runtime };
    Runtime::install(Some(this));

    let mut threads = Vec::new();
    for local in locals {
        let thread = std::thread::Builder::new()
            .name(format!("ocr-worker-{}", local.index()))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // The panic hook has said what happened. Without this worker the program could
                // wait for ever.
                if catch_unwind(AssertUnwindSafe(|| worker::work(this, local))).is_err() {
                    abort(FATAL_STATUS);
                }
            });
        match thread {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                eprintln!(
                    "ocr: error: worker {} of {} cannot be started: {error}; ask for fewer with \
                     -ocr:workers or OCR_WORKERS",
                    threads.len(),
                    this.queues.workers()
                );
                exit_now(USAGE_STATUS);
            }
        }
    }
    create_main(this, &args, main_edt);
    this.end_outside();

    this.end.wait(|| this.check_halt());
    for thread in threads {
        // A worker that panics aborts the program instead of ending.
        let _ = thread.join();
    }
    this.devices.stop();
    this.report(0);
    Runtime::install(None);
    // A thread of the program may be in a call, or about to end its context. The process ends soon:
    // better to leave the memory than to take it away from under that thread.
    if Runtime::may_be_freed() {
        // SAFETY: workers and managers have ended, no other thread has a context, and none can get
        // one.
        drop(unsafe { Box::from_raw(runtime) });
        queues::reclaim();
    }
    0
}

impl Runtime {
    /// What has been done so far, by whom.
    pub fn summary(&self) -> Report {
        let totals = self.registry.totals();
        let devices = self.devices.in_use().iter().map(|used| {
            let counters = used.counters();
            DeviceReport {
                name: used.info.name.clone(),
                kernels: counters.kernels,
                bytes_in: counters.bytes_to_device,
                bytes_out: counters.bytes_from_device,
                hits: counters.cache_hits,
                evictions: counters.evictions,
            }
        });
        Report {
            policy: self.settings.sched.value.clone(),
            workers: self.queues.workers(),
            seconds: 0.0,
            function_edts: totals.function_edts,
            kernel_edts: totals.kernel_edts,
            devices: devices.collect(),
            notes: self.registry.notes(),
            remarks: self.registry.remarks(),
            status: 0,
        }
    }

    /// Writes the report of a run that ends with this status.
    pub(super) fn report(&self, status: i32) {
        let seconds = self.started.elapsed().as_secs_f64();
        let file = self.settings.report.value.as_deref();
        Report {
            seconds,
            status,
            ..self.summary()
        }
        .write(Destination {
            print: *self.settings.stats,
            file,
        });
    }
}

/// Creates the main EDT, whose only block holds the arguments (OCR 1.1.0, 2.2).
fn create_main(runtime: &'static Runtime, args: &[OsString], main_edt: EdtFunction) {
    let context = Context::enter(runtime, None);
    // SAFETY: this thread's context; nothing else refers to it here.
    let context = unsafe { &mut *context };
    let block = encode_arguments(args);
    let created = context.create_block(block.len() as u64, true);
    let (guid, address) = match created {
        Ok(created) => created,
        Err(error) => fatal(&format!("starting: {error}")),
    };
    // SAFETY: the block is this large, and nobody else knows it.
    unsafe { address.copy_from_nonoverlapping(block.as_ptr(), block.len()) };
    let work = runtime
        .objects
        .works
        .intern(Work::of_function(main_edt, "mainEdt"));
    let view = TemplateView {
        paramc: 0,
        depc: 1,
        work,
    };
    let template = runtime
        .objects
        .templates
        .create(&mut context.caches.templates, view);
    let result = context
        .release_block(guid)
        .ok()
        .zip(template)
        .map(|((), template)| {
            let created = context.create_edt(Request {
                template,
                paramc: PARAM_DEF,
                paramv: std::ptr::null(),
                depc: PARAM_DEF,
                depv: &guid,
                finish: false,
                range: None,
                guid: None,
                output: Output::None,
            });
            runtime
                .objects
                .templates
                .destroy(&mut context.caches.templates, template);
            created
        });
    if !matches!(result, Some(Ok(()))) {
        fatal("starting: the main EDT cannot be created");
    }
    Context::leave();
}

/// argc, argc offsets from the start, then the strings with their ends.
fn encode_arguments(args: &[OsString]) -> Vec<u8> {
    let mut offset = 8 * (args.len() + 1);
    let mut block = (args.len() as u64).to_ne_bytes().to_vec();
    for arg in args {
        block.extend((offset as u64).to_ne_bytes());
        offset += arg.len() + 1;
    }
    for arg in args {
        block.extend(arg.as_bytes());
        block.push(0);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_laid_out_as_the_specification_says() {
        let block = encode_arguments(&["prog".into(), "".into(), "x".into()]);
        let word = |at: usize| u64::from_ne_bytes(block[8 * at..8 * at + 8].try_into().expect("8"));
        assert_eq!(word(0), 3);
        let arg = |at: usize| {
            let start = word(at + 1) as usize;
            let len = block[start..]
                .iter()
                .position(|&byte| byte == 0)
                .expect("an end");
            String::from_utf8(block[start..start + len].to_vec()).expect("text")
        };
        assert_eq!([arg(0), arg(1), arg(2)], ["prog", "", "x"]);
    }
}
