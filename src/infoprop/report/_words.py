"""Numbers in words, the same in every format of the report."""

from collections.abc import Sequence
from math import floor, log10

_NAMES = 8


def bits(value: float) -> str:
    """A number of bits, with two significant digits where three decimals would say less, in few letters.

    >>> bits(0.61234), bits(0.00123), bits(0.000123), bits(0.0)
    ('0.612', '0.0012', '1.2e-04', '0')
    """
    if value == 0:
        return "0"
    if abs(value) >= 0.1:
        return f"{value:.3f}"
    exponent = floor(log10(abs(value)))
    return f"{value:.{1 - exponent}f}" if exponent >= -3 else f"{value:.1e}"


def hundredths(value: float) -> str:
    """A number with two decimals, or two significant digits where these would be zeros.

    >>> hundredths(1.2345), hundredths(0.0012), hundredths(1e-17)
    ('1.23', '0.0012', '0')
    """
    if abs(value) < 1e-12:
        return "0"
    return f"{value:.2f}" if abs(value) >= 0.01 else bits(value)


def signed(value: float) -> str:
    """The same with its sign.

    >>> signed(1.2345), signed(-0.0012)
    ('+1.23', '-0.0012')
    """
    return ("" if value < 0 else "+") + hundredths(value)


def percent(ratio: float) -> str:
    """A ratio as a percentage with one decimal, or two significant digits when it is small.

    >>> percent(0.0625), percent(1.0), percent(0.0004)
    ('6.2%', '100%', '0.040%')
    """
    if ratio in (0, 1):
        text = f"{100 * ratio:.0f}"
    elif abs(ratio) >= 1e-3:
        text = f"{100 * ratio:.1f}"
    else:
        text = bits(100 * ratio)
    return f"{text}%"


def count(value: float) -> str:
    """A number of rows: whole when it is whole (weights can make it broken).

    >>> count(1234.0), count(2.5)
    ('1,234', '2.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"


def listed(names: Sequence[str], most: int = _NAMES) -> str:
    """Names separated by commas; of many, the first few.

    >>> listed(["a", "b"]), listed("abcdefghij")
    ('a, b', 'a, b, c, d, e, f, g, h and 2 more')
    """
    hidden = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown
