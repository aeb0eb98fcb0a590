//! The same graphs with rayon, in a process of their own: the bench calls itself with `rayon` and
//! then `independent|chain|wavefront|pending SIZE THREADS` or `grid THREADS LIBRARY PATTERN ...`.
//!
//! rayon has no dependences, so the program keeps a counter for each task, and whoever brings it to
//! 0 spawns the task. A chain and a wavefront are built first: a task that waits is a [`Node`]. The
//! graphs of `grid.h` are not: their edges are known, a task that waits is a byte.
//!
//! It prints what `benches/c/tbb.cpp` prints.

use super::grid::{Grid, nanoseconds};
use rayon::{Scope, ThreadPool};
use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Instant;

/// A task that waits.
struct Node {
    waits: AtomicU32,
    parameters: [u64; 2],
    after: Vec<u32>,
}

/// A graph to which tasks are added one after the other.
#[derive(Default)]
struct Graph(Vec<Node>);

impl Graph {
    fn add(&mut self, before: impl Iterator<Item = u32>) {
        let this = self.0.len() as u32;
        let mut waits = 0;
        for before in before {
            self.0[before as usize].after.push(this);
            waits += 1;
        }
        self.0.push(Node { waits: AtomicU32::new(waits), parameters: [u64::from(this); 2], after: Vec::new() });
    }

    fn run<'a>(&'a self, task: u32, scope: &Scope<'a>) {
        let node = &self.0[task as usize];
        black_box(node.parameters);
        for &after in &node.after {
            if self.0[after as usize].waits.fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.run(after, scope));
            }
        }
    }
}

/// Nodes that know each other as the elements of a matrix do: a chain is one with a single row.
fn matrix(pool: &ThreadPool, rows: u32, columns: u32) {
    let begin = Instant::now();
    let mut graph = Graph::default();
    for row in 0..rows {
        for column in 0..columns {
            let this = row * columns + column;
            let above = (row > 0).then(|| this - columns);
            let left = (column > 0).then(|| this - 1);
            graph.add(above.into_iter().chain(left));
        }
    }
    let built = nanoseconds(begin);
    pool.scope(|scope| graph.run(0, scope));
    let all = nanoseconds(begin);
    let tasks = f64::from(rows) * f64::from(columns);
    println!("ns_per_edt: {}", all / tasks);
    println!("ns_build: {}", built / tasks);
    println!("ns_run: {}", (all - built) / tasks);
}

fn independent(pool: &ThreadPool, tasks: u64) {
    let begin = Instant::now();
    pool.scope(|scope| {
        for task in 0..tasks {
            scope.spawn(move |_| {
                black_box(task);
            });
        }
    });
    println!("ns_per_edt: {}", nanoseconds(begin) / tasks as f64);
}

fn resident_bytes() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = statm.split(' ').nth(1).and_then(|text| text.parse().ok());
    let pages: u64 = pages.expect("a number of pages");
    // SAFETY: a plain call.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages as f64 * page as f64
}

fn pending(pool: &ThreadPool, tasks: u32) {
    // Of the size that is needed: growing would copy them and count twice.
    let mut graph = Graph(Vec::with_capacity(tasks as usize + 2));
    graph.add([].into_iter());
    graph.add([].into_iter());
    for first in &mut graph.0 {
        first.after.reserve_exact(tasks as usize);
    }
    let before = resident_bytes();
    for _ in 0..tasks {
        graph.add([0, 1].into_iter());
    }
    let bytes = (resident_bytes() - before) / f64::from(tasks);
    pool.scope(|scope| {
        graph.run(0, scope);
        graph.run(1, scope);
    });
    let all_ran = |node: &Node| node.waits.load(Ordering::Relaxed) == 0;
    assert!(graph.0.iter().all(all_ran));
    println!("bytes_per_edt: {bytes}");
}

fn run_counted<'a>(grid: Grid, counters: &'a [AtomicU8], task: u64, scope: &Scope<'a>) {
    grid.run(task);
    for &after in grid.dependents(task) {
        if counters[after as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
            scope.spawn(move |scope| run_counted(grid, counters, u64::from(after), scope));
        }
    }
}

fn sweep(pool: &ThreadPool, grid: Grid) {
    let counters: Vec<AtomicU8> = (0..grid.most()).map(|_| AtomicU8::new(0)).collect();
    while grid.next() {
        let begin = Instant::now();
        pool.scope(|scope| {
            let mut roots = Vec::new();
            for task in 0..grid.end() {
                let waits = grid.dependences(task).len() as u8;
                counters[task as usize].store(waits, Ordering::Relaxed);
                if waits == 0 && grid.has(task) {
                    roots.push(task);
                }
            }
            for task in roots {
                let counters = &counters;
                scope.spawn(move |scope| run_counted(grid, counters, task, scope));
            }
        });
        grid.point(nanoseconds(begin));
    }
}

/// The process.
pub(crate) fn main(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let pool = |threads: &str| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(number(threads) as usize);
        builder.build().expect("threads")
    };
    match arguments[..] {
        ["independent", size, threads] => independent(&pool(threads), number(size).into()),
        ["chain", size, threads] => matrix(&pool(threads), 1, number(size)),
        ["wavefront", size, threads] => matrix(&pool(threads), number(size), number(size)),
        ["pending", size, threads] => pending(&pool(threads), number(size)),
        ["grid", threads, library, ref rest @ ..] => {
            sweep(&pool(threads), Grid::open(library, rest));
        }
        _ => panic!("rayon: these arguments mean nothing: {arguments:?}"),
    }
}
