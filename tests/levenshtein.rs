//! The main job against an independent implementation: `examples/levenshtein.c` on sequences of many
//! shapes, under every policy, with tiles that fit and tiles that do not.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn program() -> PathBuf {
    let program = root().join("build/examples/levenshtein");
    assert!(program.exists(), "{} is missing: run `make` first", program.display());
    program
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

    fn text(&mut self, length: u64, letters: u64) -> Vec<u8> {
        // Not '>', which would make it FASTA.
        let text = (0..length).map(|_| (b'?' as u64 + self.below(letters)) as u8);
        text.collect()
    }

    /// Some letters changed, dropped and added.
    fn mutated(&mut self, text: &[u8], letters: u64) -> Vec<u8> {
        let mut text = text.to_vec();
        for _ in 0..self.below(40) {
            let at = self.below(text.len() as u64 + 1) as usize;
            let letter = self.text(1, letters)[0];
            match self.below(3) {
                0 => text.insert(at, letter),
                1 if at < text.len() => drop(text.remove(at)),
                _ if at < text.len() => text[at] = letter,
                _ => text.push(letter),
            }
        }
        text
    }
}

/// One row of the matrix, from the textbook.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Files {
        let folder = root().join("target/levenshtein-tests").join(name);
        std::fs::create_dir_all(&folder).expect("target can be written");
        Files(folder)
    }

    fn put(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("target can be written");
        path
    }
}

fn command(options: &[&str], policy: &str, workers: &str, files: [&Path; 2]) -> Command {
    command_of(&program(), options, policy, workers, files)
}

fn command_of(program: &Path, options: &[&str], policy: &str, workers: &str, files: [&Path; 2]) -> Command {
    let mut command = Command::new(program);
    command
        .args(options)
        .arg("--quiet")
        .args(files)
        .env("OCR_SCHED", policy)
        // No test writes to the cache of the user.
        .env("OCR_MODELS", "off")
        .env("OCR_WORKERS", workers)
        .env("OCR_DEVICES", devices());
    command
}

fn run(options: &[&str], policy: &str, workers: &str, files: [&Path; 2]) -> Output {
    let mut command = command(options, policy, workers, files);
    command.output().expect("the program can be started")
}

fn expect(output: &Output, wanted: usize, what: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {}\n{errors}", output.status);
    assert_eq!(text.lines().next(), Some(&*format!("distance: {wanted}")), "{what}\n{errors}");
}

const POLICIES: [&str; 6] = ["cpu", "device", "static:1:1", "static:2:1", "eager", "eft"];

/// Sweeps of full vectors, of some lanes of one, and of single words, in all forms that this CPU has: of the
/// last rows of a tile, and of a whole tile that another takes its upper boundary from.
#[test]
fn every_number_of_words_of_rows() {
    let files = Files::new("words");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for form in ["portable", "avx2", "avx512"] {
        for words in 1..=36 {
            let part = 64 * words - random.below(64);
            let more = 64 * words + 1 + random.below(64 * words);
            for (tile, rows) in [(4096, part), (64 * words, more)] {
                let letters = [3, 12, 60][random.below(3) as usize];
                let columns = 1 + random.below(300);
                let a = random.text(rows, letters);
                let b = random.text(columns, letters);
                let (left, right) = (files.put("a", &a), files.put("b", &b));
                let output = command(&["--tile", &tile.to_string()], "cpu", "1", [&left, &right])
                    .env("EDIT_DISTANCE_FORM", form)
                    .output()
                    .expect("the program can be started");
                let what = format!("{form}, {rows} x {columns} of {letters}, --tile {tile}");
                expect(&output, distance(&a, &b), &what);
            }
        }
    }
}

/// Kernels sweep as many rows and columns at once as there are; each size has its own loop.
#[test]
fn kernels_on_tiles_of_many_sizes() {
    let files = Files::new("kernels");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let sizes = [
        ("512", 1100, 1050),
        ("576", 1200, 700),
        ("1024", 2500, 1090),
        ("1600", 1650, 3000),
        ("4096", 4500, 2100),
        ("8192", 3000, 5000),
    ];
    for letters in [2, 4, 20, 190] {
        for (tile, rows, columns) in sizes {
            let a = random.text(rows, letters);
            let b = random.text(columns, letters);
            let (left, right) = (files.put("a", &a), files.put("b", &b));
            let output = run(&["--tile", tile], "device", "2", [&left, &right]);
            let what = format!("{rows} x {columns} of {letters}, --tile {tile}");
            expect(&output, distance(&a, &b), &what);
        }
    }
}

