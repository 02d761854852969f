#!/usr/bin/python3
"""Writes small models of every naming family, and every number that they compute.

    /usr/bin/python3 tests/golden/make_families.py [NAME...]      (Debian: python3-torch)

For each case, in tests/golden/families:
    NAME.model.safetensors or .npz   random weights, named and laid out as the family does
    NAME.config.json                 what tensors so small cannot say, where that is needed
    NAME.input.safetensors           pixels [B, 3, H, W], already normalised
    NAME.safetensors                 every intermediate, under the names that `headlight trace` writes

As in make_golden.py, the intermediates are computed in float64 from float32 weights and inputs and
rounded once. `concat` is left out, as it only lists the numbers of `heads` in another order.
"""
import json
import pathlib
import sys
import zlib

import numpy
import torch

from families import beit as beits
from families import dinov3 as dino3
from families import huggingface, jax, mae as mae_files, torchvision as vision
from families.clip import HuggingFaceTower, VisionTower
from families.eva import Eva
from families.t2t import T2T, Lanl, Performers
from families import siglip as siglips
from families import swin as swins
from families.timm import VisionTransformer, dino_head
from make_golden import relative_error, write_safetensors

HERE = pathlib.Path(__file__).resolve().parent / "families"


def double(tensors):
    return {name: tensor.double() for name, tensor in tensors.items()}


