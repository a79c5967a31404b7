//! Properties of any file and any shape: readers that refuse or read, states that come back bit for bit.

use proptest::prelude::*;
use workbench_ground::stats::Streams;

use crate::cell::{Cell, Form, Memory, Mnemosyne};
use crate::classical::{Adam, AdamSettings};
use crate::data::Idx;
use crate::{Layout, Learned, Optimizer, Saved, Tensor};

fn tensors() -> impl Strategy<Value = Vec<Tensor>> {
    prop::collection::vec(prop::collection::vec(1usize..5, 0..4), 1..5).prop_map(|shapes| {
        let names: Vec<String> = (0..shapes.len()).map(|i| format!("t{i}")).collect();
        let list: Vec<(&str, &[usize])> =
            names.iter().map(String::as_str).zip(shapes.iter().map(Vec::as_slice)).collect();
        Layout::of(&list).unwrap().tensors().to_vec()
    })
}

fn saved() -> impl Strategy<Value = Saved> {
    let numbers = || prop::collection::vec(any::<f64>(), 0..6);
    let leaf = ("\\PC{0,8}", numbers(), any::<u64>(), tensors(), numbers()).prop_map(
        |(name, settings, steps, tensors, numbers)| Saved {
            name,
            settings,
            steps,
            tensors,
            numbers,
            parts: Vec::new(),
        },
    );
    leaf.prop_recursive(2, 6, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..3)).prop_map(|(whole, parts)| Saved { parts, ..whole })
    })
}

proptest! {
    /// A file is read with the sizes and entries that it was written with; cut anywhere, it is refused.
    #[test]
    fn idx_files_are_read_or_refused(sizes in prop::collection::vec(0usize..5, 1..5), fill: u8, cut in 0.0f64..1.0) {
        let entries: Vec<u8> = (0..sizes.iter().product()).map(|i: usize| fill.wrapping_add(i as u8)).collect();
        let mut file = vec![0, 0, 8, sizes.len() as u8];
        file.extend(sizes.iter().flat_map(|size| (*size as u32).to_be_bytes()));
        file.extend(&entries);
        let read = Idx::parse(&file)?;
        prop_assert_eq!((read.sizes(), read.bytes()), (&sizes[..], &entries[..]));
        let length = (cut * file.len() as f64) as usize;
        prop_assert!(Idx::parse(&file[..length]).is_err());
        file.push(0);
        prop_assert!(Idx::parse(&file).is_err());
    }

    /// Any bytes are an array whose entries are as many as its sizes say, or are refused.
    #[test]
    fn any_bytes_are_idx_or_not(mut bytes in prop::collection::vec(any::<u8>(), 0..64), axes in 0u8..4) {
        if let Some(front) = bytes.first_chunk_mut::<4>() {
            *front = [0, 0, 8, axes];
        }
        if let Ok(idx) = Idx::parse(&bytes) {
            prop_assert_eq!(idx.sizes().iter().product::<usize>(), idx.bytes().len());
        }
    }

    /// A state is read as it was written, bit for bit, and not at all where a byte has changed.
    #[test]
    fn states_come_back(saved in saved(), at in 0.0f64..1.0, flip in 1u8..) {
        let bytes = saved.to_bytes();
        let back = Saved::from_bytes(&bytes)?;
        prop_assert_eq!(back.to_bytes(), bytes.clone());
        prop_assert_eq!((back.name, back.steps, back.tensors, back.parts.len()), (saved.name, saved.steps, saved.tensors, saved.parts.len()));
        let mut changed = bytes;
        let place = ((at * changed.len() as f64) as usize).min(changed.len() - 1);
        changed[place] ^= flip;
        prop_assert!(Saved::from_bytes(&changed).is_err());
    }

    #[test]
    fn any_bytes_are_a_state_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Saved::from_bytes(&bytes).is_err());
        prop_assert!(Saved::from_bytes(&[b"wb-optim\x01\0\0\0", &bytes[..]].concat()).is_err());
    }

    /// Adam stopped, kept and taken up again walks as Adam that was not stopped; its steps are at most about the rate long.
    #[test]
    fn adam_goes_on_where_it_stopped(seed: u64, tensors in tensors(), steps in 1usize..6, scale in 1e-6f64..1e6) {
        let layout = Layout::new(&tensors)?;
        let mut noise = Streams::new(seed).stream("gradients")?;
        let mut straight = Adam::new(layout.clone(), AdamSettings::default())?;
        let mut theta = vec![0.0; layout.len()];
        let mut draw = || -> Vec<f64> { (0..layout.len()).map(|_| scale * noise.normal()).collect() };
        for _ in 0..steps {
            straight.step(&mut theta, &draw())?;
        }
        let mut again = Adam::new(layout.clone(), AdamSettings::default())?;
        again.restore(&Saved::from_bytes(&straight.save().to_bytes())?)?;
        let (mut a, mut b, gradient) = (theta.clone(), theta, draw());
        straight.step(&mut a, &gradient)?;
        again.step(&mut b, &gradient)?;
        prop_assert_eq!(a, b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Windows of any cell, number of coordinates and length: the adjoint against complex steps, entry by entry.
    #[test]
    fn meta_gradients_are_complex_steps(seed: u64, hidden in 2usize..6, feed_forward in 1usize..6, memory in 0usize..3) {
        let memory = [Memory::None, Memory::Average { tau: 0.1 }, Memory::Cache { steps: 3 }][memory];
        let cell = Mnemosyne::new(Form { hidden, feed_forward, memory, output_scale: 0.2, ..Form::default() })?;
        let mut weights = cell.start(&mut Streams::new(seed).stream("weights")?)?;
        let mut noise = Streams::new(seed).stream("noise")?;
        weights[..cell.trained()].iter_mut().for_each(|w| *w += 0.1 * noise.normal());
        crate::meta::tests::agrees_with_complex_steps(&cell, &weights);
    }

    /// The fused kernel follows the definition for any number of coordinates.
    #[test]
    fn fused_steps_follow_the_definition(seed: u64, n in 1usize..70, steps in 1usize..5) {
        let layout = Layout::of(&[("x", &[n])])?;
        let cell = Mnemosyne::new(Form::light())?;
        let weights = cell.start(&mut Streams::new(seed).stream("weights")?)?;
        let mut plain = Learned::plain(cell.clone(), weights.clone(), layout.clone())?;
        let mut fused = Learned::fused(cell, weights, layout)?;
        let mut noise = Streams::new(seed).stream("gradients")?;
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        for _ in 0..steps {
            let gradient: Vec<f64> = (0..n).map(|_| noise.normal()).collect();
            plain.step(&mut a, &gradient)?;
            fused.step(&mut b, &gradient)?;
        }
        let size = a.iter().fold(1e-6f64, |m, x| m.max(x.abs()));
        prop_assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-4 * size), "{a:?} {b:?}");
    }
}