/// A copy of the example, and of its kernels beside it, in which those for GPUs are for every device, and no
/// others are.
fn program_of_gpu_kernels(files: &Files) -> PathBuf {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("it is in the tree");
    let replaced = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "nothing is \"{from}\"");
        text.replace(from, to)
    };
    let kernels = read("kernels/levenshtein.cl");
    let kernels = replaced(kernels, "#ifndef OCR_DEVICE_CPU", "#if 1");
    files.put("levenshtein.cl", kernels.as_bytes());
    let source = read("examples/levenshtein.c");
    let source = replaced(source, "\"-ocr-device=gpu ", "\"");
    let source = replaced(source, "\"-ocr-device=cpu ", "\"-ocr-device=gpu ");
    let source = files.put("levenshtein.c", source.as_bytes());
    let program = files.0.join("levenshtein");
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O2", "-Iinclude", "-Iexamples", "-o"])
        .args([&program, &source])
        .args(["build/obj/common/edit-distance.o", "build/lib/libocr.a"])
        .args(["-lpthread", "-lm", "-ldl"])
        .current_dir(root())
        .status();
    assert!(built.expect("there is a C compiler").success());
    program
}

#[test]
fn kernels_for_gpus() {
    if devices() == "none" {
        return;
    }
    let files = Files::new("gpu");
    let program = program_of_gpu_kernels(&files);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let sizes = [
        ("bits", "64", 300, 410),
        ("bits", "512", 1100, 1050),
        ("bits", "1000", 2500, 900),
        ("dp", "64", 130, 200),
        ("dp", "300", 700, 650),
    ];
    for letters in [4, 190] {
        for (method, tile, rows, columns) in sizes {
            let a = random.text(rows, letters);
            let b = random.text(columns, letters);
            let (left, right) = (files.put("a", &a), files.put("b", &b));
            let options = ["--quiet", "--tile", tile, "--method", method];
            let output = Command::new(&program)
                .args(options)
                .args([&left, &right])
                .env("OCR_SCHED", "device")
                .env("OCR_DEVICES", "cpu")
                .env("OCR_KERNELS", &files.0)
                .env("OCR_MODELS", "off")
                .output()
                .expect("the program can be started");
            let what = format!("{method}, {rows} x {columns} of {letters}, --tile {tile}");
            expect(&output, distance(&a, &b), &what);
            let text = String::from_utf8_lossy(&output.stdout);
            let kernels = text.lines().find_map(|line| line.strip_prefix("kernel_edts: "));
            assert_ne!(kernels.unwrap_or("0"), "0", "{what}: {text}");
        }
    }
}

/// All bits of all boundaries, those too that no tile reads, with rows that end within a vector of words, and
/// within a word; of the kernels for CPU devices and of those for GPUs.
#[test]
fn kernels_leave_what_functions_do() {
    if devices() == "none" {
        return;
    }
    let files = Files::new("redundant");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let gpu = program_of_gpu_kernels(&files);
    let (cpu, kernels) = (program(), root().join("kernels"));
    let redundant = |program: &Path, kernels: &Path, options: &[&str], files: [&Path; 2]| {
        let mut command = command_of(program, options, "eft", "2", files);
        command.env("OCR_REDUNDANT", "2").env("OCR_KERNELS", kernels);
        command.output().expect("the program can be started")
    };
    let sizes = [
        ("bits", "64", 300, 410),
        ("bits", "512", 1100, 1050),
        ("bits", "2048", 2600, 1090),
        ("bits", "4096", 4500, 2100),
        ("dp", "64", 130, 200),
        ("dp", "300", 700, 650),
    ];
    for letters in [4, 190] {
        for (method, tile, rows, columns) in sizes {
            let a = random.text(rows, letters);
            let b = random.text(columns, letters);
            let (left, right) = (files.put("a", &a), files.put("b", &b));
            for (program, kernels) in [(&cpu, &kernels), (&gpu, &files.0)] {
                let output = redundant(program, kernels, &["--tile", tile, "--method", method], [&left, &right]);
                let what = format!("{}: {method}, {rows} x {columns} of {letters}, --tile {tile}", program.display());
                expect(&output, distance(&a, &b), &what);
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(errors.contains("as a kernel: all left the same"), "{what}: {errors}");
            }
        }
    }
    // The function of a block leaves its tiles to others.
    let (left, right) = (files.put("a", &random.text(900, 4)), files.put("b", &random.text(700, 4)));
    let output = redundant(&cpu, &kernels, &["--tile", "64", "--block", "512"], [&left, &right]);
    let errors = String::from_utf8_lossy(&output.stderr);
    let says = "no EDT of \"blockBits\" was compared; 4 were not compared, since the function leaves work to EDTs that it creates";
    assert!(output.status.success() && errors.contains(says), "{errors}");
}

