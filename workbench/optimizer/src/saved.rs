//! States of optimizers, and of their training, as values and as bytes.

use std::io::Write;
use std::path::Path;

use super::{Error, Layout, Tensor};

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"wb-optim";
/// The version of the layout of the file.
const VERSION: u32 = 1;
const OP: &str = "Saved::from_bytes";

/// What an optimizer, or a training, needs to go on with the same bits.
///
/// As bytes, all little-endian: `wb-optim`, version (u32), name, settings, steps (u64), tensors, numbers, parts (each in this form), and
/// the 64-bit FNV-1a sum of all that came before. Texts and lists have their length (u64) in front; numbers are kept bit for bit.
///
/// ```
/// use workbench_optimizer::{Layout, Optimizer, Saved, classical::{Adam, AdamSettings}};
/// let adam = Adam::new(Layout::of(&[("x", &[2])])?, AdamSettings::default())?;
/// let bytes = adam.save().to_bytes();
/// assert_eq!(Saved::from_bytes(&bytes)?, adam.save());
/// assert!(Saved::from_bytes(&bytes[..bytes.len() - 1]).is_err());
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The rule.
    pub name: String,
    /// Its settings, which are held against those of the optimizer that is restored.
    pub settings: Vec<f64>,
    /// Steps taken.
    pub steps: u64,
    /// The layout.
    pub tensors: Vec<Tensor>,
    /// The state.
    pub numbers: Vec<f64>,
    /// States of what it is made of, as the rules of groups.
    pub parts: Vec<Saved>,
}

impl Saved {
    /// Refuses a state that does not belong to this rule with these settings and this layout.
    ///
    /// **Errors**: what differs.
    pub fn expect(
        &self,
        op: &'static str,
        name: &'static str,
        settings: &[f64],
        layout: &Layout,
        numbers: usize,
    ) -> Result<(), Error> {
        if self.name != name {
            let problem = format!("the state belongs to {}, not to {name}", self.name);
            return Err(Error::refused(op, problem, "restore it into an optimizer of its own kind"));
        }
        let same = |a: &[f64], b: &[f64]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
        if !same(&self.settings, settings) {
            let problem = format!("the state was saved with settings {:?}, here are {settings:?}", self.settings);
            return Err(Error::refused(op, problem, "make the optimizer with the settings it had"));
        }
        layout.expect(op, &self.tensors)?;
        if self.numbers.len() != numbers {
            let next = "the state is not that of this optimizer";
            return Err(Error::shape(op, ("numbers of the state", self.numbers.len()), ("needed", numbers), next));
        }
        Ok(())
    }

    /// As bytes. **Cost** O(numbers).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        text(&mut out, &self.name);
        numbers(&mut out, &self.settings);
        out.extend(self.steps.to_le_bytes());
        count(&mut out, self.tensors.len());
        for tensor in &self.tensors {
            text(&mut out, &tensor.name);
            count(&mut out, tensor.shape.len());
            tensor.shape.iter().for_each(|size| count(&mut out, *size));
            count(&mut out, tensor.range.start);
            count(&mut out, tensor.range.end);
        }
        numbers(&mut out, &self.numbers);
        count(&mut out, self.parts.len());
        for part in &self.parts {
            let bytes = part.to_bytes();
            count(&mut out, bytes.len());
            out.extend(bytes);
        }
        let sum = fnv(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// From bytes.
    ///
    /// **Errors**: bytes that are no such file, of another version, cut short or changed. **Cost** O(bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, Error> {
        let again = "write the file again from the run that made it";
        let body = bytes.len().checked_sub(8).filter(|body| *body >= MAGIC.len() + 4);
        let Some(body) = body else {
            return Err(Error::refused(OP, format!("{} bytes are too few", bytes.len()), again));
        };
        if &bytes[..MAGIC.len()] != MAGIC {
            return Err(Error::refused(OP, "the file is no state of an optimizer", "pass a file made by to_bytes"));
        }
        let mut reader = Reader { bytes: &bytes[MAGIC.len()..body] };
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            let problem = format!("the file has version {version}, this program reads version {VERSION}");
            return Err(Error::refused(OP, problem, again));
        }
        let mut sum = [0; 8];
        sum.copy_from_slice(&bytes[body..]);
        if fnv(&bytes[..body]) != u64::from_le_bytes(sum) {
            return Err(Error::refused(OP, "the checksum differs: the file is cut short or changed", again));
        }
        let saved = Saved {
            name: reader.text()?,
            settings: reader.numbers()?,
            steps: u64::from_le_bytes(reader.take()?),
            tensors: reader.tensors()?,
            numbers: reader.numbers()?,
            parts: reader.parts()?,
        };
        if !reader.bytes.is_empty() {
            return Err(Error::refused(OP, "bytes are left over after the last number", again));
        }
        Ok(saved)
    }

    /// Writes the bytes to a file. A reader, or a program that is cut off, finds the old file or the new one, never half of one.
    ///
    /// **Errors**: a folder that is not there or cannot be written to.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        const OP: &str = "Saved::write";
        let beside = path.with_extension("part");
        let fail = |error: std::io::Error| Error::file(OP, path, error, "choose a folder that can be written to");
        let mut file = std::fs::File::create(&beside).map_err(fail)?;
        file.write_all(&self.to_bytes()).and_then(|()| file.sync_all()).map_err(fail)?;
        std::fs::rename(&beside, path).map_err(fail)
    }

    /// Reads what [`Saved::write`] wrote.
    ///
    /// **Errors**: a file that is not there, and those of [`Saved::from_bytes`], with the file's name.
    pub fn read(path: &Path) -> Result<Saved, Error> {
        const OP: &str = "Saved::read";
        const NEXT: &str = "name the file that was written, or begin anew without it";
        let bytes = std::fs::read(path).map_err(|error| Error::file(OP, path, error, NEXT))?;
        Saved::from_bytes(&bytes).map_err(|error| Error::file(OP, path, error, NEXT))
    }
}

