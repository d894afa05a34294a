"""Numbers with decimal commas and marks between thousands, read letter by letter."""

NEUTRAL = " '’\u00a0\u2009\u202f"


def read_slowly(text, decimal, thousands):
    """Return the number that `text` is, None if it is none.

    The whole part has no marks, or marks of one kind between groups of three digits; the first has one to
    three digits and does not begin with 0. Where the comma marks thousands, inner groups may have two digits.
    """
    sign = -1.0 if text.startswith("-") else 1.0
    body = text[1:] if text[:1] in ("+", "-") else text
    body, e, exponent = body.replace("E", "e").partition("e")
    if e and not exponent.lstrip("+-").isdecimal():
        return None
    whole, _, part = body.partition(decimal)
    marks = {letter for letter in whole if not letter.isdecimal()}
    if not (whole + part) or (part and not part.isdecimal()):
        return None
    if marks:
        groups = _groups(whole, marks, thousands)
        if groups is None:
            return None
        whole = "".join(groups)
    return sign * float(f"{whole or '0'}.{part or '0'}e{exponent or '0'}")


def _groups(whole, marks, thousands):
    is_own = marks == {thousands}
    if not is_own and not marks <= set(NEUTRAL):
        return None
    for mark in marks:
        whole = whole.replace(mark, "|")
    first, *others = whole.split("|")
    allowed = (2, 3) if is_own and thousands == "," else (3,)
    is_grouped = (
        1 <= len(first) <= 3
        and first[0] != "0"
        and all(len(group) in allowed for group in others[:-1])
        and len(others[-1]) == 3
    )
    return [first, *others] if is_grouped else None