#[test]
fn sequences_of_many_shapes() {
    let files = Files::new("shapes");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let lengths = [0, 1, 2, 63, 64, 65, 127, 500, 1023, 1024, 1025, 3000];
    let tiles = ["1", "64", "100", "256", "1000", "4096"];
    for case in 0..100 {
        let length = |random: &mut Random| lengths[random.below(lengths.len() as u64) as usize];
        let letters = [2, 4, 20, 190][random.below(4) as usize];
        let a_length = length(&mut random);
        let a = random.text(a_length, letters);
        let b = match random.below(2) {
            0 => random.mutated(&a, letters),
            _ => {
                let b_length = length(&mut random);
                random.text(b_length, letters)
            }
        };
        let tile = tiles[random.below(tiles.len() as u64) as usize];
        let block = ["", "1", "200", "700", "5000"][random.below(5) as usize];
        let method = ["bits", "dp"][random.below(2) as usize];
        let policy = POLICIES[random.below(POLICIES.len() as u64) as usize];
        let workers = ["1", "2", "8"][random.below(3) as usize];
        let (left, right) = (files.put("a", &a), files.put("b", &b));
        let what = format!(
            "case {case}: {} x {} of {letters}, --tile {tile} --block {block} --method {method}, {policy}, \
             {workers} workers",
            a.len(),
            b.len()
        );
        let options = ["--tile", tile, "--method", method, "--block", block];
        let given = options.len() - if block.is_empty() { 2 } else { 0 };
        let output = run(&options[..given], policy, workers, [&left, &right]);
        expect(&output, distance(&a, &b), &what);
    }
}

#[test]
fn two_genomes_under_every_policy() {
    let data = root().join("examples/data");
    let (human, orangutan) = (data.join("human-mt.fa"), data.join("orangutan-mt.fa"));
    for policy in POLICIES {
        let output = run(&[], policy, "2", [&human, &orangutan]);
        expect(&output, 3315, policy);
    }
}

#[test]
fn fasta_and_plain_bytes_are_read_as_they_are() {
    let files = Files::new("formats");
    let fasta = files.put("a.fa", b">one\nACGT\nAC\n>two\nGT\n");
    let plain = files.put("plain", b"ACGTACGT");
    expect(&run(&[], "cpu", "2", [&fasta, &plain]), 0, "headers dropped, lines joined");
    let lower = files.put("lower", b"acgtACGT");
    expect(&run(&[], "cpu", "2", [&lower, &plain]), 4, "letters compared as they stand");
    let bytes: Vec<u8> = (0..=255).collect();
    let all = files.put("all", &bytes);
    let turned: Vec<u8> = bytes.iter().rev().copied().collect();
    let reverse = files.put("reverse", &turned);
    let wanted = distance(&bytes, &turned);
    expect(&run(&["--check"], "cpu", "2", [&all, &reverse]), wanted, "any byte values");
    let empty = files.put("empty", b"");
    expect(&run(&[], "cpu", "2", [&empty, &plain]), 8, "nothing against eight letters");
    expect(&run(&[], "eager", "2", [&empty, &empty]), 0, "nothing against nothing");
}

