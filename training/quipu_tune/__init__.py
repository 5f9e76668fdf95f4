"""Fine-tunes a small chat model by LoRA and writes the adapter as GGUF.

`command` reads the command line; `data` the examples; `base` and `tokens` the model that is tuned,
as far as no tensor is needed; `conversation` turns an example into tokens; `model` loads the
network and gives it a LoRA; `training` is the loop; `run_folder`, `losses` and `progress` keep and
tell what it did; `adapter` writes the file that llama.cpp loads. Only `model` and `training` import
torch.
"""
