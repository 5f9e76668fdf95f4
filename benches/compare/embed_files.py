"""all-MiniLM-L6-v2 as onnxruntime and as llama.cpp read it, from the very weights that Quipu reads:

    embed_files.py FOLDER OUT        FOLDER holds model.safetensors: the last line of `quipu models path all-minilm-l6-v2`

Writes OUT/model.onnx and OUT/model.gguf (32-bit floats; a BERT encoder with mean pooling) and prints where onnxruntime's library lies.
"""

import glob
import os
import sys

import gguf
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file


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


def write_onnx(weights, path):
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


GGUF_NAMES = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm": "token_embd_norm",
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def gguf_name(name):
    """A weight's name in llama.cpp; nothing for what the encoder has no use for (the pooler)."""
    if name in GGUF_NAMES:
        return GGUF_NAMES[name]
    stem, part = name.rsplit(".", 1)
    if not stem.startswith("encoder.layer."):
        return f"{GGUF_NAMES[stem]}.{part}" if stem in GGUF_NAMES else None
    _, _, number, inner = stem.split(".", 3)
    return f"blk.{number}.{GGUF_NAMES[inner]}.{part}"


def write_gguf(weights, path):
    weights = {name.removeprefix("bert."): value for name, value in weights.items()}
    words, places = (weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position"))
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_block_count(1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.")))
    writer.add_context_length(places.shape[0])
    writer.add_embedding_length(words.shape[1])
    writer.add_feed_forward_length(weights["encoder.layer.0.intermediate.dense.weight"].shape[0])
    writer.add_head_count(words.shape[1] // 32)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    # Texts come as tokens: it needs no words.
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(words.shape[0])
    writer.add_token_type_count(2)
    for name, value in weights.items():
        if named := gguf_name(name):
            writer.add_tensor(named, np.ascontiguousarray(value, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    folder, out = sys.argv[1:]
    weights = load_file(os.path.join(folder, "model.safetensors"))
    write_onnx(weights, os.path.join(out, "model.onnx"))
    write_gguf(weights, os.path.join(out, "model.gguf"))
    print(*glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__), "capi", "libonnxruntime.so.*")))


main()
