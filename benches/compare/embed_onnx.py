"""all-MiniLM-L6-v2 in onnxruntime (32-bit floats, two threads), on the texts of crates/quipu-model/benches/embed.rs:

    embed_onnx.py FOLDER        FOLDER holds model.safetensors and tokenizer.json: the last line of `quipu models path all-minilm-l6-v2`

The graph is written here from the very weights that Quipu reads: a BERT encoder with mean pooling. Batches are sorted by length.
Prints texts a second and texts a CPU second (medians), then the wait for one name.
"""

import os
import resource
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

WORDS = "river capital the north film director of Lima ancient knot record city and mountain village year".split()


class Graph:
    """Nodes and weights of the ONNX graph, under numbered names."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, value):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name):
        return self.weights.get(name, self.weights.get("bert." + name))

    def apply(self, kind, *inputs, **attributes):
        name = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def norm(self, x, name):
        scale, shift = (self.constant(self.weight(f"{name}.{part}")) for part in ("weight", "bias"))
        return self.apply("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)

    def linear(self, x, name):
        product = self.apply("MatMul", x, self.constant(self.weight(f"{name}.weight").T))
        return self.apply("Add", product, self.constant(self.weight(f"{name}.bias")))

    def layer(self, x, mask, name):
        def heads(part, order):
            y = self.linear(x, f"{name}.attention.self.{part}")
            return self.apply("Transpose", self.apply("Reshape", y, self.constant(np.array([0, 0, 12, 32]))), perm=order)

        queries, keys, values = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = self.apply("Div", self.apply("MatMul", queries, keys), self.constant(np.float32(32**0.5)))
        shares = self.apply("Softmax", self.apply("Add", scores, mask), axis=-1)
        y = self.apply("Transpose", self.apply("MatMul", shares, values), perm=[0, 2, 1, 3])
        y = self.linear(self.apply("Reshape", y, self.constant(np.array([0, 0, 384]))), f"{name}.attention.output.dense")
        x = self.norm(self.apply("Add", y, x), f"{name}.attention.output.LayerNorm")
        y = self.linear(x, f"{name}.intermediate.dense")
        erf = self.apply("Erf", self.apply("Div", y, self.constant(np.float32(2**0.5))))
        y = self.apply("Mul", self.apply("Mul", y, self.apply("Add", erf, self.constant(np.float32(1)))), self.constant(np.float32(0.5)))
        return self.norm(self.apply("Add", self.linear(y, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")


def write(weights, path):
    graph = Graph(weights)
    one, two = (graph.constant(np.array([axis])) for axis in (1, 2))
    length = graph.apply("Shape", "ids", start=1, end=2)
    places = graph.weight("embeddings.position_embeddings.weight") + graph.weight("embeddings.token_type_embeddings.weight")[0]
    zero = graph.constant(np.array([0]))
    places = graph.apply("Slice", graph.constant(places), zero, length, zero)
    words = graph.apply("Gather", graph.constant(graph.weight("embeddings.word_embeddings.weight")), "ids")
    x = graph.norm(graph.apply("Add", words, places), "embeddings.LayerNorm")
    real = graph.apply("Cast", "mask", to=TensorProto.FLOAT)
    padding = graph.apply("Mul", graph.apply("Sub", graph.constant(np.float32(1)), real), graph.constant(np.float32(-10000)))
    padding = graph.apply("Unsqueeze", padding, graph.constant(np.array([1, 2])))
    layers = 0
    while graph.weight(f"encoder.layer.{layers}.output.dense.weight") is not None:
        x = graph.layer(x, padding, f"encoder.layer.{layers}")
        layers += 1
    real = graph.apply("Unsqueeze", real, two)
    total = graph.apply("ReduceSum", graph.apply("Mul", x, real), one, keepdims=0)
    mean = graph.apply("Div", total, graph.apply("ReduceSum", real, one, keepdims=0))
    graph.nodes.append(helper.make_node("Div", [mean, graph.apply("ReduceL2", mean, one, keepdims=1)], ["vectors"]))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("ids", "mask")]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", 384])]
    parts = helper.make_graph(graph.nodes, "encoder", inputs, outputs, graph.constants)
    onnx.save(helper.make_model(parts, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


def texts(first, count, words):
    """As `texts` of embed.rs."""
    places = range(words)
    return [f"{n} " + " ".join(WORDS[(n * 7 + p * p * 5 + p) % 16] for p in places) for n in range(first, first + count)]


def main():
    folder = sys.argv[1]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("THREADS", "2"))
    options.log_severity_level = 3
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "model.onnx")
        write(load_file(os.path.join(folder, "model.safetensors")), path)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()

    def embed(texts, batch):
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        order = sorted(range(len(tokens)), key=lambda index: len(tokens[index]))
        vectors = np.empty((len(tokens), 384), np.float32)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            longest = max(len(tokens[index]) for index in chosen)
            ids, mask = np.zeros((2, len(chosen), longest), np.int64)
            for row, index in enumerate(chosen):
                ids[row, : len(tokens[index])] = tokens[index]
                mask[row, : len(tokens[index])] = 1
            vectors[chosen] = session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors

    first = 0
    for what, count, words, batch, samples in (("names", 2000, 3, 64, 20), ("passages", 128, 116, 16, 10)):
        rates, frugal = [], []
        for sample in range(samples + 1):
            made = texts(first, count, words)
            first += count
            used, start = resource.getrusage(resource.RUSAGE_SELF).ru_utime, time.perf_counter()
            embed(made, batch)
            seconds = time.perf_counter() - start
            if sample:
                rates.append(count / seconds)
                frugal.append(count / (resource.getrusage(resource.RUSAGE_SELF).ru_utime - used))
        print(f"{what}: {np.median(rates):.0f} a second (best {max(rates):.0f}), {np.median(frugal):.0f} a CPU second", flush=True)
    waits = []
    for text in texts(first, 300, 3):
        start = time.perf_counter()
        embed([text], 1)
        waits.append((time.perf_counter() - start) * 1e3)
    print(f"one name: {np.median(waits):.2f} ms (best {min(waits):.2f})")


main()
