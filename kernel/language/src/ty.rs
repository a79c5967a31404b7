//! Types as written, read from text, and types as resolved.

/// A type as it stands in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// `a::b<C>`: segments, arguments of the last segment that has any, and `Item = T` bindings.
    Path(Vec<String>, Vec<Written>, Vec<(String, Written)>),
    /// `<T as Trait>::Name`.
    Projection(Box<Written>, Option<Box<Written>>, String),
    /// `&T` or `&mut T`.
    Ref(Box<Written>),
    /// `[T]`.
    Slice(Box<Written>),
    /// `[T; N]`, with the length as text.
    Array(Box<Written>, String),
    /// `(A, B)`.
    Tuple(Vec<Written>),
    /// `fn(A) -> R`, `Fn(A) -> R`: arguments and result. The name of the trait is kept.
    Function(String, Vec<Written>, Box<Written>),
    /// `dyn A + B` and `impl A + B`.
    Bounds(Vec<Written>),
    /// `_`, `!`, raw pointers, constants and what was not understood.
    Unknown,
}

/// Reads a type.
pub fn read(text: &str) -> Written {
    let mut reader = Reader { rest: text.trim() };
    reader.ty()
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn peek(&mut self, token: &str) -> bool {
        self.skip();
        self.rest.starts_with(token)
    }

    /// A word that is not the beginning of a longer one.
    fn eat_word(&mut self, word: &str) -> bool {
        self.skip();
        let Some(rest) = self.rest.strip_prefix(word) else {
            return false;
        };
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = rest;
        true
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn lifetime(&mut self) -> bool {
        if !self.peek("'") {
            return false;
        }
        self.rest = &self.rest[1..];
        self.word();
        true
    }

    /// Everything up to the closing bracket of this level or a comma of this level.
    fn balanced(&mut self) -> &'a str {
        let mut depth = 0i32;
        let bytes = self.rest.as_bytes();
        let mut end = bytes.len();
        for (i, b) in bytes.iter().enumerate() {
            match b {
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b'>' if i > 0 && bytes[i - 1] == b'-' => {}
                b')' | b']' | b'}' | b'>' if depth == 0 => {
                    end = i;
                    break;
                }
                b')' | b']' | b'}' | b'>' => depth -= 1,
                b',' if depth == 0 => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn ty(&mut self) -> Written {
        self.skip();
        if self.eat("&") {
            self.lifetime();
            self.eat_word("mut");
            return Written::Ref(Box::new(self.ty()));
        }
        if self.eat("*") {
            let _ = self.eat_word("const") || self.eat_word("mut");
            self.ty();
            return Written::Unknown;
        }
        if self.eat("!") {
            return Written::Unknown;
        }
        if self.eat("[") {
            let inner = self.ty();
            let array = self.eat(";").then(|| self.balanced().trim().to_owned());
            self.eat("]");
            return match array {
                Some(length) => Written::Array(Box::new(inner), length),
                None => Written::Slice(Box::new(inner)),
            };
        }
        if self.eat("(") {
            let mut parts = Vec::new();
            let mut comma = false;
            while !self.peek(")") && !self.rest.is_empty() {
                parts.push(self.ty());
                comma = self.eat(",");
                if !comma {
                    break;
                }
            }
            self.eat(")");
            return match parts.pop() {
                Some(only) if parts.is_empty() && !comma => only,
                Some(last) => {
                    parts.push(last);
                    Written::Tuple(parts)
                }
                None => Written::Tuple(parts),
            };
        }
        if self.peek("<") {
            return self.projection();
        }
        if self.eat_word("dyn") || self.eat_word("impl") {
            return self.bounds();
        }
        if self.eat_word("for") {
            self.eat("<");
            while self.lifetime() {
                self.eat(",");
            }
            self.eat(">");
            return self.ty();
        }
        let _ = self.eat_word("unsafe");
        if self.eat_word("extern") {
            if self.eat("\"") {
                self.word();
                self.eat("\"");
            }
            return self.ty();
        }
        self.path()
    }

    fn bounds(&mut self) -> Written {
        let mut all = Vec::new();
        loop {
            if !self.lifetime() {
                self.eat("?");
                let open = self.eat("(");
                all.push(self.ty());
                if open {
                    self.eat(")");
                }
            }
            if !self.eat("+") {
                break;
            }
        }
        Written::Bounds(all)
    }

    fn projection(&mut self) -> Written {
        self.eat("<");
        let of = self.ty();
        let by = self.eat_word("as").then(|| Box::new(self.ty()));
        self.eat(">");
        let mut found = of;
        let mut by = by;
        while self.eat("::") {
            let name = self.word().to_owned();
            found = Written::Projection(Box::new(found), by.take(), name);
        }
        found
    }

    fn path(&mut self) -> Written {
        let mut segments = Vec::new();
        let (mut args, mut bindings) = (Vec::new(), Vec::new());
        if self.eat("::") {
            segments.push("::".to_owned());
        }
        loop {
            self.eat("r#");
            let word = self.word();
            if word.is_empty() {
                // A literal or an expression as constant argument.
                if segments.is_empty() {
                    self.balanced();
                    return Written::Unknown;
                }
                break;
            }
            if self.peek("!") && segments.is_empty() {
                self.balanced();
                return Written::Unknown;
            }
            segments.push(word.to_owned());
            if self.peek("(") && (word == "fn" || word.starts_with("Fn")) {
                return self.function(word);
            }
            let turbofish = self.peek("::<");
            if turbofish {
                self.eat("::");
            }
            if self.eat("<") {
                (args, bindings) = self.arguments();
            }
            if !self.peek("::") {
                break;
            }
            self.eat("::");
        }
        if segments.len() == 1 && (segments[0] == "_" || segments[0].starts_with(|c: char| c.is_ascii_digit())) {
            return Written::Unknown;
        }
        Written::Path(segments, args, bindings)
    }

    fn function(&mut self, name: &str) -> Written {
        self.eat("(");
        let mut inputs = Vec::new();
        while !self.peek(")") && !self.rest.is_empty() {
            inputs.push(self.ty());
            // `fn(x: T)` names its argument.
            if self.peek(":") && !self.peek("::") {
                self.eat(":");
                inputs.pop();
                inputs.push(self.ty());
            }
            if !self.eat(",") {
                break;
            }
        }
        self.eat(")");
        let result = if self.eat("->") { self.ty() } else { Written::Tuple(Vec::new()) };
        Written::Function(name.to_owned(), inputs, Box::new(result))
    }

    fn arguments(&mut self) -> (Vec<Written>, Vec<(String, Written)>) {
        let (mut args, mut bindings) = (Vec::new(), Vec::new());
        while !self.peek(">") && !self.rest.is_empty() {
            if !self.lifetime() {
                let arg = self.ty();
                match &arg {
                    Written::Path(name, _, _) if self.peek("=") && name.len() == 1 => {
                        self.eat("=");
                        let bound = self.ty();
                        bindings.push((name[0].clone(), bound));
                    }
                    _ => {
                        args.push(arg);
                        if !self.peek(",") && !self.peek(">") {
                            self.balanced();
                        }
                    }
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.eat(">");
        (args, bindings)
    }
}

/// An item of some crate: crate, module, number in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Def {
    /// Number of the crate.
    pub krate: usize,
    /// Number of the module.
    pub module: u32,
    /// Number of the item.
    pub item: u32,
}

/// A trait with its arguments and bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The trait.
    pub def: Def,
    /// Its arguments.
    pub args: Vec<Ty>,
    /// `Item = T`.
    pub bindings: Vec<(String, Ty)>,
}

/// A resolved type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    /// A struct, enum or union.
    Adt(Def, Vec<Ty>),
    /// A number, `str`, `bool` or `char`.
    Prim(String),
    /// A reference.
    Ref(Box<Ty>),
    /// A slice.
    Slice(Box<Ty>),
    /// An array of a length.
    Array(Box<Ty>, String),
    /// A tuple.
    Tuple(Vec<Ty>),
    /// A function pointer, or a function trait: arguments and result.
    Function(Vec<Ty>, Box<Ty>),
    /// `dyn A`, `impl A`, and generic parameters with their bounds.
    Bounded(String, Vec<Bound>),
    /// A generic parameter, while impls are matched.
    Param(String),
    /// Not known.
    Unknown,
}

impl Ty {
    /// The type behind references.
    pub fn behind(&self) -> &Ty {
        match self {
            Ty::Ref(inner) => inner.behind(),
            other => other,
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self.behind(), Ty::Unknown)
    }
}

/// The names of primitive types.
pub const PRIMITIVES: [&str; 17] = [
    "f64", "f32", "usize", "u64", "u32", "u16", "u8", "u128", "isize", "i64", "i32", "i16", "i8", "i128", "bool",
    "char", "str",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str, args: Vec<Written>) -> Written {
        Written::Path(name.split("::").map(str::to_owned).collect(), args, Vec::new())
    }

    #[test]
    fn types_are_read() {
        assert_eq!(
            read("std::result::Result<Vec<f64>, E>"),
            path("std::result::Result", vec![path("Vec", vec![path("f64", vec![])]), path("E", vec![])])
        );
        assert_eq!(read("&'a mut [f64]"), Written::Ref(Box::new(Written::Slice(Box::new(path("f64", vec![]))))));
        assert_eq!(
            read("ndarray::Dim<[usize; 2]>"),
            path("ndarray::Dim", vec![Written::Array(Box::new(path("usize", vec![])), "2".into())])
        );
        assert_eq!(read("()"), Written::Tuple(vec![]));
        assert_eq!(read("(f64,)"), Written::Tuple(vec![path("f64", vec![])]));
        assert_eq!(read("(f64)"), path("f64", vec![]));
    }

    #[test]
    fn projections_functions_and_bounds_are_read() {
        assert_eq!(
            read("<S as RawData>::Elem"),
            Written::Projection(Box::new(path("S", vec![])), Some(Box::new(path("RawData", vec![]))), "Elem".into())
        );
        assert_eq!(
            read("impl Iterator<Item = f64> + '_"),
            Written::Bounds(vec![Written::Path(
                vec!["Iterator".into()],
                vec![],
                vec![("Item".into(), path("f64", vec![]))]
            )])
        );
        assert_eq!(
            read("Box<dyn Fn(f64) -> f64>"),
            path(
                "Box",
                vec![Written::Bounds(vec![Written::Function(
                    "Fn".into(),
                    vec![path("f64", vec![])],
                    Box::new(path("f64", vec![]))
                )])]
            )
        );
        assert_eq!(read("Matrix<3, { N + 1 }, f64>").clone(), {
            path("Matrix", vec![Written::Unknown, Written::Unknown, path("f64", vec![])])
        });
    }

    #[test]
    fn broken_text_ends() {
        for text in ["", "<", "Vec<", "(", "[", "fn(", "a::", "&", "dyn", "Vec<,>", "«»", "'a"] {
            let _ = read(text);
        }
    }
}
