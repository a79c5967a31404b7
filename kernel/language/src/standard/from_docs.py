#!/usr/bin/env python3
"""Writes `std.txt`: the standard library's stable declarations, read from the pages that come with the toolchain.

    rustup component add rust-docs
    python3 kernel/language/src/standard/from_docs.py           # writes the file anew
    python3 kernel/language/src/standard/from_docs.py --check   # only says whether it is what would be written

To be run when the toolchain changes. Signatures and names are taken, no sentences: the lines of documentation are our own,
in `descriptions.txt`, and a line there whose item is gone is told. Left out: what is unstable or deprecated; allocators;
`const` before `fn`; bounds that say nothing to a reader (`Self: Sized`); impls of traits whose methods nobody calls by name.
Blocks of `INT`, `Signed`, `Unsigned`, `FLOAT` and `ATOMIC` stand for each type of the family: see `standard.rs`.
"""

import html
import re
import subprocess
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).parent
SYSROOT = subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip()
DOCS = Path(SYSROOT, "share/doc/rust/html/std")
OURS = dict(line.split(": ", 1) for line in (HERE / "descriptions.txt").read_text().splitlines())
UNUSED = set(OURS)

ITEMS = {"struct", "enum", "union", "trait", "fn", "macro", "constant", "static", "type"}
INTS = [sign + bits for sign in "iu" for bits in ("8", "16", "32", "64", "128", "size")]
LEFT_OUT = {"alloc", "arch", "intrinsics", "os", "prelude", "primitive", "simd", "f16", "f128", *INTS}
NOISE = {"Any", "Borrow", "BorrowMut", "RefUnwindSafe", "Send", "Sync", "TryInto", "Unpin", "UnwindSafe", "Drop", "IndexMut",
    "FusedIterator", "SliceIndex"}
# Impls for all types that would be offered on each of them.
NOISE_FOR_ALL = {"From", "Into", "TryFrom"}
DERIVED = {"Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"}
# Pointers hand on what they point to; dereferencing finds it there, and only where it is.
POINTERS = r"(Box|Rc|Arc|Pin|Cow|ManuallyDrop|AssertUnwindSafe|LazyCell|LazyLock|Ref|RefMut|\w+Guard)<"
PRELUDE = """borrow::ToOwned boxed::Box clone::Clone cmp::Eq cmp::Ord cmp::PartialEq cmp::PartialOrd convert::AsMut convert::AsRef
    convert::From convert::Into convert::TryFrom convert::TryInto default::Default iter::DoubleEndedIterator iter::ExactSizeIterator
    iter::Extend iter::FromIterator iter::IntoIterator iter::Iterator marker::Copy marker::Send marker::Sized marker::Sync
    marker::Unpin mem::align_of mem::align_of_val mem::drop mem::size_of mem::size_of_val ops::Drop ops::Fn ops::FnMut ops::FnOnce
    option::Option option::Option::None option::Option::Some result::Result result::Result::Err result::Result::Ok string::String
    string::ToString vec::Vec""".split()
KNOWN = {path.split("::")[-1]: f"std::{path}" for path in PRELUDE}
# What the index cannot follow, through traits that are no part of the stable library or bindings of projections.
INSTEAD = {
    "primitive::slice::get": "pub fn get(&self, index: usize) -> Option<&T>",
    "primitive::slice::get_mut": "pub fn get_mut(&mut self, index: usize) -> Option<&mut T>",
    "primitive::slice::concat": "pub fn concat(&self) -> Vec<T>",
    "primitive::slice::join": "pub fn join(&self, separator: &str) -> String",
    "primitive::str::get": "pub fn get(&self, range: Range<usize>) -> Option<&str>",
    "iter::Flatten::Item": "type Item = <<I as Iterator>::Item as IntoIterator>::Item",
    "string::String::Output": "type Output = str",
}
# How a primitive type begins.
OPENS = {"slice": "[", "array": "[", "tuple": "(", "unit": "("}
HEADING = re.compile(r'<h2 id="([^"]+)" class="[^"]*section-header[^"]*">')
ENTRY = re.compile(r'<dt[^>]*><a class="(\w+)" href="([^"]+)" title="[^"]*">.*?</a>(.*?)</dt>', re.S)
REEXPORT = re.compile(r'<dt id="reexport\.\w+"><code>[^"]*<a [^>]*title="\w+ (std::[\w:]+)"')
LINK = re.compile(r'<a class="(?:struct|enum|union|trait|type)" [^>]*title="\w+ (std::[\w:]+)">\w+</a>')
MEMBER = re.compile(
    r'<section id="(?:ty)?(method|associatedtype|associatedconstant)\.[^"]*" class="[^"]*">'
    r'(?:(?!</section>).)*?<h4 class="code-header">(.*?)</h4></section>(<span class="item-info">.*?</summary>)?', re.S)
