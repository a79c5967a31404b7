//! Links of exported pages. In a notebook they lead to claims, to other notebooks and to files of the project; among the pages they lead
//! to the claim's card and to the notebook's page, and where there is nothing to follow the words stand alone.

use std::collections::BTreeMap;

use super::formulas::{decoded, element_end};
use super::pages::link;
use workbench_base::text::html;

/// Places in pages, as a card names that of its claim, and the page that has each.
#[derive(Clone, Debug, Default)]
pub struct Places(BTreeMap<String, String>);

impl Places {
    /// Adds those of a page. A place that two pages have is the first one's.
    pub fn add(&mut self, name: &str, page: &str) {
        for part in page.split(" id=\"").skip(1) {
            let id = decoded(part.split('"').next().unwrap_or_default());
            self.0.entry(id).or_insert_with(|| name.to_string());
        }
    }

    /// The page `name` with links that lead somewhere; `has` says whether a file lies beside it.
    pub fn linked(&self, name: &str, page: &str, has: &dyn Fn(&str) -> bool) -> String {
        let begin = page.find("<body").unwrap_or(page.len());
        let mut out = page[..begin].to_string();
        let (mut rest, mut alone) = (&page[begin..], false);
        while let Some(open) = rest.find('<') {
            out += &rest[..open];
            rest = &rest[open..];
            let (tag, after) = rest.split_at(element_end(rest));
            rest = after;
            match tag.split_once(" href=\"").filter(|_| tag.starts_with("<a ")) {
                Some((before, inside)) => {
                    let (address, behind) = inside.split_once('"').unwrap_or((inside, ">"));
                    let address = self.address(name, &decoded(address), has);
                    alone = address.is_none();
                    if let Some(address) = address {
                        out += &format!("{before} href=\"{}\"{behind}", html(&address));
                    }
                }
                None if tag == "</a>" && std::mem::take(&mut alone) => {}
                None => out += tag,
            }
        }
        out + rest
    }

    /// Where a link of the page `name` leads among the pages, if anywhere.
    fn address(&self, name: &str, address: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
        let (file, place) = address.split_once('#').unwrap_or((address, ""));
        if file.is_empty() && place.contains('/') {
            // As the card of a claim writes its place.
            let place = place.replace('/', "").to_lowercase();
            let page = self.0.get(&place)?;
            return Some(if page == name { format!("#{place}") } else { format!("{}#{place}", link(page)) });
        }
        let has_scheme = file.split(['/', '?']).next().is_some_and(|begin| begin.contains(':'));
        if file.is_empty() || has_scheme || file.starts_with("//") {
            return Some(address.to_string());
        }
        if let Some(notebook) = file.strip_suffix(".ipynb") {
            let page = format!("{}.html", notebook.rsplit('/').next().unwrap_or(notebook));
            return has(&page).then(|| format!("{page}{}", &address[file.len()..]));
        }
        let leads_out = file.starts_with('/') || file.split('/').any(|part| part == "..");
        (!leads_out && has(file)).then(|| address.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_cards_and_pages_or_are_words() {
        let mut places = Places::default();
        places.add("a.html", "<body><div id=\"mrate\">");
        places.add("b c.html", "<body><div role=\"group\" id=\"mbound\">");
        let linked = |text: &str| places.linked("a.html", &format!("<body>{text}"), &|file| file == "b c.html");
        for (text, made) in [
            ("<a href=\"#m/Rate\" title=\"x\">0.3</a>", "<a href=\"#mrate\" title=\"x\">0.3</a>"),
            ("<a href=\"#m/bound\">1</a>", "<a href=\"b%20c.html#mbound\">1</a>"),
            ("<a href=\"#m/other\"><b>2</b></a> <a>3</a>", "<b>2</b> <a>3</a>"),
            ("the check: <a href=\"../src/rate.rs\">src/rate.rs</a>", "the check: src/rate.rs"),
            ("<a href=\"../b c.ipynb#cell-id=x\">b</a>", "<a href=\"b c.html#cell-id=x\">b</a>"),
            ("<a href=\"d.ipynb\">d</a>, <a href=\"maps/m.md\">m</a>", "d, m"),
        ] {
            assert_eq!(linked(text), format!("<body>{made}"));
        }
        for kept in [
            "<a class=\"anchor-link\" href=\"#What\">¶</a>",
            "<a href=\"https://a.org/x?a=1&amp;b=2\">a</a> <a href=\"mailto:a@b.org\">b</a>",
            "<a href=\"b c.html\">c</a><script>\"<a href='../x'>\"</script>",
            "a < b",
        ] {
            assert_eq!(linked(kept), format!("<body>{kept}"));
        }
    }
}
