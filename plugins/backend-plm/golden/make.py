"""Makes the models and expected values of this folder: python make.py [family ...] (torch, transformers, safetensors,
sentencepiece, protobuf; for esmc-2024 the authors' package esm 3.2, for e1 the package e1jax 0.3).

Each family is a small model with random weights, saved by transformers, and expected.safetensors beside it: token ids and the
hidden states of every layer (s<sequence>.h<layer>, 0 = embeddings) in float32. tokens.json has the tokens that the family's
tokenizer makes of single letters and of mixed texts.
"""

import json
import re
import shutil
import string
import sys
from importlib.metadata import version
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    BertTokenizer,
    EsmcConfig,
    EsmcForMaskedLM,
    EsmConfig,
    EsmcTokenizer,
    EsmForMaskedLM,
    EsmTokenizer,
    T5Config,
    T5EncoderModel,
    T5Tokenizer,
)
from transformers.models.t5.modeling_t5 import T5Attention

here = Path(__file__).parent
sequences = [
    "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ",
    "GSHMWUCZOBXAAYRPNDE",
    "MA",
]
letters = list(string.ascii_uppercase) + list(string.ascii_lowercase) + ["-", ".", "*"]
texts = sequences + ["MKJTA", "MKJJTA", "AB-CD", "MkTa", "ACDEFGHIKLMNPQRSTVWYBJOUXZ", "jAz"]
esm_vocabulary = (
    "<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - <null_1> <mask>".split()
)
bert_vocabulary = "[PAD] [UNK] [CLS] [SEP] [MASK] L A G V E S I K R D T P N Q F Y M H C W X U B Z O".split()
t5_letters = "ALGVSREDTIPKFQNYMHWCXBOUZ"


def randomise(model, scale=0.2):
    """Draws weights that are large enough for every part of the network to show in the output."""
    generator = torch.Generator().manual_seed(20240607)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator) * scale
            is_gain = re.search(r"(LayerNorm|layer_?norm\w*|[qk]_norm|[qk]_ln|\bnorm|qkv\.0|ffn\.0)\.weight$", name) is not None
            parameter.copy_(1 + 0.3 * noise if is_gain else noise)
    return model.eval()


def states_of(model, ids):
    with torch.no_grad():
        output = model(input_ids=torch.tensor([ids]), output_hidden_states=True)
    return [state[0].float().contiguous().clone() for state in output.hidden_states]


def write_expected(folder, model, encode, chosen=range(len(sequences))):
    tensors = {}
    for s in chosen:
        ids = encode(sequences[s])
        tensors[f"s{s}.ids"] = torch.tensor(ids, dtype=torch.int32)
        for layer, state in enumerate(states_of(model, ids)):
            tensors[f"s{s}.h{layer}"] = state
    save_file(tensors, folder / "expected.safetensors")


def write_tokens(folder, encode):
    rows = {text: encode(text) for text in letters + texts}
    (folder / "tokens.json").write_text(json.dumps(rows) + "\n")


def fresh(name):
    folder = here / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def save(model, folder, **how):
    model.save_pretrained(folder, **how)
    (folder / "generation_config.json").unlink(missing_ok=True)


def esm_tokenizer(folder):
    (folder / "vocab.txt").write_text("\n".join(esm_vocabulary))
    return EsmTokenizer(str(folder / "vocab.txt"))


def esm(name, hidden=32, **changes):
    folder = fresh(name)
    tokenizer = esm_tokenizer(folder)
    config = EsmConfig(
        vocab_size=33, hidden_size=hidden, num_hidden_layers=2, num_attention_heads=4, intermediate_size=2 * hidden,
        mask_token_id=32, pad_token_id=1, max_position_embeddings=66, token_dropout=True, **changes,
    )  # fmt: skip
    torch.manual_seed(1)
    model = randomise(EsmForMaskedLM(config))
    save(model, folder)
    encode = lambda text: tokenizer(text)["input_ids"]
    write_expected(folder, model.esm, encode)
    write_tokens(folder, encode)
    return model, encode