VARIANT = re.compile(
    r'<section id="variant\.\w+".*?<h3 class="code-header">(.*?)</h3></section>(<span class="item-info">.*?</span></div>)?', re.S)
IMPL = re.compile(r"(?:unsafe )?impl(<.*?[^-]>)? (?:const )?((?:\w+::)*(\w+).*?) for (.*?)(?: where (.*))?")
HIDDEN = re.compile(
    r'<a href="#" class="tooltip".*?</a>|<div class="code-attribute">.*?</div>|<summary.*?</summary>|<span class="comment">.*?</span>',
    re.S)

# Stable traits, and the blocks of families' types, as pairs of a head and a line in it.
TRAITS, FOUND = set(), {}


class Module:
    """A module's own names, what it imports, its declarations, and its impls as pairs of a head and a line in it."""

    def __init__(self, path):
        self.path, self.names, self.uses, self.entries = path, set(), {}, []
        self.lines, self.blocks, self.inner = [], [], []

    def named(self, path):
        """How this module writes an item of any module."""
        around, name = path.rsplit("::", 1)
        if around == self.path:
            return name
        if name not in self.names and KNOWN.get(name, path) == path and self.uses.get(name, path) == path:
            if name not in KNOWN:
                self.uses[name] = path
            return name
        outer = around.rsplit("::", 1)[-1]
        if outer in self.names or self.uses.setdefault(outer, around) != around:
            return path
        return f"{outer}::{name}"

    def declaration(self, markup):
        """Code in one line, without what tells a reader nothing."""
        markup = LINK.sub(lambda link: self.named(link[1]), HIDDEN.sub("", markup)).replace('<div class="where">', " ")
        text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).split()).replace("( ", "(").replace(", )", ")")
        head, _, bounds = text.partition(" where ")
        head = re.sub(r"\bconst ((?:unsafe )?(?:extern \"C\" )?fn)", r"\1", head)
        kept = [bound for bound in split(bounds) if not re.fullmatch(r"Self: Sized|\w+: \?Sized|A: .*Allocator.*|A:", bound)]
        kept = [re.sub(r"(?<=^Self: )Sized \+ | \+ \?Sized|\?Sized \+ ", "", bound) for bound in kept]
        text = head + (" where " + ", ".join(kept) if kept else "")
        if "A: Allocator" in bounds + head or re.search(r"\bA = Global|, A>", head):
            text = re.sub(r"(, )?\bA(: [\w +']*Allocator[\w +']*)?( = Global)?(?=[,>])", "", text)
        return text.replace("<>", "").replace("<, ", "<")

    def render(self):
        """The module's text."""
        lines = list(self.lines)
        for head, pairs in groupby(self.blocks, key=lambda pair: pair[0]):
            lines.append(block(head, [line for _, line in pairs if line]))
        written = set(re.findall(r"\w+", re.sub("///.*", "", "\n".join(lines))))
        uses = sorted(path for name, path in self.uses.items() if name in written)
        for inner in self.inner:
            lines.append(described(inner.path[5:], f"pub mod {inner.path.rsplit('::', 1)[1]} {{\n{inner.render()}\n}}"))
        return "\n".join(([f"use {{{', '.join(uses)}}};"] if uses else []) + lines)


