/// Growable arrays.
pub mod vec {
    /// A growable array.
    #[derive(Debug)]
    pub struct Vec<T>;
    impl<T> Vec<T> {
        /// An empty vector.
        pub fn new() -> Vec<T>;
        /// An empty vector with room for so many elements.
        pub fn with_capacity(capacity: usize) -> Vec<T>;
        /// Adds an element at the end.
        pub fn push(&mut self, value: T);
        /// Takes the last element.
        pub fn pop(&mut self) -> crate::option::Option<T>;
        /// Puts an element at a position and shifts the rest.
        pub fn insert(&mut self, index: usize, value: T);
        /// Removes the element at a position and shifts the rest.
        pub fn remove(&mut self, index: usize) -> T;
        /// Removes the element at a position and puts the last one there.
        pub fn swap_remove(&mut self, index: usize) -> T;
        /// Keeps the elements that satisfy a condition.
        pub fn retain<F: FnMut(&T) -> bool>(&mut self, f: F);
        /// Removes equal neighbours.
        pub fn dedup(&mut self);
        /// Moves all elements of another vector to the end of this one.
        pub fn append(&mut self, other: &mut Vec<T>);
        /// Adds clones of the elements of a slice at the end.
        pub fn extend_from_slice(&mut self, other: &[T]);
        /// Removes everything.
        pub fn clear(&mut self);
        /// Cuts to so many elements.
        pub fn truncate(&mut self, length: usize);
        /// Makes it so long, with clones of a value where it grows.
        pub fn resize(&mut self, length: usize, value: T);
        /// Removes a range and gives its elements.
        pub fn drain(&mut self, range: crate::ops::Range<usize>) -> IntoIter<T>;
        /// Splits off everything from a position on.
        pub fn split_off(&mut self, at: usize) -> Vec<T>;
        /// Makes room for more elements.
        pub fn reserve(&mut self, additional: usize);
        /// Room without growing.
        pub fn capacity(&self) -> usize;
        /// As a slice.
        pub fn as_slice(&self) -> &[T];
    }
    pub struct IntoIter<T>;
    impl<T> crate::iter::Iterator for IntoIter<T> { type Item = T; }
    impl<T> crate::iter::IntoIterator for Vec<T> { type Item = T; type IntoIter = IntoIter<T>; }
    impl<'a, T> crate::iter::IntoIterator for &'a Vec<T> { type Item = &'a T; type IntoIter = crate::slice::Iter<'a, T>; }
    impl<T> crate::iter::IntoIterator for [T] { type Item = T; type IntoIter = IntoIter<T>; }
    impl<'a, T> crate::iter::IntoIterator for &'a [T] { type Item = &'a T; type IntoIter = crate::slice::Iter<'a, T>; }
}
/// Slices.
pub mod slice {
    pub struct Iter<'a, T>; pub struct IterMut<'a, T>; pub struct Chunks<'a, T>;
    impl<'a, T> crate::iter::Iterator for Iter<'a, T> { type Item = &'a T; }
    impl<'a, T> crate::iter::Iterator for IterMut<'a, T> { type Item = &'a mut T; }
    impl<'a, T> crate::iter::Iterator for Chunks<'a, T> { type Item = &'a [T]; }
    impl<T> [T] {
        /// Number of elements.
        pub fn len(&self) -> usize;
        /// Whether there are none.
        pub fn is_empty(&self) -> bool;
        /// The first element.
        pub fn first(&self) -> crate::option::Option<&T>;
        /// The last element.
        pub fn last(&self) -> crate::option::Option<&T>;
        /// The first element and the rest.
        pub fn split_first(&self) -> crate::option::Option<(&T, &[T])>;
        /// The element at a position, if there is one.
        pub fn get(&self, index: usize) -> crate::option::Option<&T>;
        /// The element at a position, to change it.
        pub fn get_mut(&mut self, index: usize) -> crate::option::Option<&mut T>;
        /// Exchanges two elements.
        pub fn swap(&mut self, a: usize, b: usize);
        /// Turns the order round.
        pub fn reverse(&mut self);
        /// An iterator over references.
        pub fn iter(&self) -> Iter<'_, T>;
        /// An iterator over mutable references.
        pub fn iter_mut(&mut self) -> IterMut<'_, T>;
        /// Overlapping windows of a length.
        pub fn windows(&self, size: usize) -> Chunks<'_, T>;
        /// Pieces of a length, the last one may be shorter.
        pub fn chunks(&self, size: usize) -> Chunks<'_, T>;
        /// Pieces of exactly a length.
        pub fn chunks_exact(&self, size: usize) -> Chunks<'_, T>;
        /// The two parts at a position.
        pub fn split_at(&self, at: usize) -> (&[T], &[T]);
        /// Whether it contains a value.
        pub fn contains(&self, value: &T) -> bool;
        /// Whether it begins with another slice.
        pub fn starts_with(&self, needle: &[T]) -> bool;
        /// Sorts; equal elements keep their order.
        pub fn sort(&mut self);
        /// Sorts by a comparison, as in `v.sort_by(f64::total_cmp)`.
        pub fn sort_by<F: FnMut(&T, &T) -> crate::cmp::Ordering>(&mut self, compare: F);
        /// Sorts by a key.
        pub fn sort_by_key<K, F: FnMut(&T) -> K>(&mut self, f: F);
        /// Sorts; equal elements may change places.
        pub fn sort_unstable(&mut self);
        /// Position of a value in a sorted slice, or where it would go.
        pub fn binary_search(&self, value: &T) -> crate::result::Result<usize, usize>;
        /// Position of the first element of a sorted slice for which a condition fails.
        pub fn partition_point<P: FnMut(&T) -> bool>(&self, predicate: P) -> usize;
        /// Fills with clones of a value.
        pub fn fill(&mut self, value: T);
        /// Copies from a slice of the same length.
        pub fn copy_from_slice(&mut self, source: &[T]);
        /// A vector of clones.
        pub fn to_vec(&self) -> crate::vec::Vec<T>;
        /// The elements one after the other, with a separator between them.
        pub fn join(&self, separator: &str) -> crate::string::String;
        /// The elements one after the other.
        pub fn concat(&self) -> crate::vec::Vec<T>;
        /// The smallest and largest elements are at the ends after `sort`: rotates left by so many places.
        pub fn rotate_left(&mut self, middle: usize);
    }
}
/// Maps and sets.
pub mod collections {
    pub use crate::collections_hash::{HashMap, HashSet};
    pub use crate::collections_tree::{BTreeMap, BTreeSet, VecDeque};
}
mod collections_hash {
    /// A map by hash; its order is not fixed.
    #[derive(Debug)]
    pub struct HashMap<K, V>;
    impl<K, V> HashMap<K, V> {
        /// An empty map.
        pub fn new() -> HashMap<K, V>;
        /// The value of a key.
        pub fn get(&self, key: &K) -> crate::option::Option<&V>;
        /// The value of a key, to change it.
        pub fn get_mut(&mut self, key: &K) -> crate::option::Option<&mut V>;
        /// Whether a key is there.
        pub fn contains_key(&self, key: &K) -> bool;
        /// Puts in a value and gives back the old one.
        pub fn insert(&mut self, key: K, value: V) -> crate::option::Option<V>;
        /// Removes a key and gives its value.
        pub fn remove(&mut self, key: &K) -> crate::option::Option<V>;
        /// The place of a key: `*map.entry(k).or_insert(0) += 1`.
        pub fn entry(&mut self, key: K) -> Entry<K, V>;
        /// Number of keys.
        pub fn len(&self) -> usize;
        /// Whether there are none.
        pub fn is_empty(&self) -> bool;
        /// Its keys.
        pub fn keys(&self) -> crate::slice::Iter<'_, K>;
        /// Its values.
        pub fn values(&self) -> crate::slice::Iter<'_, V>;
        /// Its values, to change them.
        pub fn values_mut(&mut self) -> crate::slice::IterMut<'_, V>;
        /// Its pairs.
        pub fn iter(&self) -> Pairs<'_, K, V>;
        /// Removes everything.
        pub fn clear(&mut self);
    }
    /// The place of a key in a map.
    pub struct Entry<K, V>;
    impl<K, V> Entry<K, V> {
        /// The value, put in first where there is none.
        pub fn or_insert(self, default: V) -> &mut V;
        /// The value, made by a function where there is none.
        pub fn or_insert_with<F: FnOnce() -> V>(self, f: F) -> &mut V;
        /// The value, the type's default where there is none.
        pub fn or_default(self) -> &mut V;
    }
    pub struct Pairs<'a, K, V>;
    impl<'a, K, V> crate::iter::Iterator for Pairs<'a, K, V> { type Item = (&'a K, &'a V); }
    impl<K, V> crate::iter::IntoIterator for HashMap<K, V> { type Item = (K, V); }
    impl<'a, K, V> crate::iter::IntoIterator for &'a HashMap<K, V> { type Item = (&'a K, &'a V); }
    /// A set by hash.
    #[derive(Debug)]
    pub struct HashSet<T>;
    impl<T> HashSet<T> {
        /// An empty set.
        pub fn new() -> HashSet<T>;
        /// Puts in a value; whether it was new.
        pub fn insert(&mut self, value: T) -> bool;
        /// Whether a value is there.
        pub fn contains(&self, value: &T) -> bool;
        /// Removes a value; whether it was there.
        pub fn remove(&mut self, value: &T) -> bool;
        /// Number of values.
        pub fn len(&self) -> usize;
        /// Whether there are none.
        pub fn is_empty(&self) -> bool;
        /// Its values.
        pub fn iter(&self) -> crate::slice::Iter<'_, T>;
    }
    impl<T> crate::iter::IntoIterator for HashSet<T> { type Item = T; }
}
mod collections_tree {
    use crate::collections_hash::{Entry, Pairs};
    /// A map in order of its keys.
    #[derive(Debug)]
    pub struct BTreeMap<K, V>;
    impl<K, V> BTreeMap<K, V> {
        /// An empty map.
        pub fn new() -> BTreeMap<K, V>;
        /// The value of a key.
        pub fn get(&self, key: &K) -> crate::option::Option<&V>;
        /// The value of a key, to change it.
        pub fn get_mut(&mut self, key: &K) -> crate::option::Option<&mut V>;
        /// Whether a key is there.
        pub fn contains_key(&self, key: &K) -> bool;
        /// Puts in a value and gives back the old one.
        pub fn insert(&mut self, key: K, value: V) -> crate::option::Option<V>;
        /// Removes a key and gives its value.
        pub fn remove(&mut self, key: &K) -> crate::option::Option<V>;
        /// The place of a key: `*map.entry(k).or_insert(0) += 1`.
        pub fn entry(&mut self, key: K) -> Entry<K, V>;
        /// Number of keys.
        pub fn len(&self) -> usize;
        /// Whether there are none.
        pub fn is_empty(&self) -> bool;
        /// Its keys, in order.
        pub fn keys(&self) -> crate::slice::Iter<'_, K>;
        /// Its values, in order of the keys.
        pub fn values(&self) -> crate::slice::Iter<'_, V>;
        /// Its pairs, in order.
        pub fn iter(&self) -> Pairs<'_, K, V>;
        /// The pair with the smallest key.
        pub fn first_key_value(&self) -> crate::option::Option<(&K, &V)>;
        /// The pair with the largest key.
        pub fn last_key_value(&self) -> crate::option::Option<(&K, &V)>;
    }
    impl<K, V> crate::iter::IntoIterator for BTreeMap<K, V> { type Item = (K, V); }
    impl<'a, K, V> crate::iter::IntoIterator for &'a BTreeMap<K, V> { type Item = (&'a K, &'a V); }
    /// A set in order.
    #[derive(Debug)]
    pub struct BTreeSet<T>;
    impl<T> BTreeSet<T> {
        /// An empty set.
        pub fn new() -> BTreeSet<T>;
        /// Puts in a value; whether it was new.
        pub fn insert(&mut self, value: T) -> bool;
        /// Whether a value is there.
        pub fn contains(&self, value: &T) -> bool;
        /// Removes a value; whether it was there.
        pub fn remove(&mut self, value: &T) -> bool;
        /// Number of values.
        pub fn len(&self) -> usize;
        /// Whether there are none.
        pub fn is_empty(&self) -> bool;
        /// Its values, in order.
        pub fn iter(&self) -> crate::slice::Iter<'_, T>;
    }
    impl<T> crate::iter::IntoIterator for BTreeSet<T> { type Item = T; }
    /// A queue with two ends.
    #[derive(Clone, Debug)]
    pub struct VecDeque<T>;
    impl<T> VecDeque<T> {
        /// An empty queue.
        pub fn new() -> VecDeque<T>;
        /// Adds an element at the end.
        pub fn push_back(&mut self, value: T);
        /// Adds an element at the front.
        pub fn push_front(&mut self, value: T);
        /// Takes the first element.
        pub fn pop_front(&mut self) -> crate::option::Option<T>;
        /// Takes the last element.
        pub fn pop_back(&mut self) -> crate::option::Option<T>;
        /// Number of elements.
        pub fn len(&self) -> usize;
        /// An iterator over references.
        pub fn iter(&self) -> crate::slice::Iter<'_, T>;
    }
    impl<T> crate::iter::IntoIterator for VecDeque<T> { type Item = T; }
}