def halves(name, model, encode, dtype):
    """Saves the same weights rounded; the arithmetic of the expected states stays float32."""
    folder = fresh(name)
    esm_tokenizer(folder)
    rounded = {name: values.to(dtype) for name, values in model.state_dict().items() if "inv_freq" not in name}
    save(EsmForMaskedLM(model.config).to(dtype), folder, state_dict=rounded)
    model.load_state_dict({name: values.float() for name, values in rounded.items()}, strict=False)
    write_expected(folder, model.esm, encode, [1])
    return rounded


def pickled(name, rounded):
    """Saves the weights with torch.save, as older repositories do; a tied weight shares its numbers with another one."""
    folder = fresh(name)
    esm_tokenizer(folder)
    shutil.copy(here / "esm2-float16" / "config.json", folder)
    shutil.copy(here / "esm2-float16" / "expected.safetensors", folder)
    torch.save(rounded, folder / "pytorch_model.bin")


def t5_piece_model(folder, extra=()):
    spec = sentencepiece_model_pb2.ModelProto()
    kinds = sentencepiece_model_pb2.ModelProto.SentencePiece
    rows = [("<pad>", 0, kinds.CONTROL), ("</s>", 0, kinds.CONTROL), ("<unk>", 0, kinds.UNKNOWN)]
    rows += [(f"▁{letter}", -2 - 0.05 * i, kinds.NORMAL) for i, letter in enumerate(t5_letters)]
    rows += [(piece, 0, kinds.USER_DEFINED) for piece in extra]
    for piece, score, kind in rows:
        spec.pieces.add(piece=piece, score=score, type=kind)
    trainer = spec.trainer_spec
    trainer.model_type = 1
    trainer.vocab_size = len(rows)
    trainer.pad_id, trainer.eos_id, trainer.unk_id, trainer.bos_id = 0, 1, 2, -1
    spec.normalizer_spec.name = "identity"
    spec.normalizer_spec.add_dummy_prefix = True
    spec.normalizer_spec.remove_extra_whitespaces = True
    spec.normalizer_spec.escape_whitespaces = True
    (folder / "spiece.model").write_bytes(spec.SerializeToString())
    return [(piece, score) for piece, score, _ in rows]


def t5_model(vocab_size, layers, **changes):
    config = T5Config(
        vocab_size=vocab_size, d_model=32, d_kv=8, num_heads=4, d_ff=48, num_layers=layers,
        relative_attention_num_buckets=8, relative_attention_max_distance=20, **changes,
    )  # fmt: skip
    torch.manual_seed(2)
    return randomise(T5EncoderModel(config), 0.16)


def t5():
    folder = fresh("prott5")
    rows = t5_piece_model(folder)
    pieces = SentencePieceProcessor(model_file=str(folder / "spiece.model"))
    tokenizer = T5Tokenizer(vocab=rows, extra_ids=0)
    encode = lambda text: tokenizer(" ".join(text))["input_ids"]
    assert encode(sequences[0]) == pieces.encode(" ".join(sequences[0])) + [1]
    model = t5_model(len(rows), 3, feed_forward_proj="relu")
    save(model, folder)
    write_expected(folder, model, encode)
    write_tokens(folder, encode)


def prostt5():
    folder = fresh("prostt5")
    rows = t5_piece_model(folder)
    size = len(rows)
    added = {"<fold2AA>": size, "<AA2fold>": size + 1}
    (folder / "added_tokens.json").write_text(json.dumps(added) + "\n")
    tokenizer = T5Tokenizer(vocab=rows, extra_ids=0)
    tokenizer.add_tokens(list(added))
    encode = lambda text: tokenizer(" ".join(["<AA2fold>", *text]))["input_ids"]
    assert encode("MA")[0] == size + 1 and len(encode("MA")) == 4, encode("MA")
    model = t5_model(size + 2, 2, feed_forward_proj="relu")
    save(model, folder)
    write_expected(folder, model, encode, [0, 2])
    write_tokens(folder, encode)