def split(text):
    """The parts between commas, brackets kept whole."""
    parts, depth = [""], 0
    for before, letter in zip(" " + text, text):
        depth += (letter in "<([{") - (letter in ")]}" or letter == ">" and before != "-")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def unstable(markup):
    return "stab unstable" in markup or "stab deprecated" in markup


def described(key, line):
    UNUSED.discard(key)
    return f"/// {OURS[key]}\n{line}" if key in OURS else line


def block(head, lines):
    inner = "\n".join(lines).replace("\n", "\n    ")
    return f"{head} {{\n    {inner}\n}}" if lines else head if head.endswith("}") else f"{head} {{}}"


def regions(page):
    """What stands below each heading."""
    parts = HEADING.split(page)
    return defaultdict(str, zip(parts[1::2], parts[2::2]))


def members(module, markup, key):
    """Functions, constants and associated types: name and declaration."""
    for kind, code, info in MEMBER.findall(markup):
        line = module.declaration(code)
        name = re.search(r"\b(?:fn|type|const) (?:r#)?(\w+)", line)[1]
        line = INSTEAD.get(f"{key}::{name}", line.split(" = ")[0] if kind == "associatedconstant" else line)
        if not unstable(info) and not ("type" in kind and "SliceIndex" in line):
            yield name, described(f"{key}::{name}", line + ";")


def impls(module, markup):
    """The impls of a list: markup of the header, the header, and the body."""
    for part in re.split(r'<section id="impl-', markup)[1:]:
        header, _, body = part.partition("</h3>")
        header = header.split('<h3 class="code-header">')[1]
        if not unstable(body.split('<div class="impl-items">')[0]):
            yield header, module.declaration(header), body


def inherent(module, markup, key):
    """A type's own functions and constants."""
    names = set()
    for _, head, body in impls(module, markup):
        if concrete := re.match(r"impl NonZero<(\w+)>", head):
            head, body = "impl<T> NonZero<T>", re.sub(rf"\b{concrete[1]}\b(?!\.html)", "T", body)
        again = concrete or "&mut" in head or "MaybeUninit" in head
        lines = [(name, line) for name, line in members(module, body, key) if not (again and name in names)]
        names |= {name for name, _ in lines}
        yield from ((head, line) for _, line in lines)


def wanted(name, subject, types, own):
    """Whether an impl of a trait adds what is called by name, and is this page's own."""
    base = re.sub(r"^&('\w+ )?(mut )?", "", subject)
    if name in NOISE or name.endswith("Assign") or not base.startswith(OPENS.get(own, own)) or not own and len(subject) > 1:
        return False
    if subject[0] == "&" and name != "IntoIterator" or name == "Index" and not types or name == "Debug" and "<" in subject:
        return False
    return not re.match(POINTERS, subject) or name in DERIVED | {"From", "Deref", "DerefMut", "Display"}


def of_traits(module, markup, own, key):
    """Impls of traits, with associated types only: what can be derived, and the others' heads. `own` is the
    page's type, or nothing where impls for all types are asked for."""
    derives, heads, seen = [], [], set()
    found = [(markup, IMPL.fullmatch(head), body) for markup, head, body in impls(module, markup)]
    # By value first: `Add<f64> for f64` has the result that `Add<&f64> for f64` refers to.
    for header, match, body in sorted((one for one in found if one[1]), key=lambda one: "&" in one[1][2]):
        generics, of, name, subject, bounds = (part or "" for part in match.groups())
        path = re.search(rf'title="trait (std::[\w:]+::{name})"', header)
        types = [line for _, line in members(module, body, key) if line.startswith("type")]
        general = re.fullmatch(r"(\w+)(<(('\w+|[A-Z]\w?)(, )?)+>)?", subject)
        same = {(name, subject, *types), (name, subject.split("<")[0])} if not types else {(name, subject)}
        if not path or path[1] not in TRAITS or not wanted(name, subject, types, own) or same & seen:
            continue
        seen.add((name, general[1] if general and not types else subject))
        if not types and name in DERIVED and subject == own and not key.startswith("primitive"):
            derives.append(name)
            continue
        if "₁" in subject:
            for parts in (["A", "B"], ["A", "B", "C"]):
                listed, asked = ", ".join(parts), ", ".join(f"{part}: {name}" for part in parts)
                heads.append(f"impl<{listed}> {name} for ({listed}) where {asked} {{}}")
        if "₁" in of + subject:
            continue
        bounds = [bound for bound in split(bounds) if re.match(r"\w+: (?!')", bound) and not bound.endswith(": Allocator")]
        bounds = " where " + ", ".join(bounds) if bounds else ""
        heads.append(f"impl{generics} {of} for {subject}{bounds} {{ {' '.join(types)} }}".replace("{  }", "{}"))
    return derives, [(head, "") for head in heads]


