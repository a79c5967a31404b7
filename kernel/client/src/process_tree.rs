//! The processes that a kernel started, also those with a group of their own.

/// `root` and every process below it.
pub fn descendants(root: i32) -> Vec<i32> {
    let mut parents: Vec<(i32, i32)> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // The fields after the name, which may hold anything and ends with the last parenthesis.
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        if let [state, parent, ..] = fields.as_slice()
            && *state != "Z"
            && let Ok(parent) = parent.parse()
        {
            parents.push((id, parent));
        }
    }
    let mut found: Vec<i32> = parents.iter().filter(|(id, _)| *id == root).map(|(id, _)| *id).collect();
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(id, _)| *id));
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_among_its_own_and_init_is_not() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let found = descendants(me);
        assert!(found.contains(&me) && found.contains(&i32::try_from(child.id()).unwrap()));
        assert!(!found.contains(&1) || me == 1);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
