//! Transposition of matrices that lie in a cache.

/// Rows that are read side by side, so that what is written lies together.
const TOGETHER: usize = 8;

/// Writes the transpose of a matrix `[rows, columns]`; the rows of both lie one step apart.
///
/// **Panics** if a matrix does not lie within its slice.
///
/// ```
/// let mut to = [0; 6];
/// workbench_ground::lanes::transpose([2, 3], (&[1, 2, 3, 4, 5, 6], 3), (&mut to, 2));
/// assert_eq!(to, [1, 4, 2, 5, 3, 6]);
/// ```
#[inline]
pub fn transpose<T: Copy>([rows, columns]: [usize; 2], from: (&[T], usize), to: (&mut [T], usize)) {
    let ((from, from_step), (to, to_step)) = (from, to);
    let whole = rows / TOGETHER * TOGETHER;
    for i in (0..whole).step_by(TOGETHER) {
        let read: [&[T]; TOGETHER] = std::array::from_fn(|r| &from[(i + r) * from_step..][..columns]);
        for j in 0..columns {
            to[j * to_step + i..][..TOGETHER].copy_from_slice(&read.map(|row| row[j]));
        }
    }
    for i in whole..rows {
        for (j, value) in from[i * from_step..][..columns].iter().enumerate() {
            to[j * to_step + i] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_and_what_lies_between_stays() {
        for [rows, columns] in [[9, 17], [16, 8], [3, 1], [0, 4]] {
            let from: Vec<usize> = (0..rows * (columns + 2)).collect();
            let mut to = vec![usize::MAX; columns * (rows + 1)];
            transpose([rows, columns], (&from, columns + 2), (&mut to, rows + 1));
            for (at, value) in to.iter().enumerate() {
                let (j, i) = (at / (rows + 1), at % (rows + 1));
                assert_eq!(*value, if i < rows { i * (columns + 2) + j } else { usize::MAX });
            }
        }
    }
}