@torch.no_grad()
def write_case(name, model, pixels, config=None):
    in_float = model.steps(pixels)
    file = model.file()
    model.w.update(double(model.w))
    exact = model.steps(pixels.double())
    worst = max((relative_error(in_float[step], tensor), step) for step, tensor in exact.items())
    print(f"{name:22} {len(file):4} tensors {len(exact):4} steps, "
          f"PyTorch float32 {worst[0]:.1e} in {worst[1]}")
    write_model(name, file)
    if config:
        (HERE / f"{name}.config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(HERE / f"{name}.input.safetensors", {"pixels": pixels})
    write_safetensors(HERE / f"{name}.safetensors",
                      {step: tensor.float() for step, tensor in exact.items()})


def write_model(name, file):
    if any("/" in tensor for tensor in file):  # JAX's names
        numpy.savez(HERE / f"{name}.model.npz", **{key: value.numpy() for key, value in file.items()})
    else:
        write_safetensors(HERE / f"{name}.model.safetensors", file)


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def heads(count, **more):
    """Such small widths belong to no family, so the number of heads must be given."""
    return {"num_heads": count, **more}


@case
def timm():
    model = VisionTransformer(24, 3, 2, 48, 4, (3, 3), classes=5)
    return model, torch.randn(2, 3, 12, 12), heads(3)


@case
def timm_registers():
    model = VisionTransformer(24, 3, 2, 48, 4, (4, 4), prefix_tokens=("cls_token", "reg_token"),
                              covered=0, registers=2, qkv_bias=False, qk_norm=True,
                              layer_scale=True, classes=5)
    return model, torch.randn(1, 3, 12, 20), heads(3)


@case
def timm_pooled():
    model = VisionTransformer(32, 4, 2, 40, 4, (2, 5), prefix_tokens=(), covered=0, pre_norm=True,
                              pooled=True, classes=3)
    return model, torch.randn(1, 3, 16, 12), heads(4, image_size=[8, 20], layer_norm_eps=1e-6)


@case
def timm_swiglu():
    model = VisionTransformer(24, 2, 2, 20, 4, (3, 3), prefix_tokens=("cls_token", "reg_token"),
                              covered=3, registers=2, layer_scale=True, swiglu=("fc1", "fc2"))
    return model, torch.randn(2, 3, 12, 8), heads(2)


@case
def timm_geglu():
    model = VisionTransformer(24, 2, 2, 20, 4, (3, 3), prefix_tokens=("cls_token", "reg_token"),
                              covered=3, registers=2, swiglu=("fc1", "fc2"), gate="geglu")
    return model, torch.randn(2, 3, 12, 12), heads(2, activation="gelu")


@case
def deit_distilled():
    model = VisionTransformer(24, 3, 2, 48, 4, (3, 3), prefix_tokens=("cls_token", "dist_token"),
                              covered=2, classes=5, distilled=True)
    return model, torch.randn(1, 3, 12, 12), heads(3)


@case
def dino():
    model = VisionTransformer(24, 3, 2, 48, 4, (4, 4), resampling="offset",
                              prefix="teacher.backbone.")
    plain = model.file
    extra = dino_head(model, 24)
    model.file = lambda: plain() | extra
    return model, torch.randn(1, 3, 20, 12), heads(3)


@case
def dinov2():
    model = VisionTransformer(24, 3, 2, 48, 4, (5, 5), layer_scale=True, mask_token=True,
                              resampling="offset")
    return model, torch.randn(1, 3, 16, 12), heads(3)


@case
def dinov2_registers():
    model = VisionTransformer(24, 3, 4, 16, 4, (5, 5), registers=4, layer_scale=True,
                              prefix_tokens=("cls_token", "register_tokens"), mask_token=True,
                              swiglu=("w12", "w3"), chunk=2)
    return model, torch.randn(1, 3, 12, 16), heads(3)


@case
def mae():
    """With its decoder, which the encoder's output does not need."""
    return mae_files.encoder(24, 3, 2, 48, 4, (3, 3), 16), torch.randn(2, 3, 12, 12), heads(3)


@case
def clip_openai():
    return VisionTower(24, 3, 2, 16, 4, (3, 3)), torch.randn(1, 3, 12, 12), heads(3)


@case
def clip_open():
    model = VisionTower(24, 2, 2, 10, 4, (4, 4), activation="gelu", resampling="antialiased")
    return model, torch.randn(1, 3, 12, 8), heads(2, family="openclip")


@case
def clip_pooled():
    """CLIPA's."""
    model = VisionTower(24, 2, 2, 10, 4, (3, 3), activation="gelu", resampling="antialiased",
                        pooled=True)
    config = {"model_cfg": {"embed_dim": 10, "vision_cfg": {
        "image_size": 12, "head_width": 12, "no_ln_pre": True, "pool_type": "avg",
        "final_ln_after_pool": True}}}
    return model, torch.randn(1, 3, 12, 12), config


@case
def clip_huggingface():
    model = HuggingFaceTower(24, 3, 2, 16, 4, (4, 4))
    config = {"model_type": "clip", "vision_config": {
        "num_attention_heads": 3, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5,
        "image_size": 16, "patch_size": 4}}
    return model, torch.randn(2, 3, 8, 12), config


@case
def siglip():
    model = siglips.VisionTower(24, 3, 2, 48, 4, (3, 3))
    config = {"model_type": "siglip", "vision_config": {
        "num_attention_heads": 3, "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6,
        "image_size": 12, "patch_size": 4}}
    return model, torch.randn(2, 3, 12, 20), config


@case
def siglip_classes():
    model = siglips.VisionTower(24, 3, 2, 48, 4, (3, 3), classes=5)
    config = {"model_type": "siglip", "architectures": ["SiglipForImageClassification"],
              "vision_config": {"num_attention_heads": 3, "hidden_act": "gelu_pytorch_tanh",
                                "layer_norm_eps": 1e-6, "image_size": 12, "patch_size": 4}}
    return model, torch.randn(2, 3, 12, 12), config


@case
def siglip_naflex():
    """A picture of 3 by 5 patches in a sequence of 20: the padding is masked and has no effect."""
    model = siglips.VisionTower(24, 3, 2, 40, 4, (4, 4), padded=20)
    config = {"model_type": "siglip2", "vision_config": {
        "model_type": "siglip2_vision_model", "num_attention_heads": 3, "num_patches": 16},
        "max_num_patches": 20}
    return model, torch.randn(1, 3, 12, 20), config


@case
def timm_siglip():
    model = VisionTransformer(24, 3, 2, 48, 4, (3, 3), prefix_tokens=(), covered=0, map_pool=True)
    return model, torch.randn(2, 3, 12, 12), heads(3)


@case
def timm_siglip_classes():
    """With a head of classes behind it, and the GELU that timm gives the tower of this name."""
    model = VisionTransformer(24, 2, 2, 40, 4, (3, 3), prefix_tokens=(), covered=0, map_pool=True,
                              classes=5, activation="gelu_tanh")
    config = {"architecture": "vit_so400m_patch16_siglip_256", "model_args": {"num_heads": 2}}
    return model, torch.randn(1, 3, 12, 16), config


@case
def google_siglip():
    model = jax.VisionTransformer(24, 3, 2, 48, 4, (3, 3), map_pool=True, classes=0)
    return model, torch.randn(1, 3, 12, 12), None


@case
def hf_vit():
    model = huggingface.Encoder(huggingface.OLD, 24, 3, 2, 48, 4, (4, 4), prefix="vit.",
                                head="class", classes=3)
    config = {"architectures": ["ViTForImageClassification"], "model_type": "vit",
              "num_attention_heads": 3, "layer_norm_eps": 1e-12, "image_size": 16,
              "id2label": {"0": "cat", "1": "dog", "2": "neither"}}
    return model, torch.randn(1, 3, 12, 20), config


@case
def hf_vit_newer():
    model = huggingface.Encoder(huggingface.NEW, 24, 2, 2, 40, 4, (3, 3), pooler=True)
    return model, torch.randn(2, 3, 12, 12), {"num_attention_heads": 2}


@case
def hf_deit():
    model = huggingface.Encoder(huggingface.OLD, 24, 3, 2, 48, 4, (3, 3), prefix="deit.",
                                distillation=True, head="both tokens")
    return model, torch.randn(1, 3, 12, 12), {"model_type": "deit", "num_attention_heads": 3}


@case
def hf_dinov2():
    model = huggingface.Encoder(huggingface.DINOV2, 24, 3, 2, 48, 4, (5, 5), prefix="dinov2.",
                                mask_token=True, layer_scale=True, eps=1e-6,
                                head="class and patches")
    return model, torch.randn(1, 3, 16, 12), {"model_type": "dinov2", "num_attention_heads": 3}


@case
def hf_dinov2_registers():
    model = huggingface.Encoder(huggingface.DINOV2_SWIGLU, 24, 3, 2, 16, 4, (5, 5), registers=3,
                                mask_token=True, layer_scale=True, eps=1e-6,
                                resampling="antialiased", activation="swiglu")
    config = {"model_type": "dinov2_with_registers", "num_attention_heads": 3}
    return model, torch.randn(1, 3, 16, 12), config


@case
def dinov3():
    """Periods that no formula gives, and a key bias that its mask sets to zero."""
    model = dino3.DinoV3(dino3.AUTHORS, 32, 2, 2, 48, 4, 4, periods=[0.9, 1.75, 5.5, 30.0])
    return model, torch.randn(2, 3, 12, 20), heads(2, image_size=24)


@case
def dinov3_gated():
    model = dino3.DinoV3(dino3.AUTHORS, 24, 3, 2, 16, 4, 1, gated=True, bias=False,
                         periods=[1.0, 10.0])
    return model, torch.randn(1, 3, 16, 12), {"image_size": 16}


@case
def hf_dinov3():
    model = dino3.DinoV3(dino3.HUGGINGFACE, 32, 2, 2, 48, 4, 4, base=40.0)
    config = {"model_type": "dinov3_vit", "num_attention_heads": 2, "layer_norm_eps": 1e-5,
              "rope_theta": 40.0, "image_size": 24, "hidden_act": "gelu"}
    return model, torch.randn(1, 3, 12, 20), config


@case
def hf_dinov3_gated():
    model = dino3.DinoV3(dino3.HUGGINGFACE, 24, 3, 2, 16, 4, 2, gated=True)
    config = {"model_type": "dinov3_vit", "num_attention_heads": 3, "hidden_act": "silu",
              "image_size": 16}
    return model, torch.randn(2, 3, 8, 12), config


@case
def timm_dinov3():
    model = dino3.DinoV3(dino3.TIMM, 32, 2, 2, 48, 4, 4)
    return model, torch.randn(1, 3, 12, 20), heads(2, image_size=24)


@case
def timm_dinov3_gated():
    model = dino3.DinoV3(dino3.TIMM, 24, 3, 2, 16, 4, 4, gated=True, bias=False)
    return model, torch.randn(1, 3, 16, 16), heads(3, image_size=16)


@case
def eva02():
    model = Eva(32, 2, 2, 20, 4, (3, 3), sub_norm=True, mlp_norm=True)
    return model, torch.randn(2, 3, 12, 20), heads(2)


@case
def eva02_reference():
    """Rotary positions of another grid than EVA-02's own."""
    model = Eva(24, 3, 2, 20, 4, (4, 4), fused=True, packed=True, reference=(3, 5))
    return model, torch.randn(1, 3, 16, 12), heads(3, ref_feat_shape=[3, 5])


@case
def eva02_small():
    """Its smaller models: one product for query, key and value, one for gate and up, no inner norms."""
    model = Eva(24, 3, 2, 20, 4, (4, 4), fused=True, packed=True)
    return model, torch.randn(1, 3, 16, 16), heads(3)


@case
def eva02_clip():
    model = Eva(32, 2, 2, 20, 4, (3, 3), sub_norm=True, mlp_norm=True, pooled=False)
    return model, torch.randn(1, 3, 12, 12), heads(2)


@case
def eva02_authors():
    """EVA02-CLIP's tower."""
    model = Eva(32, 2, 2, 20, 4, (3, 3), sub_norm=True, mlp_norm=True, pooled=False, authors=True)
    return model, torch.randn(1, 3, 12, 12), heads(2)


@case
def eva():
    model = Eva(24, 3, 2, 40, 4, (3, 3), fused=True, rotary=False)
    return model, torch.randn(1, 3, 12, 12), heads(3)


@case
def torchvision():
    model = vision.VisionTransformer(24, 3, 2, 48, 4, (3, 3))
    return model, torch.randn(2, 3, 12, 12), heads(3)


@case
def torchvision_resized():
    model = vision.VisionTransformer(24, 3, 2, 48, 4, (3, 3))
    return model, torch.randn(1, 3, 20, 20), heads(3)


@case
def torchvision_older():
    model = vision.VisionTransformer(24, 2, 2, 40, 4, (2, 2), pre_logits=20, older=True)
    return model, torch.randn(1, 3, 8, 8), heads(2)


@case
def beit():
    return beits.Beit(beits.TIMM, 24, 3, 2, 48, 4, (3, 3)), torch.randn(2, 3, 12, 12), heads(3)


@case
def beit_wide():
    model = beits.Beit(beits.TIMM, 24, 3, 2, 48, 4, (2, 4))
    return model, torch.randn(1, 3, 8, 16), heads(3, image_size=[8, 16])


@case
def hf_beit_tall():
    model = beits.Beit(beits.HUGGINGFACE, 24, 3, 2, 48, 4, (4, 2), shared=True)
    config = {"model_type": "beit", "num_attention_heads": 3, "layer_norm_eps": 1e-12,
              "image_size": [16, 8]}
    return model, torch.randn(1, 3, 16, 8), config


@case
def beit_shared():
    model = beits.Beit(beits.TIMM, 24, 2, 2, 40, 4, (2, 2), shared=True, pooled=False)
    return model, torch.randn(1, 3, 8, 8), heads(2)


@case
def hf_beit():
    model = beits.Beit(beits.HUGGINGFACE, 24, 3, 2, 48, 4, (3, 3))
    config = {"model_type": "beit", "num_attention_heads": 3, "layer_norm_eps": 1e-12,
              "hidden_act": "gelu"}
    return model, torch.randn(1, 3, 12, 12), config


@case
def swin():
    """With timm's current names; the second stage's windows are smaller than the first's."""
    model = swins.Swin(swins.TIMM, 16, (2, 4), (2, 2), (4, 2), 2, (8, 8))
    config = {"architecture": "swin_of_two_stages", "global_pool": "avg",
              "pretrained_cfg": {"input_size": [3, 16, 16], "crop_pct": 0.9}}
    return model, torch.randn(1, 3, 16, 16), config


@case
def swin_authors():
    """With buffers that follow from the windows, for a picture that is not square, and an odd
    number of layers."""
    model = swins.Swin(swins.AUTHORS, 8, (1, 2), (2, 3), (3, 3), 2, (12, 18), buffers=True)
    return model, torch.randn(1, 3, 24, 36), {"image_size": [24, 36]}


@case
def swin_positions():
    """One stage, positions instead of the patches' norm, no biases of query, key and value."""
    model = swins.Swin(swins.AUTHORS, 16, (2,), (2,), (2,), 2, (4, 4), prefix="encoder.",
                       positions=True, qkv_bias=False)
    return model, torch.randn(2, 3, 8, 8), {"image_size": 8}


@case
def hf_swin():
    """The last stage is a single window, which is not shifted."""
    model = swins.Swin(swins.HUGGINGFACE, 12, (3, 6, 6), (2, 1, 2), (2, 2, 2), 2, (8, 8),
                       prefix="swin.", buffers=True)
    config = {"model_type": "swin", "depths": [2, 1, 2], "num_heads": [3, 6, 6], "window_size": 2,
              "image_size": 16, "patch_size": 2, "layer_norm_eps": 1e-5, "hidden_act": "gelu"}
    return model, torch.randn(1, 3, 16, 16), config


@case
def hf_swin_bare():
    model = swins.Swin(swins.HUGGINGFACE, 8, (1, 2), (2, 1), (2, 2), 4, (4, 4), classes=0)
    return model, torch.randn(2, 3, 16, 16), {"model_type": "swin", "image_size": 16}


@case
def torchvision_swin():
    model = swins.Swin(swins.TORCHVISION, 16, (2, 4), (2, 2), (2, 2), 2, (8, 8), buffers=True)
    return model, torch.randn(2, 3, 16, 16), {"image_size": 16}


@case
def google():
    model = jax.VisionTransformer(24, 3, 2, 48, 4, (3, 3), pre_logits=20)
    return model, torch.randn(2, 3, 12, 12), None


@case
def google_resampled():
    model = jax.VisionTransformer(24, 2, 2, 40, 4, (5, 5))
    return model, torch.randn(1, 3, 12, 16), None


@case
def t2t():
    return T2T(24, 3, 1, 32, 8, (2, 2)), torch.randn(1, 3, 32, 32), heads(3)


@case
def t2t_scaled():
    """As released: the layers scale by the whole width, which their file does not state."""
    model = T2T(24, 2, 1, 32, 8, (1, 2), qk_scale=24 ** -0.5)
    return model, torch.randn(1, 3, 16, 32), heads(2, qk_scale=24 ** -0.5, image_size=[16, 32])


@case
def t2t_performer():
    return Performers(24, 3, 1, 32, 8, (2, 2)), torch.randn(2, 3, 32, 32), heads(3)


@case
def t2t_lanl():
    model = Lanl(24, 3, 2, 32, 9, (3, 2))
    return model, torch.randn(2, 1, 32, 20), heads(3, image_size=[32, 20])


def write_maps():
    """Attention without a model, as any framework may save it: one tensor, or one per layer."""
    torch.manual_seed(0)
    maps = torch.randn(2, 3, 10, 10).mul(2).softmax(-1)
    write_safetensors(HERE / "maps.model.safetensors", {"attentions": maps})
    layers = {f"layer.{layer}": maps[layer][None].numpy() for layer in range(2)}
    numpy.savez(HERE / "maps_layers.model.npz", **layers)


def main():
    names = sys.argv[1:] or list(CASES)
    for name in names:
        torch.manual_seed(zlib.crc32(name.encode()))  # one case can be made again alone
        write_case(name, *CASES[name]())
    if not sys.argv[1:]:
        write_maps()


if __name__ == "__main__":
    main()
