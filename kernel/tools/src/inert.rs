//! Texts from a command line or the registry, made fit for a doc comment: rustdoc passes tags and any address on, and here both are words.

/// A text on one line that has no tag, no address but of the web or of a page nearby, no block of code, and no sign that a compiler refuses in
/// a comment. A formula reads as before: `&lt;` is decoded before it is set.
pub fn inert(text: &str) -> String {
    let line: String = text.chars().filter(|c| !turns(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find(['<', ']', '`', '~']) {
        let (before, from) = rest.split_at(at);
        let (sign, after) = from.split_at(1);
        let fence = from.len() - from.trim_start_matches(sign).len();
        out += before;
        rest = after;
        match sign {
            "<" if after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) => out += "&lt;",
            "]" if after.starts_with(['(', ':']) && !leads_nearby(&after[1..]) => out += "]\\",
            "`" | "~" if fence > 2 => {
                out += &format!("\\{sign}").repeat(fence);
                rest = &from[fence..];
            }
            _ => out += sign,
        }
    }
    out + rest
}

/// Whether a sign turns the direction of the letters after it, which compilers refuse in comments.
fn turns(sign: char) -> bool {
    matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether the target of a link is an address of the web or names no scheme; one that is written in a roundabout way does not count.
fn leads_nearby(target: &str) -> bool {
    let target = target.trim_start();
    let address = target.split(|c: char| c.is_whitespace() || c == ')').next().unwrap_or_default();
    let begins = |scheme: &str| address.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    begins("http://") || begins("https://") || !(address.starts_with('<') || address.contains([':', '&', '\\']))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::process::Command;

    use super::*;

    /// Texts each of which is something else than words where it is passed on as it is.
    pub const WORST: [&str; 16] = [
        "<img src=x onerror=alert(1)> <script>alert(2)</script> </p><svg onload=alert(3)>",
        "a<b <!--><img src=x onerror=alert(4)>--> <?php ?> <![CDATA[<b onclick=alert(5)>]]>",
        "[x](javascript:alert(6)) ![x](JavaScript:alert(7)) [x]( \n javascript:alert(8) \"t\")",
        "[x](<javascript:alert(9)>) [x](< javascript:alert(10)>) [x](jav&#x61;script:alert(11))",
        "[x](javascript&colon;alert(12)) [x](java\\script:alert(13)) [x](data:text/html,a) <javascript:alert(14)>",
        "[y]\n\n[y]: javascript:alert(15)",
        "[z]: javascript:alert(16) 't'",
        "[z] [w][z] [z][] [u]:\njavascript:alert(17)",
        "`code` `<b onclick=alert(18)>` `` ` ``<b onclick=alert(19)>",
        "``` \n<b onclick=alert(20)>",
        "```\n~~~ rust\npanic!()",
        "$a<b$ $\\text{<img src=x onerror=alert(21)>}$ $$\\href{javascript:alert(22)}{x}$$",
        "*/ <img src=x onerror=alert(23)> /*",
        "one\rtwo\r\nthree\u{202e}four\u{2066}",
        "\"quotes\" & ${7*7} {{7*7}} \\<b onclick=alert(24)> \\\\<b onclick=alert(25)>",
        "[\\]](javascript:alert(26)) [a [b](javascript:alert(27))](javascript:alert(28))",
    ];

    /// The page that rustdoc writes of a crate that is this text, comments first.
    pub fn page(source: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("worst.rs"), folder.path().join("doc"));
        std::fs::write(&file, source).unwrap();
        let mut rustdoc = Command::new("rustdoc");
        rustdoc.args(["--edition", "2024", "--crate-name", "worst", "--out-dir"]).arg(&out).arg(&file);
        let made = rustdoc.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::read_to_string(out.join("worst/index.html")).unwrap()
    }

    /// What of a page is live that rustdoc has not put there.
    pub fn live(page: &str) -> Vec<&str> {
        let body = &page[page.find("<section id=\"main-content\"").unwrap()..];
        let body = &body[..body.find("</section>").unwrap()];
        let tags = body.split('<').skip(1).map(|part| part.split('>').next().unwrap_or_default());
        let wrong = |tag: &&str| {
            let tag = tag.to_lowercase();
            ["img", "script", "svg", "b ", "!", "?"].iter().any(|begin| tag.starts_with(begin))
                || tag.contains(" on")
                || ["href", "src"].iter().any(|name| {
                    let value = tag.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next());
                    let scheme = value.and_then(|value| value.trim().split_once(':'));
                    scheme.is_some_and(|(scheme, _)| !["http", "https"].contains(&scheme))
                })
        };
        tags.filter(wrong).collect()
    }

    #[test]
    fn no_text_is_more_than_words_on_a_page_of_rustdoc() {
        let told: String = WORST.iter().map(|text| format!("//! {}\n//!\n", inert(text))).collect();
        let page = page(&format!("{told}//! The end.\n"));
        assert_eq!(live(&page), [""; 0], "{page}");
        for shown in ["<code>code</code>", "$a&lt;b$", "alert(16) ‘t’", "alert(20)&gt;", "<p>The end.</p>", "three"]
        {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let bare = "//! <b onclick=alert(1)>x</b> [x](javascript:alert(2))\n";
        assert_eq!(live(&self::page(bare)).len(), 2, "what is passed on is seen");
    }

    #[test]
    fn what_is_harmless_stays() {
        for text in [
            "Eq. 2 of [the paper](https://x.org/a?b=c:d), [here](methods.rs) and [`run`](#run)",
            "for $x < y$, n<2, a <- b and $[0, 1]$: `a` ~ b",
            "[HTTP](HTTP://x.org) [0, 1]: the interval",
        ] {
            assert_eq!(inert(text), text);
        }
    }
}