fn count(out: &mut Vec<u8>, value: usize) {
    out.extend((value as u64).to_le_bytes());
}

fn text(out: &mut Vec<u8>, value: &str) {
    count(out, value.len());
    out.extend(value.as_bytes());
}

fn numbers(out: &mut Vec<u8>, values: &[f64]) {
    count(out, values.len());
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What is left to read.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn slice(&mut self, len: usize) -> Result<&[u8], Error> {
        if len > self.bytes.len() {
            let next = "write the file again from the run that made it";
            return Err(Error::refused(OP, "the file ends before its contents do", next));
        }
        let (head, tail) = self.bytes.split_at(len);
        self.bytes = tail;
        Ok(head)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.slice(N)?);
        Ok(out)
    }

    fn count(&mut self) -> Result<usize, Error> {
        // A count beyond the memory cannot be met by the bytes that are left, which the reads after it say.
        Ok(usize::try_from(u64::from_le_bytes(self.take()?)).unwrap_or(usize::MAX))
    }

    fn text(&mut self) -> Result<String, Error> {
        let len = self.count()?;
        let bytes = self.slice(len)?.to_vec();
        String::from_utf8(bytes).map_err(Error::outside(OP, "the file holds a name that is no text"))
    }

    fn numbers(&mut self) -> Result<Vec<f64>, Error> {
        let len = self.count()?.saturating_mul(8);
        let bytes = self.slice(len)?;
        let number = |eight: &[u8]| {
            let mut out = [0; 8];
            out.copy_from_slice(eight);
            f64::from_le_bytes(out)
        };
        Ok(bytes.chunks_exact(8).map(number).collect())
    }

    fn parts(&mut self) -> Result<Vec<Saved>, Error> {
        let mut out = Vec::new();
        for _ in 0..self.count()? {
            let len = self.count()?;
            out.push(Saved::from_bytes(self.slice(len)?)?);
        }
        Ok(out)
    }

    fn tensors(&mut self) -> Result<Vec<Tensor>, Error> {
        let mut out = Vec::new();
        for _ in 0..self.count()? {
            let name = self.text()?;
            let mut shape = Vec::new();
            for _ in 0..self.count()? {
                shape.push(self.count()?);
            }
            let range = self.count()?..self.count()?;
            out.push(Tensor { name, shape, range });
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        Saved {
            name: "adam".into(),
            settings: vec![0.1, f64::NAN],
            steps: 7,
            tensors: Layout::of(&[("a", &[2, 1]), ("b", &[1])]).unwrap().tensors().to_vec(),
            numbers: vec![0.1, -0.0, f64::MIN_POSITIVE / 3.0],
            parts: Vec::new(),
        }
    }

    #[test]
    fn bytes_keep_every_bit() {
        let mut whole = saved();
        whole.parts = vec![saved(), saved()];
        let bytes = whole.to_bytes();
        let back = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(back.to_bytes(), bytes);
        assert_eq!((&back.tensors, back.parts.len()), (&saved().tensors, 2));
        assert_eq!(back.numbers[1].to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_refused() {
        let bytes = saved().to_bytes();
        for end in 0..bytes.len() {
            assert!(Saved::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(Saved::from_bytes(&changed).is_err(), "{at}");
        }
        let mut other = bytes.clone();
        other[8] = 2;
        let error = Saved::from_bytes(&other).unwrap_err().to_string();
        assert!(error.contains("version 2"), "{error}");
    }

    #[test]
    fn counts_beyond_the_file_are_refused_even_with_a_right_checksum() {
        let mut bytes = saved().to_bytes();
        let end = bytes.len() - 8;
        bytes[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
        let sum = fnv(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        assert!(Saved::from_bytes(&bytes).is_err());
    }
}