/// What the example says to these options and files, on CPU cores alone.
fn answer(options: &[&str], files: [&Path; 2]) -> (Option<i32>, String, String) {
    let output =
        command(options, "cpu", "1", files).env("OCR_DEVICES", "none").output().expect("the program can be started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The same sequence however a text editor, another system or a tool writes it.
#[test]
fn a_sequence_is_read_whatever_the_file_looks_like() {
    const ROW: &str = "ACGTTGCAACGTTGCAACGTNGCA";
    let files = Files::new("forms");
    let text = format!(">one\n{ROW}\n{ROW}\n");
    let plain = files.put("plain.fa", text.as_bytes());
    let with = |from: &str, to: &str| text.replace(from, to).into_bytes();
    let forms = [
        ("crlf", with("\n", "\r\n"), "FASTA", 1),
        ("cr", with("\n", "\r"), "FASTA", 1),
        ("mark", with(">", "\u{feff}>"), "FASTA", 1),
        ("joined", format!("\u{feff}>a\n{ROW}\n\u{feff}>b\n{ROW}").into_bytes(), "FASTA", 2),
        ("cr-and-lf", format!(">a\r{ROW}\r>b\n{ROW}\n").into_bytes(), "FASTA", 2),
        ("empty-lines", with(">", "\n\r\n \t\n>"), "FASTA", 1),
        ("comment", with(">", ";note\n;and more\n>"), "FASTA", 1),
        ("old", with(">one", ";one\n;of 1990"), "FASTA", 0),
        ("comment-within", with("GCA\n", "GCA\n; half of it\n"), "FASTA", 1),
        ("blanks", with("\n", " \t \n"), "FASTA", 1),
        ("groups", with("ACGTTGCA", " ACGT TGCA"), "FASTA", 1),
        ("one-line", format!(">one\n{ROW}{ROW}").into_bytes(), "FASTA", 1),
        ("no-header", format!("{ROW}\r\n{ROW} \n").into_bytes(), "letters", 0),
    ];
    for (name, bytes, form, records) in forms {
        let file = files.put(name, &bytes);
        for pair in [[&*file, &*plain], [&plain, &file]] {
            let (status, stdout, stderr) = answer(&[], pair);
            assert_eq!(status, Some(0), "{name}: {stderr}");
            assert!(stdout.starts_with("distance: 0\n"), "{name}: {stdout}{stderr}");
            let which = if pair[0] == file { "first" } else { "second" };
            for line in [
                format!("{which}_form: {form}\n"),
                format!("{which}_records: {records}\n"),
                format!("{which}_letters: {}\n", 2 * ROW.len()),
                format!("{which}_alphabet: nucleotides\n"),
                format!("{which}_others: 0\n"),
            ] {
                assert!(stdout.contains(&line), "{name}: no {line} in {stdout}");
            }
            assert_eq!(stderr.contains("records"), records > 1, "{name}: {stderr}");
        }
    }
    // As from a pipe.
    let mut reads = command(&[], "cpu", "1", [Path::new("-"), &plain]);
    let reads = reads.stdin(std::fs::File::open(&plain).expect("it was written"));
    expect(&reads.output().expect("it can be started"), 0, "the standard input");
}

#[test]
fn what_may_not_be_expected_of_a_file_is_told() {
    let files = Files::new("remarks");
    let plain = files.put("plain.fa", b">one\nACGTACGTAC\n");
    for (name, bytes, distance, line, says) in [
        ("header", &b">one\n"[..], 10, "first_letters: 0", "has a header and no letters"),
        ("empty", b"", 10, "first_alphabet: none", "has no letters"),
        ("others", b">one\nACGTACGTAC!?\n", 2, "first_others: 2", "2 of 12 letters of"),
        ("lower", b">one\nacgtacgtac\n", 10, "first_others: 0", "--ignore-case"),
        ("two", b">1\nACGTA\n>2\nCGTAC\n", 0, "first_records: 2", "the 2 records of"),
        ("protein", b">p\nMKVLAAGIVGLC1AK*\n", 14, "first_others: 1", "no codes of protein"),
        ("text", b"plain text, no sequence", 23, "first_form: letters", "no codes of protein"),
    ] {
        let file = files.put(name, bytes);
        let (status, stdout, stderr) = answer(&["--check"], [&file, &plain]);
        assert_eq!(status, Some(0), "{name}: {stderr}");
        assert!(stdout.contains(line), "{name}: no {line} in {stdout}");
        assert!(stderr.contains(says), "{name}: {stderr}");
        if name != "protein" && name != "text" {
            assert!(stdout.starts_with(&format!("distance: {distance}\n")), "{name}: {stdout}");
        }
    }
    let lower = files.put("lower", b">one\nacgtacgtac\n");
    let (_, stdout, stderr) = answer(&["--ignore-case"], [&lower, &plain]);
    assert!(stdout.starts_with("distance: 0\n") && stderr.is_empty(), "{stdout}{stderr}");
    // Two files that are not FASTA, one with line ends.
    let (lines, line) = (files.put("lines", b"ACGT\nACGT\n"), files.put("line", b"ACGTACGT"));
    let (_, stdout, stderr) = answer(&[], [&lines, &line]);
    assert!(stdout.starts_with("distance: 2\n") && stderr.contains("--read letters"), "{stdout}{stderr}");
    let (_, stdout, stderr) = answer(&["--read=letters"], [&lines, &line]);
    assert!(stdout.starts_with("distance: 0\n") && stderr.is_empty(), "{stdout}{stderr}");
}

#[test]
fn files_that_are_no_text_are_refused() {
    let files = Files::new("no-text");
    let plain = files.put("plain.fa", b">one\nACGT\n");
    let wide = |text: &str, big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    for (name, bytes, says) in [
        ("gzip", b"\x1f\x8b\x08\x04".to_vec(), "gzip -dc"),
        ("bzip2", b"BZh91AY&SY".to_vec(), "bzip2 -dc"),
        ("xz", b"\xfd7zXZ\0\0".to_vec(), "xz -dc"),
        ("zstd", b"\x28\xb5\x2f\xfd\x24".to_vec(), "zstd -dc"),
        ("lz4", b"\x04\x22\x4d\x18".to_vec(), "lz4 -dc"),
        ("zip", b"PK\x03\x04\x14".to_vec(), "unzip -p"),
        ("compress", b"\x1f\x9d\x90".to_vec(), "gzip -dc"),
        ("utf-16", wide("\u{feff}>one\nACGT\n", false), "iconv -f UTF-16 "),
        ("utf-16-big", wide("\u{feff}>one\nACGT\n", true), "iconv -f UTF-16 "),
        ("utf-16-no-mark", wide(">one\nACGT\n", false), "iconv -f UTF-16LE "),
        ("utf-16-big-no-mark", wide(">one\nACGT\n", true), "iconv -f UTF-16BE "),
        ("zero", b">one\nACG\0T\n".to_vec(), "a byte 0x00 behind 3 letters"),
    ] {
        let file = files.put(name, &bytes);
        for pair in [[&*file, &*plain], [&plain, &file]] {
            let (status, stdout, stderr) = answer(&[], pair);
            assert_eq!((status, stdout.as_str()), (Some(1), ""), "{name}: {stderr}");
            assert!(stderr.contains(says) && stderr.contains(name), "{name}: {stderr}");
        }
        let (status, stdout, _) = answer(&["--read", "bytes"], [&file, &file]);
        let letters = format!("first_letters: {}\n", bytes.len());
        assert!(status == Some(0) && stdout.contains(&letters), "{name}: {stdout}");
    }
    let (status, _, stderr) = answer(&[], [Path::new("-"), Path::new("-")]);
    assert!(status == Some(1) && stderr.contains("read once"), "{stderr}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let files = Files::new("bad");
    let file = files.put("file", b"ACGT");
    // Without blocks of its own.
    let large = files.0.join("large");
    let made = std::fs::File::create(&large).and_then(|file| file.set_len((1 << 30) + 1));
    made.expect("target can be written");
    let cases: [(&[&str], &Path, &str); 11] = [
        (&[], Path::new("/nonexistent"), "/nonexistent"),
        (&[], Path::new("/"), "/"),
        (&[], Path::new("/dev/zero"), "/dev/zero: has more than"),
        (&[], &large, "large: has more than 1073741824 bytes"),
        (&["--tile", "0"], &file, "--tile"),
        (&["--block", "many"], &file, "--block many: give a number of cells"),
        (&["--method", "magic"], &file, "magic"),
        (&["--read", "magic"], &file, "auto, letters or bytes"),
        (&["--unknown"], &file, "--unknown"),
        (&["--random", "9"], &file, "give no files with it"),
        (&["--random", "0"], &file, "--random 0: give a whole number"),
    ];
    for (options, second, reason) in cases {
        let output = run(options, "cpu", "1", [&file, second]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{options:?} {}", second.display());
        assert!(errors.contains(reason), "{errors}");
        assert_eq!(output.status.code(), Some(1), "ended by itself: {errors}");
    }
}

#[test]
fn random_sequences_are_those_of_their_seed() {
    let answer = |options: &[&str]| {
        let mut command = Command::new(program());
        let settings = [("OCR_MODELS", "off"), ("OCR_DEVICES", devices())];
        let command = command.args(options).arg("--check").envs(settings);
        let output = command.output().expect("the program can be started");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap_or_else(|| panic!("no {key} in {text}")).to_string()
        };
        assert_eq!(value("check: "), "ok");
        assert_eq!(value("first_form: "), "random");
        assert_eq!(value("second_alphabet: "), "nucleotides");
        let number = |key: &str| value(key).parse::<f64>().expect("a number");
        (number("distance: "), number("first_letters: "), number("second_letters: "))
    };
    let first = answer(&["--random", "20000"]);
    assert_eq!(first, answer(&["--random=20000", "--seed", "1"]));
    assert_ne!(first, answer(&["--random", "20000", "--seed", "2"]));
    // One letter in ten has changed, but one in four of those that were replaced is the same.
    let (distance, one, other) = first;
    assert_eq!(one, 20000.0);
    assert!((0.07..0.1).contains(&(distance / one)), "{distance}");
    assert!((0.98..1.02).contains(&(other / one)), "{other}");
    assert_eq!(answer(&["--random", "1", "--seed", "0"]).1, 1.0);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let files = Files::new("full");
    let file = files.put("file", b"ACGT");
    for options in [&[] as &[&str], &["--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = command(options, "cpu", "1", [&file, &file])
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