def ankh():
    folder = fresh("ankh")
    rows = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(f"▁{c}", -2.0 - i) for i, c in enumerate(t5_letters)]
    tokenizer = T5Tokenizer(vocab=rows, extra_ids=0)
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        if path.name not in ("tokenizer.json", "tokenizer_config.json"):
            path.unlink()
    encode = lambda text: tokenizer(list(text), is_split_into_words=True)["input_ids"]
    model = t5_model(len(rows), 3, feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    save(model, folder, max_shard_size="60KB")
    write_expected(folder, model, encode)
    write_tokens(folder, encode)


def ankh3():
    """Makes an Ankh3, where the text is one word after a token for the task. Its activation differs from that of Ankh."""
    folder = fresh("ankh3")
    rows = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(c, -2.0 - i) for i, c in enumerate(t5_letters)]
    tokenizer = unigram([*rows, ("▁", -3.5)])
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        if path.name not in ("tokenizer.json", "tokenizer_config.json"):
            path.unlink()
    encode = lambda prefix: lambda text: tokenizer(prefix + text)["input_ids"]
    model = t5_model(len(tokenizer), 2, feed_forward_proj="gated-silu", tie_word_embeddings=False)
    save(model, folder)
    write_expected(folder, model, encode("[NLU]"), [0, 2])
    write_tokens(folder, encode("[NLU]"))
    (folder / "expected.safetensors").rename(folder / "nlu.safetensors")
    write_expected(folder, model, encode("[S2S]"), [0, 2])
    (folder / "expected.safetensors").rename(folder / "expected-s2s.safetensors")
    (folder / "nlu.safetensors").rename(folder / "expected.safetensors")
    # The way to cut the text depends on the pieces: the mark of a word is alone, joined with the word's first letter, or unknown.
    marked = [(f"▁{c}", -2.0 - i) for i, c in enumerate(t5_letters)]
    pairs = [("MK", -2.5), ("KT", -2.1), ("▁M", -1.0), ("AY", -9.0)]
    kinds = {"unmarked": rows, "joined": rows + marked, "pairs": [*rows, ("▁", -3.5), *pairs]}
    cuts = {name: {"vocab": vocab, "ids": {t: unigram(vocab)("[S2S]" + t)["input_ids"] for t in texts + ["J", "JJMK"]}}
            for name, vocab in kinds.items()}  # fmt: skip
    (folder / "cuts.json").write_text(json.dumps(cuts) + "\n")


def unigram(rows):
    return T5Tokenizer(vocab=rows, extra_ids=0, additional_special_tokens=["[NLU]", "[S2S]"])


def bert():
    folder = fresh("protbert")
    (folder / "vocab.txt").write_text("\n".join(bert_vocabulary))
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=False)
    config = BertConfig(
        vocab_size=len(bert_vocabulary), hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=64, hidden_act="gelu",
    )  # fmt: skip
    torch.manual_seed(3)
    model = randomise(BertModel(config, add_pooling_layer=True))
    save(model, folder)
    encode = lambda text: tokenizer(" ".join(text))["input_ids"]
    write_expected(folder, model, encode)
    write_tokens(folder, encode)


def esmc(name, dtype=None, **how):
    """Saves the model with its head, as it is published. It is wide enough for the real size of the feed-forward block to be unusual."""
    folder = fresh(name)
    config = EsmcConfig(
        hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=48,
    )  # fmt: skip
    torch.manual_seed(4)
    model = randomise(EsmcForMaskedLM(config), 0.12)
    tokenizer = EsmcTokenizer()
    encode = lambda text: tokenizer(text)["input_ids"]
    if dtype is None:
        save(model, folder, **how)
    else:
        rounded = {name: values.to(dtype) for name, values in model.state_dict().items()}
        save(EsmcForMaskedLM(config).to(dtype), folder, state_dict=dict(rounded), **how)
        model.load_state_dict({name: values.float() for name, values in rounded.items()})
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        if path.name == "special_tokens_map.json":
            path.unlink()
    write_expected(folder, model.esmc, encode, range(len(sequences)) if dtype is None else [1])
    if dtype is None:
        write_tokens(folder, encode)


