"""Parameters of models of transformers, built on the meta device. Runs in the environment of transformers.txt.

    python classes.py FOLDER TYPE...     # config.json of each type with the defaults of its class, and its parameters

Writes FOLDER/TYPE.json and prints one line `TYPE PARAMETERS` or `TYPE - REASON` for each.
"""
import json
import os
import sys

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import torch  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING  # noqa: E402


# What a class needs and has no default for.
NEEDED = {
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 10000.0}}},
}


def parameters(config):
    """Of the causal model of a configuration, or of its text part."""
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING or not hasattr(config, "vocab_size"):
        config = config.get_text_config()
    with torch.device("meta"):
        model = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)](config)
    model.tie_weights()
    language = getattr(getattr(model, "model", None), "language_model", None)
    parts = [model] if language is None else [language]  # the text part of a model with sound or images
    return sum(p.numel() for part in parts for p in part.parameters())


def main():
    folder, *types = sys.argv[1:]
    for kind in types:
        try:
            config = CONFIG_MAPPING[kind](**NEEDED.get(kind, {}))
            with open(os.path.join(folder, kind + ".json"), "w", encoding="utf-8") as file:
                json.dump(json.loads(config.to_json_string(use_diff=False)), file, indent=1)
            print(kind, parameters(config), flush=True)
        except Exception as error:  # a class may have no defaults that build a model
            print(kind, "-", repr(error).replace("\n", " ")[:120], flush=True)


if __name__ == "__main__":
    main()
