"""Croissant metadata of a dataset: JSON-LD for search engines and loaders.

References: the Croissant format, version 1.0 (MLCommons, 2024).
"""

from collections.abc import Iterator
from typing import Any

from ..dataset.columns import ColumnType

_SCALARS = {
    "string": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
}
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    about: dict[str, str],
    columns: dict[str, ColumnType],
    described: dict[str, str],
    shards: dict[str, dict[str, str]],
) -> dict[str, Any]:
    """Return the Croissant description of Parquet files.

    `shards` has the sha256 of each file by split and path. Nested metadata is left out, because
    programs do not read its description alike; it is still in the files.
    """
    distribution: list[dict[str, Any]] = []
    for split, files in shards.items():
        distribution += [
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "encodingFormat": "application/x-parquet",
                "sha256": sha256,
            }
            for path, sha256 in files.items()
        ]
        distribution.append(
            {
                "@type": "cr:FileSet",
                "@id": f"files-{split}",
                "name": f"files-{split}",
                "description": f"the files of the split {split}",
                "encodingFormat": "application/x-parquet",
                "includes": f"data/{split}-*.parquet",
            }
        )
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **about,
        "distribution": distribution,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": split,
                "name": split,
                "description": f"the rows of the split {split}",
                "key": {"@id": f"{split}/id"},
                "field": list(_fields(split, columns, described)),
            }
            for split in shards
        ],
    }


def _fields(
    split: str, columns: dict[str, ColumnType], described: dict[str, str]
) -> Iterator[dict[str, Any]]:
    for name, column in columns.items():
        if not isinstance(column, dict):
            yield _field(split, name, column, described)
            continue
        inner = [
            _field(split, f"{name}/{part}", its, described)
            for part, its in column.items()
            if _scalar(its)
        ]
        if inner:
            yield {
                "@type": "cr:Field",
                "@id": f"{split}/{name}",
                "name": name,
                "description": described[name],
                "subField": inner,
            }


def _field(split: str, path: str, column: ColumnType, described: dict[str, str]) -> dict[str, Any]:
    """Return a field; `path` is `column` or `column/part`."""
    column_name, _, part = path.partition("/")
    extract: dict[str, Any] = {"extract": {"column": column_name}}
    within = {"transform": {"jsonPath": f"$.{part}"}} if part else {}
    return {
        "@type": "cr:Field",
        "@id": f"{split}/{path}",
        "name": part or column_name,
        "description": described[path],
        "dataType": _scalar(column),
        **({"repeated": True} if isinstance(column, list) else {}),
        "source": {"fileSet": {"@id": f"files-{split}"}} | extract | within,
    }


def _scalar(column: ColumnType) -> str | None:
    """Return the scalar type of a column or of its list items; None for structs."""
    while isinstance(column, list):
        column = column[0]
    return _SCALARS[column] if isinstance(column, str) else None
