//! Cases that a check goes through, counted and named.

use super::super::check::Failure;
use super::Sheet;

/// Where the check is.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// What the cases are called.
    pub(super) unit: String,
    /// The number of the case; none outside.
    pub(super) case: Option<u64>,
}

/// Goes through cases: what is stated between two of them is about the first.
pub struct Cases<'s, I> {
    sheet: &'s Sheet,
    unit: String,
    items: I,
    before: Place,
}

impl Sheet {
    /// Goes through so many cases, numbered from 0: `quick` or `paper` by scale, and a reader may turn how many.
    ///
    /// # Errors
    /// A reader's number that is not at least one.
    pub fn cases(&self, unit: &str, quick: usize, paper: usize) -> Result<Cases<'_, std::ops::Range<usize>>, Failure> {
        let count = self.knob(unit, self.scale().pick(quick, paper), 1..)?;
        Ok(self.each(unit, 0..count))
    }

    /// Goes through cases that are at hand.
    pub fn each<T: IntoIterator>(&self, unit: &str, items: T) -> Cases<'_, T::IntoIter> {
        let before = self.begin_cases(unit);
        Cases { sheet: self, unit: unit.to_string(), items: items.into_iter(), before }
    }

    fn begin_cases(&self, unit: &str) -> Place {
        let state = &mut *self.state.borrow_mut();
        // What is stated in a loop that never runs would be lost without a word.
        state.entered.entry(unit.to_string()).or_insert(false);
        state.place.clone()
    }

    fn next_case(&self, unit: &str) {
        let state = &mut *self.state.borrow_mut();
        state.cases += 1;
        state.entered.insert(unit.to_string(), true);
        state.place = Place { unit: unit.to_string(), case: Some(state.cases) };
    }

    fn end_cases(&self, before: &Place) {
        self.state.borrow_mut().place = before.clone();
    }
}

impl<I: Iterator> Iterator for Cases<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next();
        match item {
            None => self.sheet.end_cases(&self.before),
            Some(_) => self.sheet.next_case(&self.unit),
        }
        item
    }
}

impl<I> Drop for Cases<'_, I> {
    fn drop(&mut self) {
        self.sheet.end_cases(&self.before);
    }
}
