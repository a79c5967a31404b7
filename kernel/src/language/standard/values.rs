/// Values that may be missing.
pub mod option {
    /// A value, or none.
    #[derive(Clone, Debug)]
    pub enum Option<T> { /// No value.
        None, /// A value.
        Some(T) }
    impl<T> Option<T> {
        /// Whether there is a value.
        pub fn is_some(&self) -> bool;
        /// Whether there is a value and it satisfies a condition.
        pub fn is_some_and<F: FnOnce(T) -> bool>(self, f: F) -> bool;
        /// Whether there is none.
        pub fn is_none(&self) -> bool;
        /// A reference to the value.
        pub fn as_ref(&self) -> Option<&T>;
        /// A mutable reference to the value.
        pub fn as_mut(&mut self) -> Option<&mut T>;
        /// The value as a reference to what it dereferences to.
        pub fn as_deref(&self) -> Option<&<T as crate::ops::Deref>::Target>;
        /// The value; fails with a message when there is none.
        pub fn expect(self, message: &str) -> T;
        /// The value; fails when there is none.
        pub fn unwrap(self) -> T;
        /// The value, or another one.
        pub fn unwrap_or(self, default: T) -> T;
        /// The value, or that of a function.
        pub fn unwrap_or_else<F: FnOnce() -> T>(self, f: F) -> T;
        /// The value, or the type's default.
        pub fn unwrap_or_default(self) -> T;
        /// A function of the value.
        pub fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Option<U>;
        /// A function of the value, or a default.
        pub fn map_or<U, F: FnOnce(T) -> U>(self, default: U, f: F) -> U;
        /// The value as `Ok`, or an error.
        pub fn ok_or<E>(self, error: E) -> crate::result::Result<T, E>;
        /// The value as `Ok`, or the error of a function.
        pub fn ok_or_else<E, F: FnOnce() -> E>(self, f: F) -> crate::result::Result<T, E>;
        /// An iterator over the value.
        pub fn iter(&self) -> crate::slice::Iter<'_, T>;
        /// The second option when there is a value.
        pub fn and<U>(self, other: Option<U>) -> Option<U>;
        /// A function of the value that may give none.
        pub fn and_then<U, F: FnOnce(T) -> Option<U>>(self, f: F) -> Option<U>;
        /// The value if it satisfies a condition.
        pub fn filter<P: FnOnce(&T) -> bool>(self, predicate: P) -> Option<T>;
        /// The value, or another option.
        pub fn or(self, other: Option<T>) -> Option<T>;
        /// The value, or the option of a function.
        pub fn or_else<F: FnOnce() -> Option<T>>(self, f: F) -> Option<T>;
        /// Takes the value and leaves none.
        pub fn take(&mut self) -> Option<T>;
        /// Puts in a value and gives back the old one.
        pub fn replace(&mut self, value: T) -> Option<T>;
        /// The value, put in first where there is none.
        pub fn get_or_insert_with<F: FnOnce() -> T>(&mut self, f: F) -> &mut T;
        /// Both values as a pair.
        pub fn zip<U>(self, other: Option<U>) -> Option<(T, U)>;
    }
    impl<T> Option<&T> {
        /// A clone of the value behind the reference.
        pub fn cloned(self) -> Option<T>;
        /// A copy of the value behind the reference.
        pub fn copied(self) -> Option<T>;
    }
    impl<T> crate::iter::IntoIterator for Option<T> { type Item = T; }
}
/// Values or errors.
pub mod result {
    /// A value, or an error.
    #[derive(Clone, Debug)]
    pub enum Result<T, E> { /// A value.
        Ok(T), /// An error.
        Err(E) }
    impl<T, E> Result<T, E> {
        /// Whether it is a value.
        pub fn is_ok(&self) -> bool;
        /// Whether it is a value that satisfies a condition.
        pub fn is_ok_and<F: FnOnce(T) -> bool>(self, f: F) -> bool;
        /// Whether it is an error.
        pub fn is_err(&self) -> bool;
        /// The value, if there is one.
        pub fn ok(self) -> crate::option::Option<T>;
        /// The error, if there is one.
        pub fn err(self) -> crate::option::Option<E>;
        /// References to value or error.
        pub fn as_ref(&self) -> Result<&T, &E>;
        /// A function of the value.
        pub fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Result<U, E>;
        /// A function of the value, or a default.
        pub fn map_or<U, F: FnOnce(T) -> U>(self, default: U, f: F) -> U;
        /// A function of the error.
        pub fn map_err<O, F: FnOnce(E) -> O>(self, f: F) -> Result<T, O>;
        /// A function of the value that may fail.
        pub fn and_then<U, F: FnOnce(T) -> Result<U, E>>(self, f: F) -> Result<U, E>;
        /// A function of the error that may mend it.
        pub fn or_else<O, F: FnOnce(E) -> Result<T, O>>(self, f: F) -> Result<T, O>;
        /// The value; fails with a message on an error.
        pub fn expect(self, message: &str) -> T;
        /// The value; fails on an error. In a cell `?` is shorter and keeps the error's message.
        pub fn unwrap(self) -> T;
        /// The error; fails on a value.
        pub fn unwrap_err(self) -> E;
        /// The value, or another one.
        pub fn unwrap_or(self, default: T) -> T;
        /// The value, or a function of the error.
        pub fn unwrap_or_else<F: FnOnce(E) -> T>(self, f: F) -> T;
        /// The value, or the type's default.
        pub fn unwrap_or_default(self) -> T;
        /// An iterator over the value.
        pub fn iter(&self) -> crate::slice::Iter<'_, T>;
    }
    impl<T, E> crate::iter::IntoIterator for Result<T, E> { type Item = T; }
}
/// Text.
pub mod string {
    /// Growable text in UTF-8.
    #[derive(Debug)]
    pub struct String;
    impl String {
        /// Empty text.
        pub fn new() -> String;
        /// Empty text with room for so many bytes.
        pub fn with_capacity(capacity: usize) -> String;
        /// Text from bytes in UTF-8.
        pub fn from_utf8(bytes: crate::vec::Vec<u8>) -> crate::result::Result<String, FromUtf8Error>;
        /// The text as a slice.
        pub fn as_str(&self) -> &str;
        /// Adds text at the end.
        pub fn push_str(&mut self, text: &str);
        /// Adds a character at the end.
        pub fn push(&mut self, c: char);
        /// Takes the last character.
        pub fn pop(&mut self) -> crate::option::Option<char>;
        /// Puts a character at a byte position.
        pub fn insert(&mut self, at: usize, c: char);
        /// Puts text at a byte position.
        pub fn insert_str(&mut self, at: usize, text: &str);
        /// Removes the character at a byte position.
        pub fn remove(&mut self, at: usize) -> char;
        /// Cuts to so many bytes.
        pub fn truncate(&mut self, length: usize);
        /// Removes everything.
        pub fn clear(&mut self);
        /// Its bytes.
        pub fn into_bytes(self) -> crate::vec::Vec<u8>;
        /// Room without growing, in bytes.
        pub fn capacity(&self) -> usize;
    }
    /// Bytes that are no text.
    pub struct FromUtf8Error;
    /// Values with a textual form.
    pub trait ToString {
        /// The value as text.
        fn to_string(&self) -> String;
    }
    impl ToString for str {} impl ToString for f64 {} impl ToString for f32 {} impl ToString for bool {} impl ToString for char {} impl ToString for String {}
}
pub mod str_ {
    /// Borrowed text in UTF-8.
    pub type prim_str = str;
    impl str {
        /// Length in bytes.
        pub fn len(&self) -> usize;
        /// Whether it has no characters.
        pub fn is_empty(&self) -> bool;
        /// Its characters.
        pub fn chars(&self) -> Chars<'_>;
        /// Its characters with their byte positions.
        pub fn char_indices(&self) -> CharIndices<'_>;
        /// Its bytes.
        pub fn bytes(&self) -> Bytes<'_>;
        /// Its bytes as a slice.
        pub fn as_bytes(&self) -> &[u8];
        /// Its lines.
        pub fn lines(&self) -> Lines<'_>;
        /// The parts between separators.
        pub fn split(&self, separator: &str) -> Split<'_>;
        /// The parts between separators, at most so many.
        pub fn splitn(&self, n: usize, separator: &str) -> Split<'_>;
        /// The parts before and after the first separator.
        pub fn split_once(&self, separator: &str) -> crate::option::Option<(&str, &str)>;
        /// The parts before and after the last separator.
        pub fn rsplit_once(&self, separator: &str) -> crate::option::Option<(&str, &str)>;
        /// The words between white space.
        pub fn split_whitespace(&self) -> Split<'_>;
        /// The two parts at a byte position.
        pub fn split_at(&self, at: usize) -> (&str, &str);
        /// Without white space at both ends.
        pub fn trim(&self) -> &str;
        /// Without white space at the beginning.
        pub fn trim_start(&self) -> &str;
        /// Without white space at the end.
        pub fn trim_end(&self) -> &str;
        /// Without a pattern at both ends, however often.
        pub fn trim_matches(&self, pattern: &str) -> &str;
        /// Without a prefix, if it has it.
        pub fn strip_prefix(&self, prefix: &str) -> crate::option::Option<&str>;
        /// Without a suffix, if it has it.
        pub fn strip_suffix(&self, suffix: &str) -> crate::option::Option<&str>;
        /// Whether it contains a pattern.
        pub fn contains(&self, pattern: &str) -> bool;
        /// Whether it begins with a pattern.
        pub fn starts_with(&self, pattern: &str) -> bool;
        /// Whether it ends with a pattern.
        pub fn ends_with(&self, pattern: &str) -> bool;
        /// Byte position of a pattern.
        pub fn find(&self, pattern: &str) -> crate::option::Option<usize>;
        /// Byte position of the last occurrence of a pattern.
        pub fn rfind(&self, pattern: &str) -> crate::option::Option<usize>;
        /// With each occurrence of a pattern replaced.
        pub fn replace(&self, from: &str, to: &str) -> crate::string::String;
        /// In lower case.
        pub fn to_lowercase(&self) -> crate::string::String;
        /// In upper case.
        pub fn to_uppercase(&self) -> crate::string::String;
        /// Repeated so many times.
        pub fn repeat(&self, n: usize) -> crate::string::String;
        /// Read as a value: `text.parse::<f64>()?`.
        pub fn parse<F>(&self) -> crate::result::Result<F, ParseError>;
        /// The part in a range of bytes, if it lies between characters.
        pub fn get(&self, range: crate::ops::Range<usize>) -> crate::option::Option<&str>;
    }
    pub struct ParseError; pub struct Chars<'a>; pub struct CharIndices<'a>; pub struct Bytes<'a>; pub struct Lines<'a>; pub struct Split<'a>;
    impl<'a> crate::iter::Iterator for Chars<'a> { type Item = char; } impl<'a> crate::iter::Iterator for Bytes<'a> { type Item = u8; }
    impl<'a> crate::iter::Iterator for CharIndices<'a> { type Item = (usize, char); }
    impl<'a> crate::iter::Iterator for Lines<'a> { type Item = &'a str; } impl<'a> crate::iter::Iterator for Split<'a> { type Item = &'a str; }
    /// A Unicode scalar value.
    pub type prim_char = char;
    impl char {
        /// Whether it is a letter.
        pub fn is_alphabetic(self) -> bool;
        /// Whether it is a letter or a digit.
        pub fn is_alphanumeric(self) -> bool;
        /// Whether it is white space.
        pub fn is_whitespace(self) -> bool;
        /// Whether it is an ASCII digit.
        pub fn is_ascii_digit(&self) -> bool;
        /// Its value as a digit of a base.
        pub fn to_digit(self, radix: u32) -> crate::option::Option<u32>;
        /// In ASCII lower case.
        pub fn to_ascii_lowercase(&self) -> char;
        /// In ASCII upper case.
        pub fn to_ascii_uppercase(&self) -> char;
        /// Bytes it takes in UTF-8.
        pub fn len_utf8(self) -> usize;
    }
    /// True or false.
    pub type prim_bool = bool;
    impl bool {
        /// `Some` of a value when true.
        pub fn then_some<T>(self, value: T) -> crate::option::Option<T>;
        /// `Some` of a function's value when true.
        pub fn then<T, F: FnOnce() -> T>(self, f: F) -> crate::option::Option<T>;
    }
    /// A floating-point number of 64 bits.
    pub type prim_f64 = f64;
    /// A floating-point number of 32 bits.
    pub type prim_f32 = f32;
    /// An unsigned integer as wide as a pointer: lengths and indices.
    pub type prim_usize = usize;
    /// An unsigned integer of 64 bits.
    pub type prim_u64 = u64;
    /// A signed integer of 64 bits.
    pub type prim_i64 = i64;
    /// A signed integer of 32 bits.
    pub type prim_i32 = i32;
    /// An unsigned integer of 32 bits.
    pub type prim_u32 = u32;
    /// A byte.
    pub type prim_u8 = u8;
}
