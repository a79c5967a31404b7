//! RGB images as small PNG files.

use std::collections::HashMap;

use crate::Error;

/// An RGB image as PNG. With few colours the much smaller indexed form is used: the 256 most frequent colours, and for the
/// rare others, which come from the soft edges of overlapping shapes, the nearest of those.
pub(crate) fn encode(rgb: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, Error> {
    let fail = |e: png::EncodingError| Error::Draw { message: format!("PNG: {e}") };
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_compression(png::Compression::Default);
    encoder.set_depth(png::BitDepth::Eight);
    let indexed = indexed(rgb);
    match &indexed {
        Some((palette, _)) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette.clone());
            encoder.set_filter(png::FilterType::NoFilter);
        }
        None => {
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_filter(png::FilterType::Up);
        }
    }
    let mut writer = encoder.write_header().map_err(fail)?;
    let data = indexed.as_ref().map_or(rgb, |(_, data)| data.as_slice());
    writer.write_image_data(data).map_err(fail)?;
    writer.finish().map_err(fail)?;
    Ok(out)
}

/// Most distinct colours that are reduced to 256.
const MOST_COLOURS: usize = 8192;

/// Palette and indices; `None` for an image of too many colours.
pub(crate) fn indexed(rgb: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let key = |p: &[u8]| u32::from(p[0]) << 16 | u32::from(p[1]) << 8 | u32::from(p[2]);
    // Runs of equal pixels are counted at once: most of a figure is white.
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for (pixel, count) in runs(rgb) {
        *counts.entry(key(pixel)).or_default() += count;
        if counts.len() > MOST_COLOURS {
            return None;
        }
    }
    let mut ranked: Vec<(u32, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(colour, count)| (std::cmp::Reverse(count), colour));
    let kept: Vec<u32> = ranked.iter().take(256).map(|r| r.0).collect();
    let parts = |c: u32| [(c >> 16) as i32 & 255, (c >> 8) as i32 & 255, c as i32 & 255];
    let far = |a: u32, b: u32| -> i32 { parts(a).iter().zip(parts(b)).map(|(x, y)| (x - y) * (x - y)).sum() };
    let mut index: HashMap<u32, u8> = HashMap::with_capacity(ranked.len());
    for (rank, (colour, _)) in ranked.iter().enumerate() {
        let nearest =
            if rank < 256 { rank } else { (0..kept.len()).min_by_key(|&i| far(kept[i], *colour)).unwrap_or(0) };
        index.insert(*colour, nearest as u8);
    }
    let mut data = Vec::with_capacity(rgb.len() / 3);
    for (pixel, count) in runs(rgb) {
        let value = index.get(&key(pixel)).copied().unwrap_or(0);
        data.resize(data.len() + count, value);
    }
    let palette = kept.iter().flat_map(|&c| parts(c).map(|v| v as u8)).collect();
    Some((palette, data))
}

/// Runs of equal pixels: the first of them and how many there are.
fn runs(rgb: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    let mut rest = rgb;
    std::iter::from_fn(move || {
        let pixel = rest.get(..3)?;
        let count = rest.chunks_exact(3).take_while(|p| *p == pixel).count();
        rest = &rest[3 * count..];
        Some((pixel, count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_colours_go_to_the_nearest_and_frequent_ones_stay() {
        let mut rgb: Vec<u8> = Vec::new();
        for i in 0..=255u8 {
            for _ in 0..4 {
                rgb.extend([i, i, i]);
            }
        }
        rgb.extend([200, 201, 200]);
        let (palette, data) = indexed(&rgb).unwrap();
        assert_eq!(palette.len(), 768);
        assert_eq!(palette[3 * data[1024] as usize], 200);
        for (i, &index) in data[..1024].iter().enumerate() {
            assert_eq!(usize::from(palette[3 * index as usize]), i / 4);
        }
        let many: Vec<u8> = (0..30_000u32).flat_map(|i| [(i >> 8) as u8, i as u8, 7]).collect();
        assert!(indexed(&many).is_none());
    }
}
