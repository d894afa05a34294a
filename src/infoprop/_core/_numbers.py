"""Numbers in columns of the terminal."""

_ROUNDING = 1e-12
"""Below, a number is what rounding left of zero."""


def aligned(value: float, decimals: int) -> str:
    """`value` with `decimals` decimals; where these would all be zeros, with its first digit.

    >>> aligned(0.61234, 4), aligned(0.00003, 4), aligned(0.0, 4), aligned(-2e-7, 3)
    ('0.6123', '3e-05', '0', '-2e-07')
    """
    if abs(value) < _ROUNDING:
        return "0"
    text = f"{value:.{decimals}f}"
    return text if text.strip("-0.") else f"{value:.1g}"


def aligned_percent(ratio: float, decimals: int = 1) -> str:
    """The same of a percentage.

    >>> aligned_percent(0.1234), aligned_percent(0.0004), aligned_percent(0.0)
    ('12.3%', '0.04%', '0%')
    """
    return f"{aligned(100 * ratio, decimals)}%"