def esmc_2024():
    """Saves the layout of the authors' first weights: torch.save of the state dict, without config.json and tokenizer."""
    from esm.models.esmc import ESMC
    from esm.tokenization.sequence_tokenizer import EsmSequenceTokenizer

    folder = fresh("esmc-2024")
    torch.manual_seed(5)
    tokenizer = EsmSequenceTokenizer()
    model = ESMC(16, 2, 2, tokenizer, use_flash_attn=False)
    model = randomise(model, 0.12)
    rounded = model.state_dict()
    for key in rounded:
        rounded[key] = rounded[key].to(torch.bfloat16)
    torch.save(rounded, folder / "esmc_tiny_2024_12_v0.pth")
    model.load_state_dict({name: values.float() for name, values in rounded.items()})
    (folder / "config.json").write_text(json.dumps({"n_heads": 2}) + "\n")
    encode = lambda text: tokenizer.encode(text)
    write_tokens(folder, encode)
    tensors = {}
    for s, sequence in enumerate(sequences):
        ids = torch.tensor([encode(sequence)])
        tensors[f"s{s}.ids"] = ids[0].to(torch.int32)
        with torch.no_grad():
            output = model(sequence_tokens=ids)
            # The package gives the states after each layer: the first one is the input, and the last one is normalised.
            states = [model.embed(ids), *output.hidden_states[:-1], output.embeddings]
        for layer, state in enumerate(states):
            tensors[f"s{s}.h{layer}"] = state[0].float().contiguous().clone()
    save_file(tensors, folder / "expected.safetensors")


def e1(name, dtype=None, clip=8.0, shards=1):
    """Writes the published names by hand, because e1jax reads them and keeps its own. The values are computed in float32."""
    import equinox
    import jax
    from e1jax import E1, tokenize
    from e1jax._model import build_conversion_map, update_eqx_with_state_dict

    folder = fresh(name)
    hidden, layers, heads, intermediate, sequence_rows = 32, 4, 4, 48, 4
    published = build_conversion_map(layers)
    model = E1(hidden, heads, intermediate, layers, key=jax.random.PRNGKey(0))
    generator = torch.Generator().manual_seed(7)
    weights = {}
    for path, values in jax.tree.flatten_with_path(model)[0]:
        own = ".".join(str(part).strip(".") for part in path)
        if own in published:
            noise = torch.randn(values.shape, generator=generator) * 0.15
            weights[published[own]] = 1 + 0.3 * noise if re.search(r"norm\.weight$", own) else noise
    kept = {name: values.to(dtype or torch.float32) for name, values in weights.items()}
    model = update_eqx_with_state_dict(model, kept, published)
    for layer in range(layers):
        model = equinox.tree_at(lambda tree, at=layer: tree.layers[at].attention.clip_qkv, model, clip)
    # A sequence alone is the first one, so the other rows of the table have no effect.
    kept["model.embed_seq_id.weight"] = kept["model.embed_seq_id.weight"][:sequence_rows].clone()
    config = {
        "architectures": ["E1ForMaskedLM"], "model_type": "E1", "vocab_size": 34, "hidden_size": hidden,
        "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": heads,
        "intermediate_size": intermediate, "gated_mlp": True, "hidden_act": "silu", "rms_norm_eps": 1e-5,
        "clip_qkv": clip, "global_attention_every_n_layers": 3, "max_num_sequences": sequence_rows,
        "max_num_positions_within_seq": 8192, "rope_theta_within_seq": 10000.0, "rope_theta_global": 500000.0,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_shards(kept, folder, shards)

    def states(tokens):
        x = jax.vmap(model.token_embed)(tokens.tokens) + jax.vmap(model.sequence_embed)(tokens.sequence_ids)
        found = [x]
        for layer in model.layers:
            x = layer(x, *tokens[1:])
            found.append(x)
        found[-1] = jax.vmap(model.norm)(x)
        assert jax.numpy.array_equal(found[-1], model(*tokens)[1])
        return found

    tensors = {}
    for s, sequence in enumerate(sequences if dtype is None else sequences[1:2], 0 if dtype is None else 1):
        tokens = tokenize(sequence)
        tensors[f"s{s}.ids"] = torch.tensor(tokens.tokens.tolist(), dtype=torch.int32)
        for layer, state in enumerate(states(tokens)):
            tensors[f"s{s}.h{layer}"] = torch.tensor(state.tolist())
    save_file(tensors, folder / "expected.safetensors")
    if dtype is None:
        write_tokens(folder, lambda text: tokenize(text).tokens.tolist())


def save_shards(weights, folder, count):
    """Saves one file, or several and their index, as transformers does."""
    if count == 1:
        save_file(weights, folder / "model.safetensors")
        return
    names = sorted(weights)
    index = {}
    for part in range(count):
        file = f"model-{part + 1:05}-of-{count:05}.safetensors"
        chosen = names[part::count]
        save_file({name: weights[name] for name in chosen}, folder / file)
        index |= {name: file for name in chosen}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}) + "\n")


