//! The IDX format.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::Error;

/// First bytes of a gzip stream, RFC 1952.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Largest file that is unpacked: the 60,000 images of MNIST take 47 MB.
const MOST: u64 = 1 << 30;
const NEXT: &str = "fetch the file again; IDX files of unsigned bytes are read, gzipped or plain";

/// An array of unsigned bytes in the IDX format: two zero bytes, the kind 8, the number of axes $a$, the $a$ sizes as 32-bit integers
/// with the highest byte first, then the entries, last axis fastest.
///
/// **Source**: the page of the MNIST database (Y. LeCun, C. Cortes, C. Burges), "The IDX file format".
///
/// ```
/// use workbench_optimizer::data::Idx;
/// let idx = Idx::parse(&[0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9])?;
/// assert_eq!((idx.sizes(), idx.bytes()), (&[1, 3][..], &[7, 8, 9][..]));
/// assert!(Idx::parse(&[0, 0, 8, 1, 0, 0, 0, 2, 7]).is_err());
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idx {
    sizes: Vec<usize>,
    bytes: Vec<u8>,
}

impl Idx {
    /// Reads a file, gzipped or plain; its first bytes tell which.
    ///
    /// **Errors**: [`Error::File`]: a file that cannot be read or unpacked, and what [`Idx::parse`] refuses.
    pub fn read(path: impl AsRef<Path>) -> Result<Idx, Error> {
        let path = path.as_ref();
        let refuse = |problem: String| Error::file("Idx::read", path, problem, NEXT);
        let bytes = read_bytes(path).map_err(refuse)?;
        Idx::from_bytes(&bytes).map_err(refuse)
    }

    /// From bytes that were read before, unpacked.
    ///
    /// **Errors**: [`Error::Refused`]: a wrong magic number, entries that are not unsigned bytes, no axes, a header or data cut short,
    /// bytes after the last entry.
    pub fn parse(bytes: &[u8]) -> Result<Idx, Error> {
        Idx::from_bytes(bytes).map_err(|problem| Error::refused("Idx::parse", problem, NEXT))
    }

    /// The sizes along the axes.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The entries, last axis fastest.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Idx, String> {
        let cut = |needed: usize, what: &str| format!("cut short: {} bytes, {what} needs {needed}", bytes.len());
        let &[zero, also_zero, kind, axes] = bytes.first_chunk().ok_or_else(|| cut(4, "the magic number"))?;
        if (zero, also_zero) != (0, 0) {
            let magic = u32::from_be_bytes([zero, also_zero, kind, axes]);
            return Err(format!("magic number {magic:#010x} is not IDX, which starts with two zero bytes"));
        }
        if kind != 8 {
            return Err(format!("entries of kind {kind:#04x}; only unsigned bytes, 0x08, are read"));
        }
        if axes == 0 {
            return Err("no axes".into());
        }
        let header = 4 + 4 * usize::from(axes);
        let sizes = bytes.get(4..header).ok_or_else(|| cut(header, "the header"))?;
        let sizes: Vec<usize> =
            sizes.as_chunks::<4>().0.iter().map(|&size| u32::from_be_bytes(size) as usize).collect();
        let entries = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let total = entries.and_then(|entries| entries.checked_add(header));
        let total = total.ok_or_else(|| format!("sizes {sizes:?} are beyond all memory"))?;
        let entries = bytes.get(header..total).ok_or_else(|| cut(total, &format!("an array of sizes {sizes:?}")))?;
        if bytes.len() > total {
            let more = bytes.len() - total;
            return Err(format!("{more} bytes after the last entry of an array of sizes {sizes:?}"));
        }
        let bytes = entries.to_vec();
        Ok(Idx { sizes, bytes })
    }
}

/// The bytes of a file, unpacked if it is gzipped.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(&bytes[..]).take(MOST + 1);
    reader.read_to_end(&mut unpacked).map_err(|error| format!("gzip stream cut short or damaged: {error}"))?;
    if unpacked.len() as u64 > MOST {
        return Err(format!("more than {MOST} bytes when unpacked"));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const GOOD: [u8; 17] = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 42];

    #[test]
    fn every_cut_is_refused_and_says_so() {
        assert_eq!(Idx::parse(&GOOD).unwrap().sizes(), [1, 1, 1]);
        for length in 0..GOOD.len() {
            let error = Idx::parse(&GOOD[..length]).unwrap_err().to_string();
            assert!(error.contains("cut short"), "{length}: {error}");
        }
        let longer = [&GOOD[..], &[1, 2]].concat();
        assert!(Idx::parse(&longer).unwrap_err().to_string().contains("2 bytes after"));
    }

    #[test]
    fn another_format_is_refused() {
        for (bytes, expected) in [
            (&[0x89, b'P', b'N', b'G'][..], "magic number 0x89504e47"),
            (&[0, 0, 13, 1, 0, 0, 0, 0], "kind 0x0d"),
            (&[0, 0, 8, 0], "no axes"),
            (&[0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], "beyond all memory"),
        ] {
            let error = Idx::parse(bytes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn gzipped_and_plain_files_are_alike_and_a_cut_archive_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.idx3");
        std::fs::write(&path, GOOD).unwrap();
        let plain = Idx::read(&path).unwrap();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&GOOD).unwrap();
        let packed = packer.finish().unwrap();
        std::fs::write(&path, &packed).unwrap();
        assert_eq!(Idx::read(&path).unwrap(), plain);
        for length in 2..packed.len() {
            std::fs::write(&path, &packed[..length]).unwrap();
            let error = Idx::read(&path).unwrap_err();
            assert!(matches!(error, Error::File { .. }));
            assert!(error.to_string().contains("cut short"), "{length}: {error}");
        }
        assert!(matches!(Idx::read(folder.path().join("none")), Err(Error::File { .. })));
    }
}
