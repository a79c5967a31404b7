//! Named, seeded, portable random streams.
//!
//! A notebook makes one [`Streams`] from its seed and takes one [`Stream`] per purpose. Two requests for one name are an error,
//! because the same numbers used twice make results that look independent and are not. Rerunning a notebook cell is the
//! exception: it must give the same draws, so the cell that took a stream may take it again, from its beginning.
//!
//! What draws once takes a [`Stream`]. What runs a whole study takes the [`Streams`] and a name, and gives each run a stream of its own
//! ([`Streams::replicate`]), so that results depend neither on the number of threads nor on how many runs there are. A bare seed is
//! asked for only where it names a thing: a training that a file keeps, a task that is the same in every notebook.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Error;

/// One run of one notebook cell.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CellRun {
    cell: String,
    run: (u64, u64),
}

/// The cell that is running now, from the JSON file named by `WORKBENCH_CELL_FILE`; `None` in a plain program.
fn current_cell() -> Option<CellRun> {
    cell_in(std::env::var_os("WORKBENCH_CELL_FILE")?.as_ref())
}

/// The cell that a cell file describes; `None` if it cannot be read or names no cell.
fn cell_in(path: &std::path::Path) -> Option<CellRun> {
    #[derive(serde::Deserialize)]
    struct CellFile {
        cell_id: String,
        #[serde(default)]
        execution_count: u64,
        #[serde(default)]
        started_unix_ms: u64,
    }
    let file: CellFile = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let run = (file.execution_count, file.started_unix_ms);
    (!file.cell_id.is_empty()).then_some(CellRun { cell: file.cell_id, run })
}

type Key = (String, Option<u64>);

/// Named random streams of one seed.
///
/// Clones share the record of names taken, so a value handed to several places still refuses a second request.
///
/// ```
/// use workbench_ground::stats::Streams;
/// let streams = Streams::new(1);
/// let mut noise = streams.stream("noise")?;
/// let first = noise.normal();
/// assert!(streams.stream("noise").is_err());
/// assert_eq!(streams.restart("noise")?.normal(), first);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Streams {
    seed: u64,
    taken: Arc<Mutex<BTreeMap<Key, Option<CellRun>>>>,
    cell: fn() -> Option<CellRun>,
}

impl Streams {
    /// Streams of `seed`, with no name taken yet.
    pub fn new(seed: u64) -> Streams {
        Streams::with_cell(seed, current_cell)
    }

    fn with_cell(seed: u64, cell: fn() -> Option<CellRun>) -> Streams {
        Streams { seed, taken: Arc::default(), cell }
    }

    /// The seed that all streams derive from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The stream called `name`.
    ///
    /// In a notebook run by the project's kernel, rerunning the cell that took the stream gives it again from its beginning.
    /// Take a stream in the cell that draws from it, so that a rerun draws the same numbers.
    ///
    /// **Errors**: [`Error::Refused`] if the name was taken before, [`Error::Empty`] if it is empty.
    pub fn stream(&self, name: &str) -> Result<Stream, Error> {
        self.take((name.to_owned(), None), false)
    }

    /// The `i`-th of a family of independent streams called `name`, for replicates that run in any order or in parallel.
    ///
    /// Different `i` give independent streams, also independent of `stream(name)`.
    ///
    /// **Errors**: as [`Streams::stream`], for the pair `(name, i)`.
    pub fn replicate(&self, name: &str, i: usize) -> Result<Stream, Error> {
        self.take((name.to_owned(), Some(i as u64)), false)
    }

    /// The stream called `name` from its beginning, whether or not it was taken before.
    ///
    /// The draws are the same as before: use it to rerun a computation, never to get more independent numbers.
    ///
    /// **Errors**: [`Error::Empty`] if the name is empty.
    pub fn restart(&self, name: &str) -> Result<Stream, Error> {
        self.take((name.to_owned(), None), true)
    }

