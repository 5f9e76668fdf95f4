"""Writes a small base as STaRK publishes it, tensors as torch saves them, without torch. Usage: stark_base.py FOLDER [evil]"""

import array
import collections
import io
import os
import pickle
import sys
import types
import zipfile
from pathlib import Path

torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
sys.modules.update({"torch": torch, "torch._utils": utils})


class LongStorage:
    pass


def _rebuild_tensor_v2(*_):
    pass


LongStorage.__module__, _rebuild_tensor_v2.__module__ = "torch", "torch._utils"
torch.LongStorage, utils._rebuild_tensor_v2 = LongStorage, _rebuild_tensor_v2


class Stored:
    def __init__(self, count):
        self.count = count


class Tensor:
    def __init__(self, size, stride, count):
        self.arguments = (Stored(count), 0, size, stride, False, collections.OrderedDict())

    def __reduce__(self):
        return _rebuild_tensor_v2, self.arguments


class Writer(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Stored):
            return ("storage", LongStorage, "0", "cpu", value.count)
        return None


def save(path, numbers, size, stride):
    data = io.BytesIO()
    Writer(data, protocol=2).dump(Tensor(size, stride, len(numbers)))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", data.getvalue())
        archive.writestr("archive/byteorder", sys.byteorder)
        archive.writestr("archive/data/0", array.array("q", numbers).tobytes())


class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
info = {
    0: {"id": "x:1", "type": "breed group", "name": "terrier", "details": {"summary": "Small dogs bred to hunt vermin."}},
    1: {"id": "x:2", "type": "breed", "name": "Skye", "details": {"summary": "A long low terrier with a straight coat.", "alias": ["isle dog"]}},
    2: {"id": "x:3", "type": "breed", "name": "Cairn", "details": {"summary": "It digs.", "weight": float("nan")}},
}
dumps = {"node_info": info, "node_type_dict": {0: "breed_group", 1: "breed"}, "edge_type_dict": {0: "kind_of"}}
if len(sys.argv) > 2:
    dumps["node_info"] = {0: Evil()}
for name, value in dumps.items():
    (folder / f"{name}.pkl").write_bytes(pickle.dumps(value))
save(folder / "node_types.pt", [0, 1, 1], (3,), (1,))
save(folder / "edge_types.pt", [0, 0], (2,), (1,))
# Two rows of heads and tails, as torch transposes them: stored edge by edge.
save(folder / "edge_index.pt", [1, 0, 2, 0], (2, 2), (1, 2))
