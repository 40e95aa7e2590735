"""Amounts as people read them: in the currency's own units, to the cent or whatever it is divided into."""

# ISO 4217: the currencies that are not divided by a hundred.
UNDIVIDED = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"
TEN_THOUSANDTHS = "CLF UYW"


def places(currency: str) -> int:
    """Give the decimal places of a currency's minor unit."""
    if currency in UNDIVIDED:
        return 0
    if currency in THOUSANDTHS:
        return 3
    return 4 if currency in TEN_THOUSANDTHS else 2


def written(minor_units: int, currency: str) -> str:
    """Write an amount of minor units, as `150.60 EUR`."""
    decimals = places(currency)
    whole, rest = divmod(abs(minor_units), 10**decimals)
    sign = "-" if minor_units < 0 else ""
    return f"{sign}{whole}.{rest:0{decimals}} {currency}" if decimals else f"{sign}{whole} {currency}"
