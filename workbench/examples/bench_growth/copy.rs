//! The learned rule's step on a wide layer beside the machine's own copy of what the step must move.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use workbench::optimizer::Optimizer;
use workbench::optimizer::cell::{Cell, Form};

use crate::Outcome;
use crate::meter::status;
use crate::optimizer::fused;

/// Bytes that a step reads and writes of each coordinate beside its state: a gradient, and a parameter twice, in double precision.
const BESIDE: usize = 24;
/// Bytes of each buffer of the copy at most: beyond any cache. What is more is copied over it again.
const BUFFER: usize = 1 << 28;

/// Takes turns, on the threads of the pool, and prints the least seconds of both, the bytes that a step must move, and the most resident.
///
/// A step reads and writes the state of every coordinate, in single precision: half of what it moves is read, half written, as in a copy.
pub fn beside(coordinates: usize, turns: usize) -> Outcome<()> {
    let mut optimizer = fused(coordinates, Form::light())?;
    let state = optimizer.cell().state_len() * size_of::<f32>();
    let moved = coordinates * (2 * state + BESIDE);
    let (gradient, mut theta) = (vec![1e-2; coordinates], vec![0.0; coordinates]);
    let numbers = moved.div_ceil(2).min(BUFFER) / size_of::<f32>();
    let (from, mut to) = (vec![1.0f32; numbers], vec![0.0f32; numbers]);
    let (mut step, mut copy) = (f64::INFINITY, f64::INFINITY);
    for turn in 0..=turns {
        let of_step = seconds(|| Ok(optimizer.step(&mut theta, &gradient)?))?;
        let of_copy = seconds(|| {
            copied(&from, &mut to, moved / 2);
            Ok(())
        })?;
        // The first of each has met memory that was not there yet.
        if turn > 0 {
            (step, copy) = (step.min(of_step), copy.min(of_copy));
        }
    }
    println!("step {step:e} copy {copy:e} moved {moved} bytes {:.0}", status("VmHWM:")?);
    Ok(())
}

fn seconds(mut run: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let begun = Instant::now();
    run()?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Copies so many bytes, all threads of the pool together.
fn copied(from: &[f32], to: &mut [f32], bytes: usize) {
    let piece = from.len().div_ceil(rayon::current_num_threads());
    let mut left = bytes / size_of::<f32>();
    while left > 0 {
        let now = left.min(from.len());
        let pieces = to[..now].par_chunks_mut(piece).zip(from[..now].par_chunks(piece));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        black_box(&mut *to);
        left -= now;
    }
}
