//! The applications among the examples, `seismic` and `cholesky`: right under every policy, with 1, 2 and 8 workers,
//! where devices get copies, and in strict mode. Each compares its result with a serial computation of its own
//! (`--check`).

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether kernels can run; the policies are tried without devices otherwise.
fn devices() -> &'static str {
    if support::is_without_opencl() { "none" } else { "all" }
}

/// A small generator, so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// A folder below `target` for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = root().join("target/application-tests").join(name);
    fs::create_dir_all(&folder).expect("target can be written");
    folder
}

fn example(name: &str) -> PathBuf {
    let program = root().join("build/examples").join(name);
    assert!(program.exists(), "{} is missing: run `make` first", program.display());
    program
}

/// An example with options in one text, and settings such as `OCR_SCHED=device`.
fn command(program: &Path, options: &str, settings: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(options.split_whitespace()).env("OCR_DEVICES", devices());
    for setting in settings {
        let (name, value) = setting.split_once('=').expect("NAME=VALUE");
        command.env(name, value);
    }
    command
}

fn output(program: &Path, options: &str, settings: &[&str]) -> Output {
    let mut command = command(program, options, settings);
    command.output().expect("the program can be started")
}

/// What a run printed that succeeded and found its result to be right.
struct Answer {
    text: String,
    what: String,
}

impl Answer {
    fn of(program: &Path, options: &str, settings: &[&str]) -> Answer {
        let what = format!("{} {options} {settings:?}", program.display());
        let output = output(program, options, settings);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && text.lines().any(|line| line == "check: ok"),
            "{what}: {}\n{text}{errors}",
            output.status
        );
        Answer { text, what }
    }

    fn get(&self, key: &str) -> &str {
        let mut lines = self.text.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("{}: no {key} in\n{}", self.what, self.text))
    }

    fn number(&self, key: &str) -> u64 {
        let value = self.get(key).parse();
        value.unwrap_or_else(|_| panic!("{}: {key} in\n{}", self.what, self.text))
    }
}

const POLICIES: [&str; 5] = ["cpu", "device", "eager", "static:1:1", "eft"];
const WORKERS: [&str; 3] = ["1", "2", "8"];

/// Runs a program under every policy: with 1, 2 and 8 workers, and, with one of these numbers each, where devices get
/// copies, and in strict mode. Passes each answer to `look`, with the policy.
fn in_every_way(program: &Path, options: &str, mut look: impl FnMut(&Answer, &str)) {
    for (at, policy) in POLICIES.into_iter().enumerate() {
        let policy_setting = format!("OCR_SCHED={policy}");
        let mut run = |workers: &str, kind: &[&str]| {
            let workers_setting = format!("OCR_WORKERS={workers}");
            let settings = [kind, &[&policy_setting, &workers_setting]].concat();
            look(&Answer::of(program, options, &settings), policy);
        };
        for workers in WORKERS {
            run(workers, &[]);
        }
        run(WORKERS[at % 3], &["OCR_DEVICE_FORCE_COPIES=1"]);
        run(WORKERS[(at + 1) % 3], &["OCR_CHECK=leaks"]);
    }
}

/// Whether EDTs ran where this policy has them run, if there are devices.
fn placed(answer: &Answer, policy: &str) {
    let kernels = answer.number("kernel_edts");
    match policy {
        _ if devices() == "none" => assert_eq!(kernels, 0, "{}", answer.what),
        "cpu" => assert_eq!(kernels, 0, "{}", answer.what),
        "eager" | "eft" => {}
        _ => assert!(kernels > 0, "{}: no kernels", answer.what),
    }
}

