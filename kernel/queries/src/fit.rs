//! Tables of text that fit the terminal; nothing is cut where there is none.

use workbench_base::progress;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub title: &'static str,
    /// How narrow it may become; 0 where it is never cut.
    pub least: usize,
    /// Whether it goes, from left to right, where cutting is not enough.
    pub spare: bool,
}

impl Column {
    /// A column that is never cut.
    pub const fn whole(title: &'static str) -> Column {
        Column { title, least: 0, spare: false }
    }

    /// A column that may be cut down to `least` characters.
    pub const fn cut(title: &'static str, least: usize) -> Column {
        Column { title, least, spare: false }
    }

    /// The same, and it may go altogether.
    pub const fn spare(self) -> Column {
        Column { spare: true, ..self }
    }
}

/// Characters of a line of the terminal on standard output, if it is one.
pub fn terminal() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// The table, cut to `width` if there is one; columns without any text are left out.
pub fn table(columns: &[Column], rows: &[Vec<String>], width: Option<usize>) -> String {
    let wide = |at: usize| {
        let cells = rows.iter().map(|row| row.get(at).map_or(0, |cell| cell.chars().count()));
        cells.max().unwrap_or(0)
    };
    // Place of the column, its width.
    let mut shown: Vec<(usize, usize)> = (0..columns.len())
        .filter(|at| wide(*at) > 0)
        .map(|at| (at, wide(at).max(columns[at].title.chars().count())))
        .collect();
    if let Some(width) = width {
        while let Some(narrow) = squeeze(columns, &shown, width) {
            shown = narrow;
        }
    }
    let titles: Vec<&str> = shown.iter().map(|(at, _)| columns[*at].title).collect();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let cell = |(at, width): &(usize, usize)| row.get(*at).map_or(String::new(), |cell| cut(cell, *width));
            shown.iter().map(cell).collect()
        })
        .collect();
    progress::table(&titles, &cells, &[])
}

/// One step towards `width`: the widest column that may be cut is cut by one, else a column that may go is taken out.
fn squeeze(columns: &[Column], shown: &[(usize, usize)], width: usize) -> Option<Vec<(usize, usize)>> {
    let total: usize = shown.iter().map(|(_, wide)| wide + 2).sum();
    if total <= width + 2 {
        return None;
    }
    let mut narrow = shown.to_vec();
    let can_shrink = |(at, wide): &(usize, usize)| {
        let least = columns[*at].least.max(columns[*at].title.chars().count());
        columns[*at].least > 0 && *wide > least
    };
    let widest = (0..narrow.len()).filter(|i| can_shrink(&narrow[*i])).max_by_key(|i| narrow[*i].1);
    if let Some(widest) = widest {
        narrow[widest].1 -= 1;
        return Some(narrow);
    }
    let spare = narrow.iter().position(|(at, _)| columns[*at].spare)?;
    narrow.remove(spare);
    Some(narrow)
}

/// The text in at most `width` characters; what was cut off shows as `…`.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 4] =
        [Column::whole("id"), Column::cut("place", 6).spare(), Column::cut("note", 4), Column::whole("none")];

    fn rows() -> Vec<Vec<String>> {
        vec![
            vec!["m/a".into(), "Lemma 1 of the text".into(), "all is well".into(), String::new()],
            vec!["m/long".into(), "Lemma 2".into()],
        ]
    }

    #[test]
    fn wide_cells_are_cut_and_columns_without_text_left_out() {
        let whole = table(&COLUMNS, &rows(), None);
        assert_eq!(whole.lines().nth(2), Some("m/a     Lemma 1 of the text  all is well"));
        assert!(!whole.contains("none"));
        for width in [36, 24, 20, 12] {
            let text = table(&COLUMNS, &rows(), Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert!(text.contains("m/long") && text.contains('…'), "{text}");
        }
        assert!(!table(&COLUMNS, &rows(), Some(12)).contains("place"));
    }

    #[test]
    fn what_cannot_be_cut_stays_whole() {
        let text = table(&COLUMNS, &rows(), Some(3));
        assert!(text.contains("m/long"), "{text}");
        assert_eq!(table(&COLUMNS[..1], &[], Some(9)), "\n");
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(cut("a b c", 3), "a…");
        assert_eq!(cut("ab", 0), "…");
    }
}
