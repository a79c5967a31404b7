//! `cargo workbench list`: the verdict of every claim, as the record has it.

use std::collections::HashSet;

use clap::Args;
use workbench_record::{Claim, Row, Scale, Tables, Verdict, near, program};

use super::groups::{Group, groups};
use super::present::Present;
use super::{chosen, fit, listing, print_json, verdict};
use workbench_base::args::whole;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_setup::paths::Workspace;

/// Options of `list`.
#[derive(Args, Clone, Debug, Default)]
pub struct ListArgs {
    /// Only claims whose id matches one of these patterns; `*` reaches over the slash
    #[arg(value_name = "GLOB")]
    pub claims: Vec<String>,
    /// Only rows of this scale
    #[arg(long, value_name = "quick|paper")]
    pub scale: Option<Scale>,
    /// Only rows of this seed
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    /// Only rows with this verdict: holds, change, fails, inconclusive or not-tested
    #[arg(long, value_name = "WORD", value_parser = verdict, conflicts_with = "open")]
    pub verdict: Option<Verdict>,
    /// Only claims of this notebook
    #[arg(long, value_name = "NAME")]
    pub notebook: Option<String>,
    /// Only rows whose statement or check has changed since they were computed
    #[arg(long)]
    pub stale: bool,
    /// Only claims without a row; with --stale, both: what there is to run
    #[arg(long)]
    pub open: bool,
    /// Print an array of objects, one for each row and each claim without one
    #[arg(long)]
    pub json: bool,
}

/// Prints the claims that are asked for; the exit status is 0, also where none is left.
///
/// # Errors
/// If registry or record cannot be used, or a pattern or a notebook is unknown.
pub fn command(args: &ListArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    let present = Present::read(&workspace)?;
    let tables = Tables::read(&workspace.results())?;
    tables.gaps().iter().for_each(|told| progress::note(told));
    let listing = select(args, &tables, &present)?;
    if args.json {
        print_json(&listing::json(&listing, &tables, &present))?;
    } else {
        println!("{}", listing::text(&listing, &tables, &present, fit::terminal()));
    }
    Ok(0)
}

/// A line of the list.
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// A claim with rows.
    Rows(Group<'a>),
    /// A claim without any, and why.
    Open(&'a Claim, String),
}

impl Item<'_> {
    /// Id of the claim.
    pub fn claim(&self) -> &str {
        match self {
            Item::Rows(group) => &group.first.claim,
            Item::Open(claim, _) => &claim.id,
        }
    }
}

/// The lines that `args` asks for, in the order of the registry; rows of claims that it does not have come last.
///
/// # Errors
/// For a pattern that is none or matches nothing, and for a notebook that no claim names.
pub fn select<'a>(args: &ListArgs, tables: &'a Tables, present: &'a Present) -> Result<Vec<Item<'a>>> {
    let ids = chosen(&present.registry, &args.claims)?;
    let notebook = match &args.notebook {
        Some(name) => Some(known_notebook(name, tables, present)?),
        None => None,
    };
    let wanted = |claim: &str| ids.as_ref().is_none_or(|ids| ids.contains(claim));
    let here = |name: &str| notebook.is_none_or(|wanted| wanted == name);
    let asked = |row: &Row| {
        wanted(&row.claim)
            && here(&row.notebook)
            && args.scale.is_none_or(|scale| scale == row.scale)
            && args.seed.is_none_or(|seed| seed == row.seed)
    };
    let mut items = Vec::new();
    if args.stale || !args.open {
        let shown = |row: &Row| {
            asked(row)
                && args.verdict.is_none_or(|verdict| verdict == row.verdict)
                && (!args.stale || present.stale(row).is_some())
        };
        items.extend(groups(&tables.rows, shown).into_iter().map(Item::Rows));
    }
    if args.open || (args.verdict.is_none() && !args.stale) {
        let has: HashSet<&str> = tables.rows.iter().filter(|row| asked(row)).map(|row| row.claim.as_str()).collect();
        let elsewhere: HashSet<&str> = tables.rows.iter().map(|row| row.claim.as_str()).collect();
        for claim in present.registry.claims() {
            if wanted(&claim.id) && here(&claim.notebook) && !has.contains(claim.id.as_str()) {
                let known = elsewhere.contains(claim.id.as_str());
                items.push(Item::Open(claim, reason(claim, known, args.scale, args.seed, present)));
            }
        }
    }
    items.sort_by_key(|item| present.position(item.claim()));
    Ok(items)
}

/// Why a claim has no row, and what to run; `known` if it has one at another scale or seed.
pub fn reason(claim: &Claim, known: bool, scale: Option<Scale>, seed: Option<u64>, present: &Present) -> String {
    if !claim.open.is_empty() && !known {
        return claim.open.clone();
    }
    let name = &claim.notebook;
    if !present.notebooks.contains(name) {
        return format!("notebook {name} is not there, or cannot be read");
    }
    let mut run = format!("run `{} run --notebook {name}", program());
    for (option, value) in
        [("--scale", scale.map(|scale| scale.to_string())), ("--seed", seed.map(|seed| seed.to_string()))]
    {
        if let Some(value) = value {
            run += &format!(" {option} {value}");
        }
    }
    let rows = if known { "only rows of another scale or seed; " } else { "" };
    format!("{rows}{run}`")
}

