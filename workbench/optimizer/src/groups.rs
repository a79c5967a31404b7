//! Groups of parameters, each with a rule of its own.

use workbench_ground::check::{position, same};

use super::{Error, Layout, Optimizer, Saved, Tensor};

/// Makes an optimizer for a layout.
type Make<'a> = dyn FnOnce(Layout) -> Result<Box<dyn Optimizer>, Error> + 'a;

/// What happens to the tensors of a group.
pub enum Rule<'a> {
    /// They stay as they are, bit for bit; their gradients are not even looked at.
    Frozen,
    /// An optimizer made for their own layout: the same names and shapes, one after the other from 0 on.
    By(Box<Make<'a>>),
}

impl<'a> Rule<'a> {
    /// A rule from what makes it.
    pub fn by<O: Optimizer + 'static>(make: impl FnOnce(Layout) -> Result<O, Error> + 'a) -> Rule<'a> {
        Rule::By(Box::new(move |layout| Ok(Box::new(make(layout)?))))
    }
}

/// Tensors that one optimizer steps, gathered into slices of their own.
#[derive(Debug)]
struct Group {
    tensors: Vec<Tensor>,
    /// `None` while frozen.
    optimizer: Option<Box<dyn Optimizer>>,
    theta: Vec<f64>,
    gradient: Vec<f64>,
}

/// Several rules on one vector of parameters, chosen by the names of its tensors: the hybrid.
///
/// A pattern is a name, in which `*` stands for any text. Each tensor belongs to exactly one group.
///
/// **Source**: B.7.1 (the learned optimizer on the matrix of the last layer, Adam on its bias), B.7.2 to B.10 (frozen layers, several
/// rules). **State** that of the rules. **Cost** that of the rules, and two copies of each tensor that is not frozen.
///
/// ```
/// use workbench_optimizer::{Groups, Layout, Optimizer, Rule, classical::{Adam, AdamSettings, Sgd, SgdSettings}};
/// let layout = Layout::of(&[("body.weight", &[2]), ("head.weight", &[2]), ("head.bias", &[1])])?;
/// let mut hybrid = Groups::new(layout, vec![
///     ("body.*", Rule::Frozen),
///     ("*.bias", Rule::by(|layout| Adam::new(layout, AdamSettings::default()))),
///     ("head.weight", Rule::by(|layout| Sgd::new(layout, SgdSettings::default()))),
/// ])?;
/// let mut theta = [1.0; 5];
/// hybrid.step(&mut theta, &[1.0; 5])?;
/// assert_eq!(theta[..3], [1.0, 1.0, 0.999]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Debug)]
pub struct Groups {
    layout: Layout,
    groups: Vec<Group>,
    steps: u64,
}

