//! Draw of the sites that are planted.
//!
//! The stream is a digest: the sites of a room and an operator stand in the order of SHA-256 over seed and site, so that each seed is a
//! random order, and an edit moves no other site. Each draw goes to the room and the operator that have had the fewest so far, so that
//! all are there as soon as the number allows.

use std::collections::BTreeMap;

use workbench_record::digest::Digest;

use super::operator::Operator;
use super::sites::Site;

/// A room and an operator.
type Cell = (String, Operator);

/// Sites in the order in which they are drawn.
pub struct Draw {
    /// The sites of each cell that are left, the next one last.
    left: BTreeMap<Cell, Vec<Site>>,
    /// Those that were drawn and not given back.
    drawn: Vec<Site>,
    seed: u64,
}

/// Place of a name in the order of a seed.
fn place(seed: u64, name: &str) -> String {
    let mut digest = Digest::default();
    digest.add("power");
    digest.add(seed.to_le_bytes());
    digest.add(name);
    digest.finish()
}

impl Draw {
    /// All sites, none drawn.
    pub fn new(sites: Vec<Site>, seed: u64) -> Draw {
        let mut left: BTreeMap<Cell, Vec<Site>> = BTreeMap::new();
        for site in sites {
            left.entry((site.room.clone(), site.operator)).or_default().push(site);
        }
        for sites in left.values_mut() {
            sites.sort_by_cached_key(|site| std::cmp::Reverse(place(seed, &site.name())));
        }
        Draw { left, drawn: Vec::new(), seed }
    }

    /// Draws until `count` are there or none is left.
    pub fn fill(&mut self, count: usize) {
        while self.drawn.len() < count {
            let Some(site) = self.next() else { return };
            self.drawn.push(site);
        }
    }

    /// What was drawn, in order.
    pub fn drawn(&self) -> &[Site] {
        &self.drawn
    }

    /// Takes sites out for good, by their places among the drawn: the compiler refused them.
    pub fn refuse(&mut self, places: &std::collections::BTreeSet<usize>) {
        let mut at = 0;
        self.drawn.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
    }

    fn next(&mut self) -> Option<Site> {
        loop {
            let count = |wanted: &dyn Fn(&Site) -> bool| self.drawn.iter().filter(|site| wanted(site)).count();
            let fewest = |cell: &&Cell| {
                let (room, operator) = (&cell.0, cell.1);
                let (of_room, of_operator) =
                    (count(&|site| site.room == *room), count(&|site| site.operator == operator));
                let of_both = count(&|site| site.room == *room && site.operator == operator);
                let tie = place(self.seed, &format!("{room}\0{}\0{of_both}", operator.text()));
                (of_room.min(of_operator), of_room + of_operator, of_both, tie)
            };
            let open = self.left.iter().filter(|(_, sites)| !sites.is_empty());
            let cell = open.map(|(cell, _)| cell).min_by_key(fewest)?.clone();
            let site = self.left.get_mut(&cell)?.pop()?;
            // Of two sites that share text only the first is planted.
            if !self.drawn.iter().any(|other| other.overlaps(&site)) {
                return Some(site);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn site(room: &str, operator: Operator, at: usize) -> Site {
        Site {
            room: room.to_string(),
            file: format!("workbench/{room}/src/a.rs"),
            line: at,
            bytes: (10 * at, 10 * at + 5),
            function: (0, 10_000),
            operator,
            before: format!("x{at}"),
            after: "y".to_string(),
            nth: 0,
        }
    }

    fn many() -> Vec<Site> {
        let rooms = ["memory", "ground", "features"];
        let mut sites = Vec::new();
        for room in rooms {
            for operator in Operator::ALL {
                for _ in 0..20 {
                    sites.push(site(room, operator, sites.len()));
                }
            }
        }
        sites
    }

    fn drawn(sites: Vec<Site>, seed: u64, count: usize) -> Vec<Site> {
        let mut draw = Draw::new(sites, seed);
        draw.fill(count);
        draw.drawn().to_vec()
    }

    #[test]
    fn a_seed_is_an_order_and_another_seed_another() {
        assert_eq!(drawn(many(), 1, 20), drawn(many(), 1, 20));
        assert_ne!(drawn(many(), 1, 20), drawn(many(), 2, 20));
        assert_eq!(drawn(many(), 1, 40)[..20], drawn(many(), 1, 20)[..]);
    }

    #[test]
    fn every_room_and_every_operator_is_there_as_soon_as_it_can_be() {
        let sites = drawn(many(), 1, 8);
        let operators: BTreeSet<Operator> = sites.iter().map(|site| site.operator).collect();
        let rooms: BTreeSet<&str> = sites.iter().map(|site| site.room.as_str()).collect();
        assert_eq!((operators.len(), rooms.len()), (8, 3));
        let all = drawn(many(), 1, 48);
        for operator in Operator::ALL {
            let count = all.iter().filter(|site| site.operator == operator).count();
            assert!((5..=7).contains(&count), "{operator:?}: {count}");
        }
    }

    #[test]
    fn what_is_refused_is_replaced_and_the_others_stay() {
        let mut draw = Draw::new(many(), 1);
        draw.fill(10);
        let before = draw.drawn().to_vec();
        draw.refuse(&BTreeSet::from([3, 5]));
        draw.fill(10);
        assert_eq!(draw.drawn()[..3], before[..3]);
        assert_eq!(draw.drawn().len(), 10);
        assert!(!draw.drawn().contains(&before[3]) && !draw.drawn().contains(&before[5]));
    }

    #[test]
    fn sites_that_share_text_are_not_drawn_together_and_few_sites_are_all() {
        let mut inner = site("memory", Operator::Sign, 1);
        inner.bytes = (11, 13);
        let sites = drawn(vec![site("memory", Operator::Factor, 1), inner], 1, 5);
        assert_eq!(sites.len(), 1);
        assert!(drawn(Vec::new(), 1, 5).is_empty());
    }
}
