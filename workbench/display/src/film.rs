//! A sequence of figures as one moving picture.

use std::path::Path;

use super::figure::indexed;
use super::{Bundle, Error, Figure, bundle, export};

/// Figures of one size shown one after the other: an animated PNG, which every viewer of PNG files can show.
///
/// A viewer that knows nothing of animation shows the first frame. The plain-text form is that of the last frame. The picture is shown three
/// times and ends with its last frame.
///
/// ```
/// use workbench_display::{Figure, Film, Panel};
/// let frames = (1..=3).map(|k| {
///     Figure::new(&format!("step {k}")).size(300, 220).panel(Panel::new("").y_limits(0.0, 3.0).points("position", &[0.0], &[f64::from(k)]))
/// }).collect();
/// let film = Film::new(frames, 0.5);
/// assert!(film.png()?.windows(4).any(|chunk| chunk == b"acTL"));
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Film {
    frames: Vec<Figure>,
    seconds: f64,
}

/// Most frames of a film: a few megabytes.
const MOST_FRAMES: usize = 200;
/// How often it is shown: what moves for ever keeps eyes from the text.
const ROUNDS: u32 = 3;

impl Film {
    /// A film of these frames, each shown for `seconds`; the last one is shown four times as long.
    pub fn new(frames: Vec<Figure>, seconds: f64) -> Film {
        Film { frames, seconds }
    }

    /// The film as an animated PNG.
    ///
    /// **Errors**: no frames or more than 200, a duration outside 0.02 to 10 seconds, frames of different sizes, and those of
    /// [`Figure::png`].
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let setting = |name, value, allowed| Error::Setting { operation: "film", name, value, allowed };
        if self.frames.is_empty() || self.frames.len() > MOST_FRAMES {
            let value = self.frames.len().to_string();
            return Err(setting("number of frames", value, "1 to 200"));
        }
        if !(0.02..=10.0).contains(&self.seconds) {
            return Err(setting("seconds", self.seconds.to_string(), "0.02 to 10"));
        }
        let mut images = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            images.push(decoded(&frame.png()?)?);
        }
        let size = images[0].0;
        if let Some((other, _)) = images.iter().find(|image| image.0 != size) {
            let value = format!("{} x {}", other.0, other.1);
            return Err(setting("size of a frame", value, "the size of the first; set it with Figure::size"));
        }
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, size.0, size.1);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Best);
        // One palette for all frames makes the file several times smaller.
        let frame_pixels = size.0 as usize * size.1 as usize;
        let all: Vec<u8> = images.into_iter().flat_map(|(_, rgb)| rgb).collect();
        let indexed = indexed(&all);
        let (data, frame_bytes) = match &indexed {
            Some((palette, data)) => {
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(palette.clone());
                encoder.set_filter(png::FilterType::NoFilter);
                (data, frame_pixels)
            }
            None => {
                encoder.set_color(png::ColorType::Rgb);
                encoder.set_filter(png::FilterType::Up);
                (&all, 3 * frame_pixels)
            }
        };
        encoder.set_animated(self.frames.len() as u32, ROUNDS).map_err(encoding)?;
        let mut writer = encoder.write_header().map_err(encoding)?;
        let last = self.frames.len() - 1;
        for (i, frame) in data.chunks_exact(frame_bytes).enumerate() {
            let hold = if i == last { 4.0 } else { 1.0 };
            // At most 40 seconds: fits the 16 bits of a delay in milliseconds.
            writer.set_frame_delay((1000.0 * hold * self.seconds).round() as u16, 1000).map_err(encoding)?;
            writer.write_image_data(frame).map_err(encoding)?;
        }
        writer.finish().map_err(encoding)?;
        Ok(out)
    }

    /// The film as a bundle: the moving picture and the last frame in words.
    ///
    /// **Errors**: as for [`Film::png`].
    pub fn to_bundle(&self) -> Result<Bundle, Error> {
        let png = self.png()?;
        // `png` refuses a film without frames.
        let words = self.frames.last().map(Figure::text).transpose()?.unwrap_or_default();
        Ok(Bundle::new(&format!("Film of {} frames, the last one:\n{words}", self.frames.len())).with_png(&png))
    }

    /// Saves the film as a `.png` file, atomically. Missing folders are made.
    ///
    /// **Errors**: [`Error::Format`] for another ending, [`Error::Write`] if the file cannot be written, else as for [`Film::png`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<(), Error> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("png") => export::write_atomically(path, &self.png()?),
            _ => Err(Error::Format { path: path.to_path_buf(), allowed: ".png" }),
        }
    }

    /// Shows the film as the output of a notebook cell; an error is shown as its message.
    pub fn evcxr_display(&self) {
        bundle::show(self.to_bundle());
    }
}

/// Size and RGB bytes of a PNG that this crate made.
fn decoded(bytes: &[u8]) -> Result<((u32, u32), Vec<u8>), Error> {
    let fail = |e: png::DecodingError| Error::Draw { message: format!("PNG: {e}") };
    let mut decoder = png::Decoder::new(bytes);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fail)?;
    let mut rgb = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut rgb).map_err(fail)?;
    rgb.truncate(info.buffer_size());
    Ok(((info.width, info.height), rgb))
}

fn encoding(e: png::EncodingError) -> Error {
    Error::Draw { message: format!("PNG: {e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Panel;

    fn frame(k: u32, width: u32) -> Figure {
        let panel = Panel::new("").y_limits(0.0, 9.0).points("p", &[0.0], &[f64::from(k)]);
        Figure::new(&format!("step {k}")).size(width, 200).panel(panel)
    }

    #[test]
    fn frames_come_back() {
        let film = Film::new((0..3).map(|k| frame(k, 300)).collect(), 0.1);
        let bytes = film.png().unwrap();
        let mut decoder = png::Decoder::new(bytes.as_slice());
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        for k in 0..3 {
            let mut rgb = vec![0; reader.output_buffer_size()];
            reader.next_frame(&mut rgb).unwrap();
            assert_eq!(rgb, decoded(&frame(k, 300).png().unwrap()).unwrap().1);
        }
        let bundle = film.to_bundle().unwrap();
        assert!(bundle.get(crate::Mime::Plain).unwrap().starts_with("Film of 3 frames"));
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(Film::new(vec![], 0.1).png(), Err(Error::Setting { .. })));
        assert!(matches!(Film::new(vec![frame(0, 300)], 0.0).png(), Err(Error::Setting { name: "seconds", .. })));
        let uneven = Film::new(vec![frame(0, 300), frame(1, 320)], 0.1);
        assert!(matches!(uneven.png(), Err(Error::Setting { .. })));
        let short = Film::new(vec![frame(0, 300)], 0.1);
        assert!(matches!(short.save("x.gif"), Err(Error::Format { .. })));
    }
}
