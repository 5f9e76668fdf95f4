#!/usr/bin/env python3
"""A base in the form in which STaRK publishes it, as nodes.jsonl and edges.tsv for `quipu import`.

Usage: stark.py FOLDER OUT [--import WORKSPACE [--quipu QUIPU]]

FOLDER is STaRK's `processed` folder: node_info.pkl, node_types.pt, node_type_dict.pkl, edge_index.pt, edge_types.pt,
edge_type_dict.pkl. Needs neither torch nor numpy, and executes nothing of the files: their pickles may hold plain values,
tensors and arrays only. With --import the workspace is made too.
"""

import argparse
import array
import collections
import io
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

# The number of bytes and the type code of each kind of tensor storage that holds integers.
STORAGES = {"LongStorage": "q", "IntStorage": "i", "ShortStorage": "h", "CharStorage": "b", "ByteStorage": "B"}
NAMES = ("name", "title", "DisplayName", "display_name", "label", "id")
SKIPPED = {"id", "type"}


class Refused(Exception):
    """What is no STaRK base."""


class Storage:
    """The type of a storage, by name."""

    def __init__(self, name):
        self.name = name


def tensor(storage, offset, size, stride, *_):
    """The numbers of a tensor of one or two dimensions, as lists."""
    if len(size) == 1:
        return [storage[offset + at * stride[0]] for at in range(size[0])]
    if len(size) == 2:
        rows = range(size[0])
        return [[storage[offset + row * stride[0] + at * stride[1]] for at in range(size[1])] for row in rows]
    raise Refused(f"a tensor of {len(size)} dimensions")


class Reader(pickle.Unpickler):
    """Unpickles plain values and tensors of integers; refuses everything else."""

    def __init__(self, file, storages=None, name=""):
        super().__init__(file)
        self.storages, self.name = storages, name

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return tensor
        if module in ("torch", "torch.storage") and name in STORAGES:
            return Storage(name)
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        raise Refused(f"{self.name}: it holds {module}.{name}, which is not read")

    def persistent_load(self, pid):
        kind, storage, key = pid[0], pid[1], pid[2]
        if kind != "storage" or self.storages is None:
            raise Refused(f"{self.name}: it refers to {kind!r}")
        return self.storages(storage.name, key)


def read_pickle(path):
    with path.open("rb") as file:
        return Reader(file, name=path.name).load()


def read_tensor(path):
    with zipfile.ZipFile(path) as archive:
        root = next((n[: -len("data.pkl")] for n in archive.namelist() if n.endswith("data.pkl")), None)
        if root is None:
            raise Refused(f"{path.name}: no tensor as torch saves it")
        order = "little"
        if root + "byteorder" in archive.namelist():
            order = archive.read(root + "byteorder").decode().strip()

        def storage(name, key):
            numbers = array.array(STORAGES[name])
            numbers.frombytes(archive.read(f"{root}data/{key}"))
            if order != sys.byteorder:
                numbers.byteswap()
            return numbers

        return Reader(io.BytesIO(archive.read(root + "data.pkl")), storage, path.name).load()


def sentences(value):
    """The texts of a value, however it is nested, each with the key it stands under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for text in sentences(inner):
                yield f"{key}: {text}" if not isinstance(inner, (dict, list, tuple, set)) else text
    elif isinstance(value, (list, tuple, set)):
        for inner in value:
            yield from sentences(inner)
    elif value is not None and str(value).strip() not in ("", "nan"):
        yield " ".join(str(value).split())


def node(number, info, kind):
    if not isinstance(info, dict):
        info = {"name": str(info)}
    named = next((key for key in NAMES if str(info.get(key, "")).strip()), None)
    text = "\n".join(sentences({k: v for k, v in info.items() if k not in SKIPPED and k != named}))
    name = " ".join(str(info[named]).split()) if named else str(number)
    return {"id": str(number), "name": name, "type": kind, "text": text}


def convert(folder, out):
    info = read_pickle(folder / "node_info.pkl")
    kinds, relations = read_pickle(folder / "node_type_dict.pkl"), read_pickle(folder / "edge_type_dict.pkl")
    types, edge_types = read_tensor(folder / "node_types.pt"), read_tensor(folder / "edge_types.pt")
    heads, tails = read_tensor(folder / "edge_index.pt")
    if not len(heads) == len(tails) == len(edge_types):
        raise Refused(f"{len(heads)} edges, but {len(edge_types)} types of edges")
    if len(types) < len(info):
        raise Refused(f"{len(info)} nodes, but {len(types)} types of nodes")
    out.mkdir(parents=True, exist_ok=True)
    with (out / "nodes.jsonl").open("w", encoding="utf-8") as file:
        for number in sorted(info):
            line = node(number, info[number], str(kinds[types[number]]).replace("_", " "))
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with (out / "edges.tsv").open("w", encoding="utf-8") as file:
        for head, relation, tail in zip(heads, edge_types, tails):
            name = " ".join(str(relations[relation]).split()).replace("___", " ").replace("_", " ")
            file.write(f"{head}\t{name}\t{tail}\n")
    print(f"{len(info)} nodes and {len(heads)} edges in {out}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--import", dest="workspace", help="import into this workspace")
    parser.add_argument("--quipu", default="quipu", help="the command")
    known, others = parser.parse_known_args()
    try:
        convert(known.folder, known.out)
    except (Refused, OSError, KeyError, IndexError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
        sys.exit(f"{known.folder} is no base as STaRK publishes it: {error}")
    if known.workspace:
        files = [str(known.out / name) for name in ("nodes.jsonl", "edges.tsv")]
        sys.exit(subprocess.run([known.quipu, "import", known.workspace, *files, *others], check=False).returncode)


if __name__ == "__main__":
    main()