    /// The stream of the pair `(name, i)` from its beginning, whether or not it was taken before; see [`Streams::restart`].
    ///
    /// **Errors**: [`Error::Empty`] if the name is empty.
    pub fn restart_replicate(&self, name: &str, i: usize) -> Result<Stream, Error> {
        self.take((name.to_owned(), Some(i as u64)), true)
    }

    /// Names taken so far in order, replicates as `name[i]`.
    pub fn names(&self) -> Vec<String> {
        self.lock().keys().map(shown).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Option<CellRun>>> {
        // A panic elsewhere cannot leave the map half-changed: every change is one insert.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, key: Key, again: bool) -> Result<Stream, Error> {
        const OP: &str = "stream";
        if key.0.is_empty() {
            let next = "write streams.stream(\"what it draws\")";
            return Err(Error::empty(OP, "the name of a stream", next));
        }
        let now = (self.cell)();
        let mut taken = self.lock();
        if let Some(before) = taken.get(&key).filter(|_| !again) {
            let rerun = matches!((before, &now), (Some(b), Some(n)) if b.cell == n.cell && b.run != n.run);
            if !rerun {
                let holder = before.as_ref().map(|c| format!(" by cell {}", c.cell)).unwrap_or_default();
                let restart = match key.1 {
                    None => format!("restart({:?})", key.0),
                    Some(i) => format!("restart_replicate({:?}, {i})", key.0),
                };
                let name = shown(&key);
                return Err(Error::refused(
                    OP,
                    format!("\"{name}\" was already taken{holder}: the same draws twice are not independent"),
                    format!(
                        "choose another name, or write streams.{restart} to draw the same numbers again on purpose"
                    ),
                ));
            }
        }
        let stream = Stream::new(self.seed, &key);
        taken.insert(key, now);
        Ok(stream)
    }
}

fn shown((name, index): &Key) -> String {
    match index {
        None => name.clone(),
        Some(i) => format!("{name}[{i}]"),
    }
}

/// FNV-1a, 128 bits: a fixed, portable hash of a name.
fn fnv128(parts: &[&[u8]]) -> u128 {
    const OFFSET: u128 = 144_066_263_297_769_815_596_495_629_667_062_367_629;
    const PRIME: u128 = 309_485_009_821_345_068_724_781_371;
    parts.iter().flat_map(|p| p.iter()).fold(OFFSET, |h, &b| (h ^ u128::from(b)).wrapping_mul(PRIME))
}

/// A random stream: ChaCha with 8 rounds, the same numbers on every machine.
///
/// The 256-bit key is, in little-endian bytes, `seed` (64 bits), the index (64 bits, 0 for a plain stream) and the 128-bit FNV-1a hash of
/// `"stream\0name"` or `"replicate\0name"`. Different seeds or indices therefore never share a key, and two names share one with
/// probability about 2^-128.
///
/// Implements `rand::RngCore`, so everything in `rand` and `rand_distr` draws from it.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    fn new(seed: u64, (name, index): &Key) -> Stream {
        let kind: &[u8] = if index.is_some() { b"replicate\0" } else { b"stream\0" };
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&index.unwrap_or(0).to_le_bytes());
        key[16..].copy_from_slice(&fnv128(&[kind, name.as_bytes()]).to_le_bytes());
        Stream { rng: ChaCha8Rng::from_seed(key) }
    }

    /// A uniform draw in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A draw from N(0, 1).
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.rng)
    }

    /// -1 or +1 with probability one half each.
    pub fn sign(&mut self) -> f64 {
        if self.rng.next_u32() & 1 == 0 { -1.0 } else { 1.0 }
    }

    /// A uniform integer in `0..n`, without bias; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // Lemire's multiply-and-reject: the low half of the product decides whether the draw falls in the uneven remainder.
        loop {
            let product = u128::from(self.rng.next_u64()) * u128::from(n);
            if n == 0 || product as u64 >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniformly random order of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as u64 + 1) as usize);
        }
        order
    }
}

