//! Computations that several checks share, made once in a process.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use workbench_record::Scale;

/// Type, scale, seed and name of what is kept.
type Key = (TypeId, Scale, u64, String);
/// What is kept, once it is there; locked while it is computed, so that a second who asks waits and does not compute it too.
type Place = Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>;

static KEPT: LazyLock<Mutex<HashMap<Key, Place>>> = LazyLock::new(Mutex::default);

/// The value of this type under this name, computed by the first who asks; an error is not kept.
pub(crate) fn shared<T: Any + Send + Sync, E>(
    scale: Scale,
    seed: u64,
    name: impl Into<String>,
    compute: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    let place = place((TypeId::of::<T>(), scale, seed, name.into()));
    let mut held = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = held.as_ref()
        && let Ok(kept) = Arc::clone(kept).downcast::<T>()
    {
        return Ok(kept);
    }
    let made = Arc::new(compute()?);
    *held = Some(made.clone());
    Ok(made)
}

/// Where it is kept. A computation that panicked left its place empty, so a poisoned lock guards nothing broken.
fn place(key: Key) -> Place {
    Arc::clone(KEPT.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(scale: Scale, seed: u64, value: Result<u32, &'static str>) -> Result<u32, &'static str> {
        shared(scale, seed, "tests::ask", || value).map(|kept| *kept)
    }

    #[test]
    fn it_is_computed_once_for_a_scale_and_a_seed_and_an_error_is_not_kept() {
        assert_eq!(ask(Scale::Quick, 1, Err("no")), Err("no"));
        assert_eq!(ask(Scale::Quick, 1, Ok(1)), Ok(1));
        assert_eq!(ask(Scale::Quick, 1, Ok(2)), Ok(1), "kept");
        assert_eq!(ask(Scale::Paper, 1, Ok(3)), Ok(3));
        assert_eq!(ask(Scale::Quick, 2, Ok(4)), Ok(4));
        let other: Result<Arc<u64>, ()> = shared(Scale::Quick, 1, "tests::ask", || Ok(5));
        assert_eq!(*other.unwrap(), 5, "another type is another value");
    }

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let panicking = || shared::<u32, ()>(Scale::Quick, 9, "tests::panic", || panic!("on purpose"));
        assert!(std::panic::catch_unwind(panicking).is_err());
        assert_eq!(*shared::<u32, ()>(Scale::Quick, 9, "tests::panic", || Ok(1)).unwrap(), 1);
    }
}
