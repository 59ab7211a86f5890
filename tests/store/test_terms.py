from opposable.store.terms import page_text

PAGE = """<html><head><title>T</title><style>p {}</style></head><body><nav>Menu</nav><script>var x = "<p>no</p>";</script>
<div class="the-article-body clear"><h1>Terms</h1><p>You   may &amp; must.</p><div>Inner</div><ul><li>one</li>
<li>two</li></ul></div><footer>Foot</footer></body></html>"""


def test_the_article_alone() -> None:
    text = page_text(PAGE)
    assert text.split() == ["Terms", "You", "may", "&", "must.", "Inner", "-", "one", "-", "two"]
    assert "- one\n" in text


def test_without_an_article_all_that_is_seen() -> None:
    text = page_text(PAGE.replace("the-article-body", "other"))
    assert "Menu" in text
    assert "Foot" in text
    assert "var x" not in text