impl RngCore for Stream {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        self.rng.next_u32()
    }
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }
    fn fill_bytes(&mut self, dst: &mut [u8]) {
        self.rng.fill_bytes(dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        static CELL: RefCell<Option<CellRun>> = const { RefCell::new(None) };
    }
    fn fake_cell() -> Option<CellRun> {
        CELL.with(|c| c.borrow().clone())
    }
    fn enter(cell: &str, run: u64) {
        CELL.with(|c| *c.borrow_mut() = Some(CellRun { cell: cell.into(), run: (run, 0) }));
    }
    fn plain(seed: u64) -> Streams {
        Streams::with_cell(seed, || None)
    }
    fn draws(mut s: Stream) -> Vec<u64> {
        (0..4).map(|_| s.next_u64()).collect()
    }

    #[test]
    fn a_name_is_given_once_and_the_error_names_the_remedy() {
        let streams = plain(7);
        let first = draws(streams.stream("x").unwrap());
        let error = streams.stream("x").unwrap_err();
        assert!(matches!(&error, Error::Refused { problem, .. } if problem.starts_with("\"x\" was already taken")));
        assert!(error.to_string().contains("streams.restart(\"x\")"), "{error}");
        assert!(streams.clone().stream("x").is_err(), "a clone shares the record");
        assert_eq!(draws(streams.restart("x").unwrap()), first);
        assert_eq!(draws(plain(7).stream("x").unwrap()), first);
    }

    #[test]
    fn replicates_differ_and_are_given_once_each() {
        let streams = plain(7);
        let a = draws(streams.replicate("x", 0).unwrap());
        let b = draws(streams.replicate("x", 1).unwrap());
        assert_ne!(a, b);
        assert_ne!(a, draws(streams.stream("x").unwrap()));
        let error = streams.replicate("x", 1).unwrap_err();
        assert!(error.to_string().contains("restart_replicate(\"x\", 1)"), "{error}");
        assert_eq!(draws(streams.restart_replicate("x", 1).unwrap()), b);
        assert_eq!(streams.names(), ["x", "x[0]", "x[1]"]);
    }

    #[test]
    fn streams_can_be_kept_in_a_variable_and_shared_between_threads() {
        fn keeps<T: Send + Sync + Clone + 'static>(value: T) -> T {
            value
        }
        let streams = keeps(plain(2));
        let parallel: Vec<Vec<u64>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..4)
                .map(|i| (i, streams.clone()))
                .map(|(i, s)| scope.spawn(move || draws(keeps(s.replicate("run", i).unwrap()))))
                .collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        for (i, got) in parallel.iter().enumerate() {
            let again = streams.restart_replicate("run", i).unwrap();
            assert_eq!(*got, draws(again));
        }
    }

    #[test]
    fn an_empty_name_is_refused() {
        assert!(matches!(plain(1).stream(""), Err(Error::Empty { .. })));
        assert!(matches!(plain(1).restart(""), Err(Error::Empty { .. })));
    }

    #[test]
    fn a_rerun_cell_restarts_its_streams_and_nobody_else_may() {
        let streams = Streams::with_cell(3, fake_cell);
        enter("one", 1);
        let first = draws(streams.stream("x").unwrap());
        assert!(streams.stream("x").is_err(), "twice within one run of the cell");
        enter("two", 2);
        let error = streams.stream("x").unwrap_err();
        assert!(error.to_string().contains("by cell one"), "{error}");
        enter("one", 3);
        assert_eq!(draws(streams.stream("x").unwrap()), first);
        assert!(streams.stream("x").is_err(), "twice within the rerun");
        CELL.with(|c| *c.borrow_mut() = None);
        assert!(streams.stream("x").is_err(), "no cell known");
        enter("two", 4);
        assert_eq!(draws(streams.restart("x").unwrap()), first);
        enter("two", 5);
        assert_eq!(draws(streams.stream("x").unwrap()), first, "a restart moves the stream to its cell");
    }

    #[test]
    fn cell_files_are_read_and_bad_ones_are_no_cell() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.json");
        assert_eq!(cell_in(&path), None);
        std::fs::write(&path, "{\"cell_id\": \"ab\", \"execution_count\": 7, \"started_unix_ms\": 9}").unwrap();
        assert_eq!(cell_in(&path), Some(CellRun { cell: "ab".into(), run: (7, 9) }));
        for bad in ["", "{", "{\"cell_id\": \"\"}", "{\"execution_count\": 1}"] {
            std::fs::write(&path, bad).unwrap();
            assert_eq!(cell_in(&path), None, "{bad}");
        }
    }

    /// The environment of a test process must not change, so the test runs itself again with the variable set.
    #[test]
    fn the_environment_names_the_cell_file() {
        const INSIDE: &str = "STREAMS_TEST_INSIDE";
        if std::env::var_os(INSIDE).is_some() {
            let streams = Streams::new(1);
            let first = draws(streams.stream("x").unwrap());
            assert!(streams.stream("x").unwrap_err().to_string().contains("by cell c7"));
            let path = std::env::var_os("WORKBENCH_CELL_FILE").unwrap();
            std::fs::write(path, r#"{"cell_id": "c7", "execution_count": 2}"#).unwrap();
            assert_eq!(draws(streams.stream("x").unwrap()), first);
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.json");
        std::fs::write(&path, r#"{"cell_id": "c7", "execution_count": 1}"#).unwrap();
        let name = "stats::streams::tests::the_environment_names_the_cell_file";
        let inner = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(INSIDE, "1")
            .env("WORKBENCH_CELL_FILE", &path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&inner.stdout);
        assert!(inner.status.success() && text.contains("1 passed"), "{text}");
    }

    #[test]
    fn seeds_and_names_give_unrelated_streams() {
        // 64 streams of 2000 normals: means and pairwise neighbours' correlations are N(0, 1/2000); 5 standard errors.
        let mut all = Vec::new();
        for seed in 0..8 {
            for name in ["a", "b", "ab", "ba", "a ", "A", "aa", "b0"] {
                let mut s = plain(seed).stream(name).unwrap();
                all.push((0..2000).map(|_| s.normal()).collect::<Vec<f64>>());
            }
        }
        let bound = 5.0 / 2000f64.sqrt();
        for i in 0..all.len() {
            assert!((all[i].iter().sum::<f64>() / 2000.0).abs() < bound);
            for j in 0..i {
                let c = all[i].iter().zip(&all[j]).map(|(x, y)| x * y).sum::<f64>() / 2000.0;
                assert!(c.abs() < bound, "streams {i} and {j}: {c}");
            }
        }
    }

    #[test]
    fn fnv_matches_its_published_vectors() {
        // Draft-eastlake-fnv, 128-bit FNV-1a of "" and "a".
        assert_eq!(fnv128(&[b""]), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fnv128(&[b"a"]), 0xd228cb696f1a8caf78912b704e4a8964);
    }

    #[test]
    fn uniform_sign_below_and_permutation_have_their_laws() {
        let mut s = plain(1).stream("laws").unwrap();
        let n = 40_000;
        let mean: f64 = (0..n).map(|_| s.uniform()).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / n as f64).sqrt());
        let balance: f64 = (0..n).map(|_| s.sign()).sum::<f64>() / n as f64;
        assert!(balance.abs() < 5.0 / (n as f64).sqrt());
        let mut counts = [0u32; 6];
        for _ in 0..n {
            counts[s.below(6) as usize] += 1;
        }
        let expected = n as f64 / 6.0;
        assert!(counts.iter().all(|&c| (f64::from(c) - expected).abs() < 5.0 * expected.sqrt()), "{counts:?}");
        assert_eq!((s.below(0), s.below(1)), (0, 0));
        let mut order = s.permutation(100);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
        assert!(s.permutation(0).is_empty());
    }
}