def distilprotbert():
    """Makes a model with half of ProtBERT's layers, published with its head, as a pickle."""
    folder = fresh("distilprotbert")
    (folder / "vocab.txt").write_text("\n".join(bert_vocabulary))
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=False)
    config = BertConfig(
        vocab_size=len(bert_vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    torch.manual_seed(6)
    model = randomise(BertForMaskedLM(config))
    save(model, folder)
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    encode = lambda text: tokenizer(" ".join(text))["input_ids"]
    write_expected(folder, model.bert, encode)
    write_tokens(folder, encode)


def positions():
    """Computes the buckets of relative positions -700 to 700 for the settings of the real T5 encoders."""
    distances = torch.arange(-700, 701)
    bucket = T5Attention._relative_position_bucket
    buckets = {f"{n},{far}": bucket(distances, True, n, far).tolist() for n, far in [(32, 128), (64, 128), (8, 20)]}
    (here / "buckets.json").write_text(json.dumps(buckets) + "\n")


def esm2():
    for dtype in ("float16", "bfloat16"):
        model, encode = esm("esm2", position_embedding_type="rotary", emb_layer_norm_before=False)
        rounded = halves(f"esm2-{dtype}", model, encode, getattr(torch, dtype))
        if dtype == "float16":
            pickled("esm2-pickle", rounded)


families = {
    "positions": positions,
    "esm1b": lambda: esm("esm1b", position_embedding_type="absolute", emb_layer_norm_before=True),
    "esm1v": lambda: esm("esm1v", 16, position_embedding_type="absolute", emb_layer_norm_before=False),
    "esm2": esm2,
    "esmc": lambda: esmc("esmc", max_shard_size="60KB"),
    "esmc-float16": lambda: esmc("esmc-float16", torch.float16),
    "esmc-bfloat16": lambda: esmc("esmc-bfloat16", torch.bfloat16),
    "esmc-2024": esmc_2024,
    # The limit is small, so that it changes many queries, keys and values; the others have the published limit.
    "e1": lambda: e1("e1", clip=0.75),
    "e1-float16": lambda: e1("e1-float16", torch.float16, shards=2),
    "e1-bfloat16": lambda: e1("e1-bfloat16", torch.bfloat16),
    "prott5": t5,
    "prostt5": prostt5,
    "ankh": ankh,
    "ankh3": ankh3,
    "protbert": bert,
    "distilprotbert": distilprotbert,
}


def main():
    for name in sys.argv[1:] or families:
        families[name]()
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__}
    versions |= {package: version(package) for package in ("esm", "e1jax", "jax")}
    (here / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")


main()