/// The notebook of that name, with or without folder and ending.
fn known_notebook<'a>(name: &str, tables: &'a Tables, present: &'a Present) -> Result<&'a str> {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.strip_suffix(".ipynb").unwrap_or(stem);
    let of_claims = present.registry.claims().iter().map(|claim| claim.notebook.as_str());
    let of_rows = tables.rows.iter().map(|row| row.notebook.as_str());
    let known: HashSet<&str> = of_claims.chain(of_rows).collect();
    if let Some(found) = known.get(stem) {
        return Ok(found);
    }
    let near = near::nearest(stem, known.into_iter(), 3);
    let why = match near[..] {
        [] => format!("no claim is checked there; `{} list` shows all", program()),
        _ => format!("no claim is checked there{}", near::question(&near)),
    };
    Err(Error::Option { option: "--notebook", value: name.to_string(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, row, workspace};

    fn told(args: ListArgs, tables: &Tables, present: &Present) -> Vec<String> {
        let items = select(&args, tables, present).unwrap();
        items
            .iter()
            .map(|item| match item {
                Item::Rows(group) => format!("{} {}", group.first.claim, group.seeds()),
                Item::Open(claim, reason) => format!("{} open: {reason}", claim.id),
            })
            .collect()
    }

    fn args() -> ListArgs {
        ListArgs::default()
    }

    #[test]
    fn rows_and_open_claims_stand_in_the_order_of_the_registry() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let mut tables = record(&workspace);
        tables.rows.insert(0, Row::blank("m/gone", Scale::Quick, 1));
        assert_eq!(
            told(args(), &tables, &present),
            [
                "m/a 1 2",
                "m/b 1",
                "m/c open: run `cargo workbench run --notebook memory-model`",
                "m/open open: needs data that nobody has",
                "m/gone 1",
            ]
        );
        let none = told(args(), &Tables::default(), &present);
        assert_eq!(none.len(), 4);
        assert!(none.iter().all(|line| line.contains("open: ")), "{none:?}");
    }

    #[test]
    fn each_option_narrows_the_list() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let mut tables = record(&workspace);
        tables.rows.push(row(&workspace, "m/c", Scale::Paper, 1, "r1"));
        tables.rows[2].verdict = Verdict::Fails;
        tables.rows[1].statement = "another".into();
        let of = |args: ListArgs| told(args, &tables, &present);
        let claims = vec!["m/b".to_string(), "*c".to_string()];
        assert_eq!(of(ListArgs { claims, ..args() }), ["m/b 1", "m/c 1"]);
        assert_eq!(
            of(ListArgs { scale: Some(Scale::Paper), ..args() })[0],
            "m/a open: only rows of another scale or seed; run `cargo workbench run --notebook memory-model --scale paper`"
        );
        assert_eq!(of(ListArgs { seed: Some(2), ..args() })[0], "m/a 2");
        assert_eq!(of(ListArgs { verdict: Some(Verdict::Fails), ..args() }), ["m/b 1"]);
        assert_eq!(of(ListArgs { stale: true, ..args() }), ["m/a 2"]);
        let open = ["m/open open: needs data that nobody has"];
        assert_eq!(of(ListArgs { open: true, ..args() }), open);
        assert_eq!(of(ListArgs { open: true, stale: true, ..args() }), ["m/a 2", open[0]]);
        assert_eq!(of(ListArgs { notebook: Some("memory-later".into()), ..args() }), open);
        let path = Some("notebooks/memory-model.ipynb".to_string());
        assert_eq!(of(ListArgs { notebook: path, ..args() }).len(), 3);
    }

    #[test]
    fn what_nobody_knows_is_refused_with_the_nearest_name() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let refused = |args: ListArgs| select(&args, &Tables::default(), &present).unwrap_err().to_string();
        let notebook = Some("memory-modle".to_string());
        assert!(refused(ListArgs { notebook, ..args() }).contains("did you mean `memory-model`?"));
        assert!(refused(ListArgs { notebook: Some("q".into()), ..args() }).contains("no claim is checked there"));
        assert!(refused(ListArgs { claims: vec!["n/*".into()], ..args() }).contains("`n/*`"));
    }

    #[test]
    fn the_command_line_takes_words_and_refuses_what_contradicts() {
        use clap::Parser;
        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            list: ListArgs,
        }
        let parsed =
            Cli::try_parse_from(["list", "m/*", "--scale", "paper", "--verdict", "change", "--seed=3"]).unwrap();
        assert_eq!(parsed.list.verdict, Some(Verdict::HoldsWithChange));
        assert_eq!(parsed.list.scale, Some(Scale::Paper));
        for bad in [&["--scale", "huge"][..], &["--verdict", "hold"], &["--seed", "-1"], &["--verdict=holds", "--open"]]
        {
            assert!(Cli::try_parse_from(["list"].iter().chain(bad)).is_err(), "{bad:?}");
        }
    }
}
