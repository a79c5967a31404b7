/// Iterators.
pub mod iter {
    use crate::option::Option; use crate::cmp::Ordering; use crate::result::Result; use crate::vec::Vec;
    /// What a `for` loop can run over.
    pub trait IntoIterator {
        type Item;
        type IntoIter;
        /// An iterator over the values.
        fn into_iter(self) -> Self::IntoIter;
    }
    impl<I: Iterator> IntoIterator for I { type Item = I::Item; type IntoIter = I; }
    /// Collections that an iterator can be collected into.
    pub trait FromIterator<A> {
        /// Collects an iterator.
        fn from_iter<T>(iter: T) -> Self;
    }
    /// Collections that take the values of an iterator.
    pub trait Extend<A> {
        /// Adds all values of an iterator.
        fn extend<T>(&mut self, iter: T);
    }
    impl<A> Extend<A> for Vec<A> {} impl Extend<char> for crate::string::String {}
    impl<K, V> Extend<(K, V)> for crate::collections::HashMap<K, V> {} impl<K, V> Extend<(K, V)> for crate::collections::BTreeMap<K, V> {}
    impl<T> Extend<T> for crate::collections::HashSet<T> {} impl<T> Extend<T> for crate::collections::BTreeSet<T> {}
    /// A sequence of values, made as they are asked for.
    pub trait Iterator {
        type Item;
        /// The next value.
        fn next(&mut self) -> Option<Self::Item>;
        /// Number of values.
        fn count(self) -> usize;
        /// The last value.
        fn last(self) -> Option<Self::Item>;
        /// The value after so many others.
        fn nth(&mut self, n: usize) -> Option<Self::Item>;
        /// Every so many values.
        fn step_by(self, step: usize) -> Same<Self>;
        /// The values of this one, then those of another.
        fn chain<U>(self, other: U) -> Same<Self>;
        /// Pairs with the values of another.
        fn zip<U: IntoIterator>(self, other: U) -> Zip<Self, U>;
        /// A function of each value.
        fn map<B, F: FnMut(Self::Item) -> B>(self, f: F) -> Map<Self, F>;
        /// Calls a function with each value.
        fn for_each<F: FnMut(Self::Item) -> ()>(self, f: F);
        /// The values that satisfy a condition.
        fn filter<P: FnMut(&Self::Item) -> bool>(self, predicate: P) -> Same<Self>;
        /// The values of a function that gives some.
        fn filter_map<B, F: FnMut(Self::Item) -> Option<B>>(self, f: F) -> Made<B>;
        /// Values with their numbers, from zero.
        fn enumerate(self) -> Enumerate<Self>;
        /// Lets the next value be seen before it is taken.
        fn peekable(self) -> Same<Self>;
        /// Leaves out values as long as a condition holds.
        fn skip_while<P: FnMut(&Self::Item) -> bool>(self, predicate: P) -> Same<Self>;
        /// The values as long as a condition holds.
        fn take_while<P: FnMut(&Self::Item) -> bool>(self, predicate: P) -> Same<Self>;
        /// The values of a function as long as it gives some.
        fn map_while<B, P: FnMut(Self::Item) -> Option<B>>(self, predicate: P) -> Made<B>;
        /// Leaves out so many values.
        fn skip(self, n: usize) -> Same<Self>;
        /// The first so many values.
        fn take(self, n: usize) -> Same<Self>;
        /// A function of each value and a state.
        fn scan<St, B, F: FnMut(&mut St, Self::Item) -> Option<B>>(self, initial: St, f: F) -> Made<B>;
        /// The values of the iterators that a function gives, one after the other.
        fn flat_map<U: IntoIterator, F: FnMut(Self::Item) -> U>(self, f: F) -> Made<U::Item>;
        /// The values of the iterators in this one, one after the other.
        fn flatten(self) -> Made<<Self::Item as IntoIterator>::Item>;
        /// Calls a function with each value that passes.
        fn inspect<F: FnMut(&Self::Item) -> ()>(self, f: F) -> Same<Self>;
        /// Collects into a collection: `.collect::<Vec<_>>()`.
        fn collect<B>(self) -> B;
        /// Two collections: values that satisfy a condition, and the others.
        fn partition<B, F: FnMut(&Self::Item) -> bool>(self, f: F) -> (B, B);
        /// Combines all values, beginning with one of your own.
        fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B;
        /// Combines all values with each other.
        fn reduce<F: FnMut(Self::Item, Self::Item) -> Self::Item>(self, f: F) -> Option<Self::Item>;
        /// Whether all values satisfy a condition.
        fn all<F: FnMut(Self::Item) -> bool>(&mut self, f: F) -> bool;
        /// Whether some value satisfies a condition.
        fn any<F: FnMut(Self::Item) -> bool>(&mut self, f: F) -> bool;
        /// The first value that satisfies a condition.
        fn find<P: FnMut(&Self::Item) -> bool>(&mut self, predicate: P) -> Option<Self::Item>;
        /// The first value that a function gives.
        fn find_map<B, F: FnMut(Self::Item) -> Option<B>>(&mut self, f: F) -> Option<B>;
        /// Number of the first value that satisfies a condition.
        fn position<P: FnMut(Self::Item) -> bool>(&mut self, predicate: P) -> Option<usize>;
        /// The largest value.
        fn max(self) -> Option<Self::Item>;
        /// The smallest value.
        fn min(self) -> Option<Self::Item>;
        /// The value with the largest key.
        fn max_by_key<B, F: FnMut(&Self::Item) -> B>(self, f: F) -> Option<Self::Item>;
        /// The largest value by a comparison, as in `.max_by(|a, b| a.total_cmp(b))`.
        fn max_by<F: FnMut(&Self::Item, &Self::Item) -> Ordering>(self, compare: F) -> Option<Self::Item>;
        /// The value with the smallest key.
        fn min_by_key<B, F: FnMut(&Self::Item) -> B>(self, f: F) -> Option<Self::Item>;
        /// The smallest value by a comparison.
        fn min_by<F: FnMut(&Self::Item, &Self::Item) -> Ordering>(self, compare: F) -> Option<Self::Item>;
        /// The values from the last to the first.
        fn rev(self) -> Same<Self>;
        /// Collects pairs into a pair of collections.
        fn unzip<A, B>(self) -> (A, B);
        /// Copies of values behind references.
        fn copied(self) -> Owned<Self>;
        /// Clones of values behind references.
        fn cloned(self) -> Owned<Self>;
        /// The values again and again.
        fn cycle(self) -> Same<Self>;
        /// The sum of all values: `.sum::<f64>()`.
        fn sum<S>(self) -> S;
        /// The product of all values.
        fn product<P>(self) -> P;
        /// The order of two sequences.
        fn cmp<I>(self, other: I) -> Ordering;
        /// Whether the values are in order.
        fn is_sorted(self) -> bool;
    }
    /// Iterators that can run from both ends.
    pub trait DoubleEndedIterator: Iterator {
        /// The next value from the end.
        fn next_back(&mut self) -> Option<Self::Item>;
    }
    /// Iterators that know their length.
    pub trait ExactSizeIterator: Iterator {
        /// Number of values left.
        fn len(&self) -> usize;
    }
    pub struct Map<I, F>; pub struct Same<I>; pub struct Zip<A, B>; pub struct Enumerate<I>; pub struct Made<T>; pub struct Owned<I>;
    impl<B, I: Iterator, F: FnMut(I::Item) -> B> Iterator for Map<I, F> { type Item = B; }
    impl<I: Iterator> Iterator for Same<I> { type Item = I::Item; }
    impl<I: Iterator> Iterator for Enumerate<I> { type Item = (usize, I::Item); }
    impl<A: Iterator, B: IntoIterator> Iterator for Zip<A, B> { type Item = (A::Item, B::Item); }
    impl<T> Iterator for Made<T> { type Item = T; }
    impl<I: Iterator> Iterator for Owned<I> { type Item = <I::Item as crate::ops::Deref>::Target; }
    impl<'a, T> crate::ops::Deref for &'a T { type Target = T; }
    /// One value.
    pub fn once<T>(value: T) -> Made<T>;
    /// One value again and again.
    pub fn repeat<T>(value: T) -> Made<T>;
    /// One value so many times.
    pub fn repeat_n<T>(value: T, n: usize) -> Made<T>;
    /// The values of a function as long as it gives some.
    pub fn from_fn<T, F: FnMut() -> Option<T>>(f: F) -> Made<T>;
    /// Each value from the one before.
    pub fn successors<T, F: FnMut(&T) -> Option<T>>(first: Option<T>, f: F) -> Made<T>;
    /// No values.
    pub fn empty<T>() -> Made<T>;
}