def item(module, kind, name):
    """One page: the item with its impls."""
    page = (DOCS / module.path[5:].replace("::", "/") / f"{kind}.{name}.html").read_text()
    key, below = f"{module.path}::{name}"[5:], regions(page)
    code = re.search(r'item-decl"><code>(.*?)</code></pre>', page, re.S)[1]
    homes = set(re.findall(rf'title="{kind} (std::[\w:]+::{name})"', page)) if kind in ("struct", "enum", "union") else ()
    if homes and f"std::{key}" not in homes:
        return module.lines.append(f"pub use {min(homes)};")
    if kind == "macro":
        return module.lines.append(described(f"{name}!", f"pub macro {name} {{ () => {{}} }}"))
    if kind in ("fn", "type", "constant", "static"):
        return module.lines.append(described(key, module.declaration(code.split("; //")[0]).rstrip(";") + ";"))
    blocks, inside, derive = list(inherent(module, below["implementations"], key)), [], ""
    if kind == "trait":
        own = re.split(r'<h2 id="(?:foreign-impls|(?:trait-)?implementations|implementors)"', page)[0]
        inside = [line for _, line in members(module, own, key)]
        blocks += of_traits(module, below["implementors"], "", key)[1] if name not in NOISE_FOR_ALL else []
    else:
        derives, heads = of_traits(module, below["trait-implementations"], name, key)
        derive, blocks = f"#[derive({', '.join(derives)})]\n" if derives else "", blocks + heads
        for field in re.findall(r'<span id="structfield\.\w+".*?<code>(.*?)</code>', page):
            inside.append(described(f"{key}::{field.split(':')[0]}", f"pub {module.declaration(field)},"))
        for variant, info in VARIANT.findall(page):
            variant = module.declaration(variant).split(" = ")[0]
            inside += [] if unstable(info) else [described(f"{key}::{variant.split('(')[0]}", variant + ",")]
    head = module.declaration(re.split(r"\{|;\s*$", code)[0])
    if kind == "struct" and (not inside or "(" in head.split(" where ")[0]):
        head = re.sub(r"\((?!.*pub ).*?\)$", "", head) + ";"
    else:
        head = block(head, inside)
    module.lines.append(described(key, derive + head))
    (FOUND.setdefault(name, []) if words(name) else module.blocks).extend(blocks)
    return None


def primitive(module, name):
    """A primitive type's own functions and its impls of traits."""
    below = regions((DOCS / f"primitive.{name}.html").read_text())
    key = "primitive::" + ("FLOAT" if name[0] == "f" else "INT" if name in INTS else name)
    blocks = list(inherent(module, below["implementations"], key))
    blocks += of_traits(module, below["trait-implementations"], name, key)[1]
    (FOUND.setdefault(name, []) if words(name) else module.blocks).extend(blocks)


