"""The smallest SVG writer: elements as text, every attribute and every word escaped."""

from infoprop.report._markup import Markup, escape


def element(tag: str, *children: Markup | str, **attributes: object) -> Markup:
    """One SVG element; strings among the children are text and get escaped.

    Underscores in attribute names stand for hyphens, a trailing one is dropped (``class_``).

    >>> element("text", "a < b", x=1.5, text_anchor="end")
    Markup('<text x="1.5" text-anchor="end">a &lt; b</text>')
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), _number(value))
        for name, value in attributes.items()
    )
    inside = Markup("").join(escape(child) for child in children)
    opening = Markup("<") + Markup(tag) + written
    return opening + (Markup(">") + inside + Markup(f"</{tag}>") if children else Markup("/>"))


def _number(value: object) -> object:
    """Two decimals are finer than any screen, and keep the bytes short and stable."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return value


def shortened(name: str, length: int) -> str:
    """`name` with its end cut off when it is longer than `length` letters."""
    return name if len(name) <= length else name[: length - 1] + "…"