/// Runs with these options end with status 1 and a message that has these words.
fn refused(program: &Path, cases: &[(&str, &str)]) {
    for (options, says) in cases {
        let output = output(program, options, &["OCR_DEVICES=none"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{options}: {errors}");
        assert!(output.stdout.is_empty(), "{options}");
        assert!(errors.contains(says), "{options}: {errors}");
    }
}

fn output_is_written(program: &Path, options: &[&str]) {
    for options in options {
        let full = fs::File::options().write(true).open("/dev/full");
        let output = command(program, options, &["OCR_DEVICES=none"])
            .stdout(full.expect("there is a /dev/full"))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(|child| child.wait_with_output())
            .expect("the program can be started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("the output cannot be written: No space left"), "{errors}");
    }
}

/// A copy of an example, and of its kernels beside it, in which those for GPUs are for every device, and no others are.
fn with_gpu_kernels(name: &str) -> (PathBuf, PathBuf) {
    let folder = folder(&format!("{name}-gpu"));
    let read = |name: String| fs::read_to_string(root().join(name)).expect("it is in the tree");
    let replaced = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "nothing is {from}");
        text.replace(from, to)
    };
    let kernels = read(format!("kernels/{name}.cl"));
    let kernels = replaced(kernels, "#ifndef OCR_DEVICE_CPU", "#if 1");
    fs::write(folder.join(format!("{name}.cl")), kernels).expect("target can be written");
    let source = read(format!("examples/{name}.c"));
    let source = replaced(source, "\"-ocr-device=gpu", "\"");
    let source = replaced(source, "\"-ocr-device=cpu", "\"-ocr-device=gpu");
    let source_file = folder.join(format!("{name}.c"));
    fs::write(&source_file, source).expect("target can be written");
    let program = folder.join(name);
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O2", "-Iinclude", "-Iexamples", "-o"])
        .args([&program, &source_file])
        .args(["build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
        .current_dir(root())
        .status();
    assert!(built.expect("there is a C compiler").success());
    (program, folder)
}

// ---- seismic
// ---------------------------------------------------------------------------------------------------------

#[test]
fn seismic_in_every_way() {
    let options = "--width 70 --height 45 --iterations 120 --bands 6 --window 9 --check";
    let mut checksum = None;
    in_every_way(&example("seismic"), options, |answer, policy| {
        placed(answer, policy);
        assert_eq!(answer.get("largest_difference"), "0", "{}", answer.what);
        let sum = answer.number("checksum");
        assert_eq!(*checksum.get_or_insert(sum), sum, "{}", answer.what);
        let edts = answer.number("function_edts") + answer.number("kernel_edts");
        assert!(edts >= 6 * 120 * 2, "{}: {edts} EDTs", answer.what);
    });
}

#[test]
fn seismic_of_many_shapes() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let sides = [1, 2, 15, 16, 17, 33, 64, 130, 255];
    let mut shapes = String::new();
    for _ in 0..20 {
        let (width, height) = (random.one_of(&sides), random.one_of(&sides));
        let iterations = random.one_of(&[1, 2, 3, 10, 90]);
        let window = random.one_of(&[1, 2, 3, 4, 100]);
        let cut = random.one_of(&["--bands=1", "--bands 3", "--band-rows 1", "--band-rows=7", ""]);
        shapes.clear();
        write!(shapes, "--width {width} --height {height} --iterations {iterations} --window {window} {cut}")
            .expect("it is a String");
        let policy = format!("OCR_SCHED={}", random.one_of(&POLICIES));
        let workers = format!("OCR_WORKERS={}", random.one_of(&WORKERS));
        let options = format!("{shapes} --check");
        let answer = Answer::of(&example("seismic"), &options, &[&policy, &workers]);
        assert_eq!(answer.get("largest_difference"), "0", "{}", answer.what);
    }
}

#[test]
fn seismic_with_kernels_for_gpus() {
    if devices() == "none" {
        return;
    }
    let (program, kernels) = with_gpu_kernels("seismic");
    let kernels = format!("OCR_KERNELS={}", kernels.display());
    for options in [
        "--width 70 --height 45 --iterations 120 --bands 6",
        "--width 300 --height 4 --iterations 90 --band-rows 1",
        "--width 128 --height 31 --iterations 90 --bands 1",
    ] {
        let options = format!("{options} --check");
        let answer = Answer::of(&program, &options, &["OCR_SCHED=device", &kernels]);
        placed(&answer, "device");
        assert_eq!(answer.get("largest_difference"), "0", "{}", answer.what);
    }
}

/// Bands that stay where they are exchange edge rows, and nothing else.
#[test]
fn seismic_moves_edge_rows_alone() {
    if devices() == "none" {
        return;
    }
    let (iterations, stride) = (100, 112);
    for bands in [1, 3] {
        let options =
            format!("--width 100 --height 120 --iterations {iterations} --bands 6 --device-bands {bands} --check");
        let settings = ["OCR_DEVICE_FORCE_COPIES=1"];
        let answer = Answer::of(&example("seismic"), &options, &settings);
        assert_eq!(answer.number("kernel_edts"), 2 * bands * iterations);
        // An edge row for each iteration; once, the bands (of 20 rows) with the edge rows that they are given.
        let row = stride * 4;
        let once = bands * (2 * 3 * 20 + 4) * row;
        let to_devices = answer.number("bytes_to_devices");
        assert!(to_devices <= iterations * row + once, "{}", answer.text);
        // The fields once, when they are compared.
        let from_devices = answer.number("bytes_from_devices");
        assert!(from_devices <= (iterations + 1) * row + once, "{}", answer.text);
        assert!(to_devices >= iterations * row, "{}", answer.text);
    }
}

/// A check that finds nothing would be none.
#[test]
fn seismic_notices_a_wrong_kernel() {
    if devices() == "none" {
        return;
    }
    let kernels = folder("seismic-wrong");
    let text = fs::read_to_string(root().join("kernels/seismic.cl")).expect("it is in the tree");
    let wrong = text.replace("row + 1 < rows ? v + stride : below", "row + 1 < rows ? v + stride : v");
    assert_ne!(text, wrong);
    fs::write(kernels.join("seismic.cl"), wrong).expect("target can be written");
    let kernels = format!("OCR_KERNELS={}", kernels.display());
    let options = "--width 50 --height 40 --iterations 80 --bands 4 --check";
    let output = output(&example("seismic"), options, &["OCR_SCHED=device", &kernels]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("differs from the serial computation"), "{errors}");
}

/// A picture as a library reads it: width, height, and the three bytes of each pixel. It looks at all checksums.
fn picture(file: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let stream = fs::File::open(file).expect("the picture was written");
    let mut decoder = png::Decoder::new(std::io::BufReader::new(stream));
    decoder.ignore_checksums(false);
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits into memory")];
    let info = reader.next_frame(&mut bytes).expect("a whole picture");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    assert_eq!(info.bit_depth, png::BitDepth::Eight);
    reader.finish().expect("it ends as it should");
    let pixels = bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    (info.width, info.height, pixels)
}

#[test]
fn seismic_writes_pictures() {
    let folder = folder("seismic-png");
    for (width, height) in [(1, 1), (90, 60), (300, 400), (21845, 3)] {
        let file = folder.join(format!("{width}x{height}.png"));
        let options = format!("--width {width} --height {height} --iterations 1 --check --png={}", file.display());
        Answer::of(&example("seismic"), &options, &["OCR_SCHED=cpu"]);
        let (found_width, found_height, pixels) = picture(&file);
        assert_eq!((found_width, found_height), (width, height));
        // After one iteration the source moves, and nothing else.
        let source = (height / 10) * width + width / 3;
        for (at, [red, green, blue]) in pixels.into_iter().enumerate() {
            let is_grey = red == green && green == blue;
            let is_source = at == source as usize;
            assert_eq!(!is_grey, is_source, "pixel {at} of {width}x{height}");
        }
    }
}

#[test]
fn seismic_refuses_bad_options() {
    let program = example("seismic");
    refused(
        &program,
        &[
            ("--width 0", "--width 0: give a whole number from 1 to 32768"),
            ("--height 32769", "--height 32769"),
            ("--height", "--height (nothing)"),
            ("--iterations 1e3", "--iterations 1e3"),
            ("--iterations=-1", "--iterations -1"),
            ("--bands 99999999999999999999", "--bands 99999999999999999999"),
            ("--bands 2 --band-rows 3", "give one of them"),
            ("--window 0", "--window 0"),
            ("--png", "--png (nothing): give the name of a file"),
            ("--frames 3", "--frames is no option"),
            ("grid", "grid is no option"),
            ("--device-bands 1", "there is no OpenCL device"),
        ],
    );
    for file in ["/nonexistent/wave.png", "/dev/full"] {
        let options = format!("--width 300 --height 300 --iterations 1 --png {file}");
        let output = output(&program, &options, &["OCR_DEVICES=none"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let says = format!("--png {file} cannot be written: No s"); // such file, space left
        assert!(errors.contains(&says), "{errors}");
    }
    output_is_written(&program, &["--width 9 --height 9 --iterations 9", "--help"]);
}

// ---- cholesky
// --------------------------------------------------------------------------------------------------------

#[test]
fn cholesky_in_every_way() {
    // More tiles in a row than steps that are created at the start, and a last tile that is not full.
    let options = "--size 340 --tile 32 --check";
    let mut determinant: Option<String> = None;
    in_every_way(&example("cholesky"), options, |answer, policy| {
        placed(answer, policy);
        let found = answer.get("log_determinant");
        let first = determinant.get_or_insert_with(|| found.to_string());
        assert_eq!(first, found, "{}", answer.what);
        // potrf, trsm, syrk and gemm of 11 tiles in a row.
        let edts = answer.number("function_edts") + answer.number("kernel_edts");
        assert!(edts >= 11 * 12 * 13 / 6, "{}: {edts} EDTs", answer.what);
    });
}

#[test]
fn cholesky_of_many_sizes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20 {
        let size = random.one_of(&[1, 2, 31, 32, 33, 100, 256, 257, 300]);
        let tile = random.one_of(&[1, 32, 33, 64, 96, 512]);
        let precision = random.one_of(&["double", "float"]);
        let seed = random.below(1000);
        let policy = format!("OCR_SCHED={}", random.one_of(&POLICIES));
        let workers = format!("OCR_WORKERS={}", random.one_of(&WORKERS));
        let form = format!("TILE_FORM={}", random.one_of(&["portable", "avx2", "all"]));
        let options = format!("--size {size} --tile {tile} --precision={precision} --seed {seed} --check");
        let answer = Answer::of(&example("cholesky"), &options, &[&policy, &workers, &form]);
        let residual: f64 = answer.get("residual").parse().expect("a number");
        assert!(residual < 1.0, "{}: {residual}", answer.what);
    }
}

#[test]
fn cholesky_with_kernels_for_gpus() {
    if devices() == "none" {
        return;
    }
    let (program, kernels) = with_gpu_kernels("cholesky");
    let kernels = format!("OCR_KERNELS={}", kernels.display());
    for (size, tile, precision) in [(150, 32, "double"), (200, 96, "float"), (520, 512, "double")] {
        let options = format!("--size {size} --tile {tile} --precision {precision} --check");
        let answer = Answer::of(&program, &options, &["OCR_SCHED=device", &kernels]);
        placed(&answer, "device");
        let residual: f64 = answer.get("residual").parse().expect("a number");
        assert!(residual < 1.0, "{}: {residual}", answer.what);
    }
}

#[test]
fn cholesky_notices_a_wrong_kernel() {
    if devices() == "none" {
        return;
    }
    let kernels = folder("cholesky-wrong");
    let text = fs::read_to_string(root().join("kernels/cholesky.cl")).expect("it is in the tree");
    // One block of one tile in float precision, where double is asked for.
    let wrong = text.replace("s13 = fma(lower, (real8)(b[3]), s13);", "s13 = fma(lower, (real8)((float)b[3]), s13);");
    assert_ne!(text, wrong);
    fs::write(kernels.join("cholesky.cl"), wrong).expect("target can be written");
    let kernels = format!("OCR_KERNELS={}", kernels.display());
    let options = "--size 200 --tile 64 --check";
    let output = output(&example("cholesky"), options, &["OCR_SCHED=device", &kernels]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("--check: the residual"), "{errors}");
}

/// A device that has no double precision, as the kernel's source says to the compiler.
#[test]
fn cholesky_goes_on_where_kernels_lack_double_precision() {
    if devices() == "none" {
        return;
    }
    let kernels = folder("cholesky-single");
    let text = fs::read_to_string(root().join("kernels/cholesky.cl")).expect("it is in the tree");
    let without = format!("#undef cl_khr_fp64\n#undef __opencl_c_fp64\n{text}");
    fs::write(kernels.join("cholesky.cl"), without).expect("target can be written");
    let kernels = format!("OCR_KERNELS={}", kernels.display());
    let settings = ["OCR_SCHED=device", &kernels];
    let doubles = output(&example("cholesky"), "--size 100 --tile 32 --check", &settings);
    let errors = String::from_utf8_lossy(&doubles.stderr);
    let text = String::from_utf8_lossy(&doubles.stdout);
    assert!(doubles.status.success(), "{errors}");
    assert!(errors.contains("run cholesky with --precision float"), "{errors}");
    assert!(text.contains("kernel_edts: 0") && text.contains("check: ok"), "{text}");
    let options = "--size 100 --tile 32 --check --precision float";
    placed(&Answer::of(&example("cholesky"), options, &settings), "device");
}

/// A library with the names of CBLAS that computes by plain loops: it stands for any that is installed.
const BLAS: &str = r"
static int threads;
void openblas_set_num_threads(int n) { threads = n; }
#define GEMM(x, real) \
    void cblas_##x##gemm(int order, int ta, int tb, int m, int n, int k, real alpha, const real *a, int lda, \
                         const real *b, int ldb, real beta, real *c, int ldc) { \
        if (order != 102 || ta != 111 || tb != 112 || threads != 1) return; \
        for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { \
            real sum = 0; \
            for (int l = 0; l < k; l++) sum += a[i + l * lda] * b[j + l * ldb]; \
            c[i + j * ldc] = beta * c[i + j * ldc] + alpha * sum; \
        } \
    }
#define SYRK(x, real) \
    void cblas_##x##syrk(int order, int uplo, int t, int n, int k, real alpha, const real *a, int lda, real beta, \
                         real *c, int ldc) { \
        if (order != 102 || uplo != 122 || t != 111) return; \
        for (int j = 0; j < n; j++) for (int i = j; i < n; i++) { \
            real sum = 0; \
            for (int l = 0; l < k; l++) sum += a[i + l * lda] * a[j + l * lda]; \
            c[i + j * ldc] = beta * c[i + j * ldc] + alpha * sum; \
        } \
    }
#define TRSM(x, real) \
    void cblas_##x##trsm(int order, int side, int uplo, int t, int diag, int m, int n, real alpha, const real *a, \
                         int lda, real *b, int ldb) { \
        if (order != 102 || side != 142 || uplo != 122 || t != 112 || diag != 131 || alpha != 1) return; \
        for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { \
            real rest = b[i + j * ldb]; \
            for (int l = 0; l < j; l++) rest -= b[i + l * ldb] * a[j + l * lda]; \
            b[i + j * ldb] = rest / a[j + j * lda]; \
        } \
    }