impl Groups {
    /// One group for each pattern.
    ///
    /// **Errors**: a pattern that matches no tensor, a tensor that two patterns match or none; the errors of the rules.
    pub fn new(layout: Layout, rules: Vec<(&str, Rule<'_>)>) -> Result<Groups, Error> {
        let patterns: Vec<&str> = rules.iter().map(|(pattern, _)| *pattern).collect();
        let mut members = vec![Vec::new(); rules.len()];
        for (tensor, group) in layout.tensors().iter().zip(layout.by_pattern("Groups::new", &patterns)?) {
            members[group].push(tensor.clone());
        }
        Groups::of(layout, rules.into_iter().map(|(_, rule)| rule).zip(members))
    }

    /// One group for each rule; `which` says to which of them a tensor belongs. Groups may be empty.
    ///
    /// **Errors**: a rule that does not exist; the errors of the rules.
    pub fn choose(layout: Layout, rules: Vec<Rule<'_>>, which: impl Fn(&Tensor) -> usize) -> Result<Groups, Error> {
        let mut members = vec![Vec::new(); rules.len()];
        for tensor in layout.tensors() {
            let rule = which(tensor);
            position("Groups::choose", "rule", rule, rules.len())?;
            members[rule].push(tensor.clone());
        }
        Groups::of(layout, rules.into_iter().zip(members))
    }

    fn of<'a>(layout: Layout, groups: impl Iterator<Item = (Rule<'a>, Vec<Tensor>)>) -> Result<Groups, Error> {
        let groups = groups.map(|(rule, tensors)| Group::new(tensors, rule));
        Ok(Groups { groups: groups.collect::<Result<_, Error>>()?, layout, steps: 0 })
    }

    /// The numbers that each group remembers, in the order of the rules; 0 for frozen ones.
    pub fn state_lens(&self) -> Vec<usize> {
        self.groups.iter().map(|g| g.optimizer.as_ref().map_or(0, |o| o.state_len())).collect()
    }

    /// The names of the tensors of each group, in the order of the rules.
    pub fn members(&self) -> Vec<Vec<&str>> {
        let groups = self.groups.iter();
        groups.map(|group| group.tensors.iter().map(|tensor| tensor.name.as_str()).collect()).collect()
    }

    /// Steps each group on its own slices. What can refuse its update goes first, so that the rest need not be taken back.
    fn step_all(&mut self) -> Result<(), Error> {
        let refusing = |group: &Group| group.optimizer.as_ref().is_some_and(|o| o.may_refuse_updates());
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..self.groups.len()).partition(|i| refusing(&self.groups[*i]));
        let last = order.len();
        order.extend(rest);
        let mut before = Vec::new();
        for (position, i) in order.iter().enumerate() {
            let group = &mut self.groups[*i];
            let Some(optimizer) = &mut group.optimizer else {
                continue;
            };
            if position + 1 < last {
                before.push((*i, optimizer.save()));
            }
            if let Err(error) = optimizer.step(&mut group.theta, &group.gradient) {
                before.retain(|(stepped, _)| stepped != i);
                for (stepped, saved) in &before {
                    if let Some(optimizer) = &mut self.groups[*stepped].optimizer {
                        optimizer.restore(saved)?;
                    }
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Group {
    fn new(tensors: Vec<Tensor>, rule: Rule<'_>) -> Result<Group, Error> {
        let Rule::By(make) = rule else {
            return Ok(Group { tensors, optimizer: None, theta: Vec::new(), gradient: Vec::new() });
        };
        let named: Vec<(&str, &[usize])> = tensors.iter().map(|t| (t.name.as_str(), &t.shape[..])).collect();
        let layout = Layout::of(&named)?;
        let len = layout.len();
        Ok(Group { optimizer: Some(make(layout)?), tensors, theta: vec![0.0; len], gradient: vec![0.0; len] })
    }

    fn gather(&mut self, theta: &[f64], gradient: &[f64]) {
        let mut start = 0;
        for tensor in self.tensors.iter().filter(|_| self.optimizer.is_some()) {
            let end = start + tensor.range.len();
            self.theta[start..end].copy_from_slice(&theta[tensor.range.clone()]);
            self.gradient[start..end].copy_from_slice(&gradient[tensor.range.clone()]);
            start = end;
        }
    }

    fn scatter(&self, theta: &mut [f64]) {
        let mut start = 0;
        for tensor in self.tensors.iter().filter(|_| self.optimizer.is_some()) {
            let end = start + tensor.range.len();
            theta[tensor.range.clone()].copy_from_slice(&self.theta[start..end]);
            start = end;
        }
    }
}

impl Optimizer for Groups {
    fn name(&self) -> &'static str {
        "groups"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        const OP: &str = "Groups::step";
        for (name, len) in [("parameters", theta.len()), ("gradient", gradient.len())] {
            same(OP, (name, len), ("the layout", self.layout.len()))?;
        }
        // All gradients are looked at before the first group steps.
        for tensor in self.groups.iter().filter(|g| g.optimizer.is_some()).flat_map(|g| &g.tensors) {
            self.layout.check_part(OP, gradient, tensor.range.clone())?;
        }
        self.groups.iter_mut().for_each(|group| group.gather(theta, gradient));
        self.step_all()?;
        self.groups.iter().for_each(|group| group.scatter(theta));
        self.steps += 1;
        Ok(())
    }

    fn may_refuse_updates(&self) -> bool {
        let mut optimizers = self.groups.iter().filter_map(|group| group.optimizer.as_ref());
        optimizers.any(|optimizer| optimizer.may_refuse_updates())
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn state_len(&self) -> usize {
        self.state_lens().iter().sum()
    }

    fn save(&self) -> Saved {
        let optimizers = self.groups.iter().filter_map(|group| group.optimizer.as_ref());
        Saved {
            name: self.name().into(),
            settings: Vec::new(),
            steps: self.steps,
            tensors: self.layout.tensors().to_vec(),
            numbers: Vec::new(),
            parts: optimizers.map(|optimizer| optimizer.save()).collect(),
        }
    }

    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "Groups::restore";
        saved.expect(OP, "groups", &[], &self.layout, 0)?;
        let mut optimizers: Vec<_> = self.groups.iter_mut().filter_map(|group| group.optimizer.as_mut()).collect();
        same(OP, ("saved groups", saved.parts.len()), ("groups", optimizers.len()))?;
        let before: Vec<Saved> = optimizers.iter().map(|optimizer| optimizer.save()).collect();
        let mut parts = optimizers.iter_mut().zip(&saved.parts);
        if let Err(error) = parts.try_for_each(|(optimizer, part)| optimizer.restore(part)) {
            for (optimizer, own) in optimizers.iter_mut().zip(&before) {
                optimizer.restore(own)?;
            }
            return Err(error);
        }
        self.steps = saved.steps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classical::conformance::conforms;
    use crate::classical::{Adam, AdamSettings, Sgd, SgdSettings};

    fn adam<'a>() -> Rule<'a> {
        Rule::by(|layout| Adam::new(layout, AdamSettings::default()))
    }

    fn sgd<'a>() -> Rule<'a> {
        Rule::by(|layout| Sgd::new(layout, SgdSettings::default()))
    }

    fn layout() -> Layout {
        Layout::of(&[("a.weight", &[2]), ("a.bias", &[1]), ("b.weight", &[3]), ("b.bias", &[2])]).unwrap()
    }

    #[test]
    fn each_tensor_is_stepped_by_its_own_rule_and_frozen_bits_stay() {
        let rules = vec![("a.*", Rule::Frozen), ("*.weight", adam())];
        assert!(Groups::new(layout(), rules).unwrap_err().to_string().contains("a.weight is in the groups"));
        let rules = vec![("a.*", Rule::Frozen), ("b.weight", adam()), ("b.bias", sgd())];
        let mut groups = Groups::new(layout(), rules).unwrap();
        assert_eq!(groups.members(), [vec!["a.weight", "a.bias"], vec!["b.weight"], vec!["b.bias"]]);
        assert_eq!((groups.state_lens(), groups.state_len()), (vec![0, 6, 0], 6));
        let frozen = [0.1, -0.0, f64::MIN_POSITIVE / 8.0];
        let mut theta = [&frozen[..], &[1.0; 5]].concat();
        let (mut matrix, mut bias) = ([1.0; 3], [1.0; 2]);
        let mut one = Adam::new(Layout::of(&[("m", &[3])]).unwrap(), AdamSettings::default()).unwrap();
        let mut two = Sgd::new(Layout::of(&[("m", &[2])]).unwrap(), SgdSettings::default()).unwrap();
        for step in 0..5 {
            // What is frozen may have any gradient.
            let gradient: Vec<f64> = (0..8).map(|i| if i < 3 { f64::NAN } else { f64::from(i * step).sin() }).collect();
            groups.step(&mut theta, &gradient).unwrap();
            one.step(&mut matrix, &gradient[3..6]).unwrap();
            two.step(&mut bias, &gradient[6..]).unwrap();
        }
        assert!(theta.iter().zip(&frozen).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!((&theta[3..6], &theta[6..]), (&matrix[..], &bias[..]));
    }

    #[test]
    fn patterns_that_match_nothing_and_tensors_left_over_are_refused() {
        let none = Groups::new(layout(), vec![("*", adam()), ("head", sgd())]).unwrap_err().to_string();
        assert!(none.contains("\"head\" matches none of a.weight"), "{none}");
        let left = Groups::new(layout(), vec![("a.*", adam())]).unwrap_err().to_string();
        assert!(left.contains("b.weight is in no group"), "{left}");
    }

    #[test]
    fn groups_conform() {
        conforms(&|layout| {
            let rules = if layout.is_empty() {
                Vec::new()
            } else {
                vec![("*.weight", adam()), ("*.bias", sgd()), ("head", adam())]
            };
            Ok(Box::new(Groups::new(layout, rules)?))
        });
    }
}