def words(name):
    """What the words of a family's blocks mean for one of its types; nothing for other types."""
    match = re.fullmatch(r"(Atomic)?([iufIU])(8|16|32|64|128|size)", name)
    if not match:
        return {}
    atomic, sign, bits = match.groups()
    bytes_ = {"BYTES": str(int(bits.replace("size", "64")) // 8)}
    if atomic:
        return {"ATOMIC": name, "INT": sign.lower() + bits}
    return {"FLOAT": name, **bytes_} if sign == "f" else {"INT": name, "Signed": "i" + bits, "Unsigned": "u" + bits, **bytes_}


def family(base, names, types):
    """What is the same for all `types` when words stand for what `base` calls by names, taken away from each."""
    def form(text):
        return re.sub("|".join(rf"\b{name}\b" for name in names), lambda found: names[found[0]], text).replace("[u8; 8]", "[u8; BYTES]")

    def of_one(name, text):
        meant = words(name)
        return re.sub("|".join(meant), lambda found: meant[found[0]], text)

    shared = []
    for pair in list(FOUND[base]):
        forms = tuple(map(form, pair))
        each = [(FOUND[name], tuple(of_one(name, text) for text in forms)) for name in types]
        if all(one in pairs for pairs, one in each):
            shared.append(forms)
            for pairs, one in each:
                pairs.remove(one)
    return shared


def scan(path, folder):
    """A module and those in it, with the names of their stable items."""
    module = Module(path)
    index = (folder / "index.html").read_text()
    module.lines += [f"pub use {path};" for path in REEXPORT.findall(index)]
    for kind, href, tail in ENTRY.findall(index):
        name = href.split("/")[0] if kind == "mod" else href.split(".")[1]
        if unstable(tail) or path == "std" and name in LEFT_OUT or kind not in ITEMS | {"mod"}:
            continue
        if kind == "mod":
            module.inner.append(scan(f"{path}::{name}", folder / name))
        else:
            module.entries.append((kind, name))
        if kind not in ("macro", "fn"):
            module.names.add(name)
        if kind == "trait":
            TRAITS.add(f"{path}::{name}")
    return module


def fill(module):
    for kind, name in module.entries:
        item(module, kind, name)
    for inner in module.inner:
        fill(inner)


def main():
    root, rest = scan("std", DOCS), Module("std::primitives")
    fill(root)
    homes = {inner.path: inner for outer in root.inner for inner in (outer, *outer.inner)}
    num, atomic = homes["std::num"], homes["std::sync::atomic"]
    for name in [*INTS, "f32", "f64"]:
        primitive(num, name)
    for name in ("slice", "str", "array", "char", "bool", "tuple", "unit"):
        primitive(homes.get(f"std::{name}", rest), name)
    num.blocks += family("i64", {"i64": "INT"}, INTS)
    num.blocks += family("i64", {"i64": "Signed", "u64": "Unsigned"}, INTS[:6])
    num.blocks += family("u64", {"u64": "Unsigned", "i64": "Signed"}, INTS[6:])
    num.blocks += family("f64", {"f64": "FLOAT"}, ["f32", "f64"])
    atomics = [name for name in FOUND if name.startswith("Atomic")]
    atomic.blocks += family("AtomicI64", {"AtomicI64": "ATOMIC", "i64": "INT"}, atomics)
    for name, blocks in FOUND.items():
        (atomic if name in atomics else num).blocks += blocks
    for key in [key for key in OURS if re.fullmatch(r"primitive::\w+", key)]:
        rest.lines.append(described(key, f"pub type prim_{key[11:]} = {key[11:]};"))
    prelude = ", ".join(PRELUDE + [name for kind, name in root.entries if kind == "macro"])
    version = subprocess.check_output(["rustc", "--version"], text=True).split()[1]
    text = f"""// Written by from_docs.py from the pages of Rust {version}. Declarations for the index: nothing compiles them.
pub mod prelude {{
pub use crate::{{{prelude}}};
}}
mod primitives {{
{rest.render()}
}}
{root.render()}
"""
    for key in sorted(UNUSED):
        print(f"descriptions.txt: there is no {key}", file=sys.stderr)
    if "--check" in sys.argv:
        sys.exit((HERE / "std.txt").read_text() != text and "std.txt is not what this toolchain's pages give: write it anew")
    (HERE / "std.txt").write_text(text)


if __name__ == "__main__":
    main()