GEMM(d, double) GEMM(s, float) SYRK(d, double) SYRK(s, float) TRSM(d, double) TRSM(s, float)
";

#[test]
fn cholesky_takes_functions_of_a_blas() {
    let folder = folder("cholesky-blas");
    let (source, library) = (folder.join("blas.c"), folder.join("libblas.so"));
    fs::write(&source, BLAS).expect("target can be written");
    let built =
        support::compiler("CC", "cc").args(["-O2", "-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(built.expect("there is a C compiler").success());
    for precision in ["double", "float"] {
        let options = format!("--size 200 --tile 64 --check --precision {precision} --blas={}", library.display());
        let answer = Answer::of(&example("cholesky"), &options, &["OCR_SCHED=cpu"]);
        assert_eq!(Path::new(answer.get("functions")), library);
    }
}

#[test]
fn cholesky_refuses_bad_options() {
    let program = example("cholesky");
    refused(
        &program,
        &[
            ("--size 0", "--size 0: give a whole number from 1 to 65536"),
            ("--size", "--size (nothing)"),
            ("--tile 5000", "--tile 5000"),
            ("--tile ten", "--tile ten"),
            ("--size 60000 --tile 64", "512 is the most, so give at least 118"),
            ("--seed -3", "--seed -3"),
            ("--precision half", "--precision half: give double or float"),
            ("--precision", "--precision (nothing)"),
            ("--blas=/nonexistent.so", "/nonexistent.so"),
            ("--blas=libm.so.6", "it has no cblas_dgemm"),
            ("--sise 3", "--sise is no option"),
            ("matrix", "matrix is no option"),
        ],
    );
    output_is_written(&program, &["--size 9", "--help"]);
}
