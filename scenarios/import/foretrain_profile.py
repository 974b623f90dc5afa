"""Writes the table of layers of a PyTorch model that foretrain reads: measured times, or counted work.

    foretrain_profile.write(model, lambda: criterion(model(images), labels), "layers.csv")

times the layers in the model's own training loop. `step` makes the loss of one batch; second=(8, small_step)
adds columns for a batch of 8, so that forecasts know a fixed part and a part for each example. Gradients are zeroed;
parameters are left as they are.

    foretrain_profile.write_meta(model, lambda: criterion(model(images), labels), "layers.csv")
    python3 foretrain_profile.py --meta module:function --out layers.csv

counts operations and bytes of the forward pass. Model and batch can be on the meta device, which needs
neither a GPU nor weights. `function` returns (model, step).

A layer is a module that runs no other one, or the nearest one that runs around a parameter; each parameter
that is trained counts once. What comes between two layers belongs to the later one, what follows the last
to that one, so that sums stay whole.
"""
import argparse
import contextlib
import importlib
import math
import os
import statistics
import sys
import time
import traceback

import torch

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # before PyTorch 1.13, where only write() works
    TorchDispatchMode = object


class ProfileError(ValueError):
    """What the user has to change in the model or in step()."""


def around(name):
    """Names of the module around, of that around it, to the model itself, which is ''."""
    while name:
        name = name.rpartition(".")[0]
        yield name


@contextlib.contextmanager
def at_ends(model, ended, names=None):
    """Calls ended(name, output) when a module ends: each one, or those with these names."""
    hooks = [m.register_forward_hook(lambda _m, _in, out, n=name: ended(n, out))
             for name, m in model.named_modules() if names is None or name in names]
    yield
    for hook in hooks:
        hook.remove()


def layers_of(model, step):
    """[bytes, numbers, tensors] of parameters by the layer's name, in the order in which layers end."""
    ran = {}
    with at_ends(model, lambda name, _: ran.update({name: [0, 0, 0]})):
        step()
    owners = set()
    for name, p in model.named_parameters():
        if p.requires_grad:
            owner = next((n for n in around(name) if n in ran), None)
            if owner is None:
                raise ProfileError(f"{name} is in no module that step() runs; call the model as a whole in "
                                   "it, as model(...), or freeze what is not trained")
            owners.add(owner)
            ran[owner][0] += p.numel() * p.element_size()
            ran[owner][1] += p.numel()
            ran[owner][2] += 1
    if not owners:
        raise ProfileError("no parameter of the model is trained, so there is nothing to forecast")
    outer = {n for name in ran for n in around(name)}
    return {name: size for name, size in ran.items() if name in owners or name not in outer}


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for each in value for t in tensors_in(each)] if isinstance(value, (list, tuple)) else []


def write_table(path, columns, rows):
    """`rows`: the columns' numbers, by the layer's name."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"layer,{columns}\n")
        for name, numbers in rows.items():
            cells = [n if isinstance(n, int) else f"{n:.9f}" for n in numbers]
            file.write(f'"{name or "model"}",{",".join(map(str, cells))}\n')


def write(model, step, path, steps=10, warm_up=3, second=None):
    columns, rows = "parameter_bytes", {}
    for at, one in [("", step)] + ([(f"@{second[0]}", second[1])] if second else []):
        columns += f",forward_ms{at},backward_ms{at}"
        sizes = layers_of(model, one)
        if rows and rows.keys() != sizes.keys():
            raise ProfileError("the second step runs other layers than the first")
        times = timed(model, one, sizes, steps, warm_up)
        for name, (size, _, _) in sizes.items():
            row = rows.setdefault(name, [-(-size // 4) * 4])
            row += [statistics.median(times[name, way]) for way in (0, 1)]
    write_table(path, columns, rows)


def timed(model, step, sizes, steps, warm_up):
    """Milliseconds of each step by (layer, 0 forward or 1 backward)."""
    spent, hooked = {}, set()  # seconds by layer, phase; outputs' nodes in the graph of this batch
    phase, last, running = 0, 0.0, list(sizes)[-1]

    def lap():  # what passed since the last one is of the layer that runs
        nonlocal last
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        at = time.perf_counter()
        spent[running, phase] = spent.get((running, phase), 0.0) + at - last
        last = at

    def goes_back(name):  # the gradient of its output is there
        nonlocal running
        lap()
        running = name

    def ended(name, output):
        nonlocal running
        if phase == 0:  # else it runs again within backward, as checkpointing has it
            running = name
            lap()
        for tensor in tensors_in(output):
            node = tensor.grad_fn
            if node is None or node in hooked:  # who hands on what it was given has no node of its own
                continue
            hooked.add(node)
            tensor._backward_hooks = None  # in place: earlier ones stay at the node that they were of
            tensor.register_hook(lambda _: goes_back(name))

    times = {(name, way): [] for name in sizes for way in (0, 1)}
    with at_ends(model, ended, sizes):
        for round_number in range(warm_up + steps):
            spent.clear()
            model.zero_grad()
            phase, last = 0, time.perf_counter()
            loss = step()
            lap()
            phase = 1
            loss.backward()
            lap()
            hooked.clear()
            if round_number >= warm_up:
                for key, of_rounds in times.items():
                    of_rounds.append(1e3 * spent.get(key, 0.0))
    return times


# Columns of counted work, with their units: operations of matrix products and convolutions (2 m n k) without
# attention's two products, the sum of 2 m n k (1/m + 1/n + 1/k) over them, operations of attention's two
# products, bytes read and written by everything else, bytes saved for the backward pass.
COLUMNS = {"product_gflop": 1e9, "edge_mflop": 1e6, "attention_gflop": 1e9, "moved_mb": 1e6,
           "kept_mb": 1e6}
# These operations read as much of their first tensor as they write, or nothing at all.
CHOOSE = ("embedding", "gather", "index", "index_select", "nll_loss_forward", "nll_loss2d_forward")
OVERWRITE = ("bernoulli_", "copy_", "fill_", "normal_", "uniform_", "zero_")


def storage_of(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()


def by_storage(tensors):
    """The tensors by their storage's address; held, because the address of a freed one is used again."""
    return {storage_of(t)._cdata: t for t in tensors}


class FusedAttention(torch.autograd.Function):
    """Saves what a fused kernel saves: its inputs, its output, a 32-bit number per row, but no scores."""

    @staticmethod
    def forward(ctx, query, key, value):
        *shape, positions, _ = query.shape  # memory layout of the output: heads of a position together
        output = query.new_empty(*shape[:-1], positions, *shape[-1:], value.shape[-1])
        rows = query.new_empty(query.shape[:-1], dtype=torch.float32)
        ctx.save_for_backward(query, key, value, output, rows)
        return output


class Work(TorchDispatchMode):
    """Counts the operations and bytes of a forward pass."""

    def __init__(self, model):
        super().__init__()
        self.counted = dict.fromkeys(COLUMNS, 0)
        self.own = by_storage([*model.parameters(), *model.buffers()])
        self.weights = dict(self.own)  # and tensors computed from weights alone, such as casts
        self.masks, self.saved = {}, {}

    def add(self, column, amount):
        self.counted[column] += amount / COLUMNS[column]

    def bytes_of(self, tensor, elements=None):
        """A dropout mask counts one byte per element, as on a GPU, whatever its type is here."""
        if elements is None:  # elements that expand() repeats count once
            elements = math.prod(n for n, stride in zip(tensor.shape, tensor.stride()) if stride)
        return elements * (1 if storage_of(tensor)._cdata in self.masks else tensor.element_size())

    def save(self, tensor):
        storage = storage_of(tensor)
        if storage._cdata not in self.own and storage._cdata not in self.saved:
            self.saved[storage._cdata] = tensor
            self.add("kept_mb", self.bytes_of(tensor, storage.nbytes() // tensor.element_size()))
        return tensor

    def move(self, name, ins, outs):
        read, written = [self.bytes_of(t) for t in ins], sum(map(self.bytes_of, outs))
        if name in CHOOSE:
            read[0] = min(read[0], written)
        self.add("moved_mb", sum(read[1:] if name in OVERWRITE else read) + written)

    def multiply(self, count, m, n, k):
        self.add("product_gflop", 2 * count * m * n * k)
        self.add("edge_mflop", 2 * count * (n * k + m * k + m * n))

    def fused_attention(self, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **_):
        rows = query.numel() // query.shape[-1]
        operations = 2 * rows * key.shape[-2] * (query.shape[-1] + value.shape[-1])
        self.add("attention_gflop", operations / 2 if is_causal else operations)
        output = FusedAttention.apply(query, key, value)
        return output.transpose(-3, -2) if query.dim() > 2 else output

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        output = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[-1]
        ins, outs = tensors_in([args, kwargs or {}]), tensors_in(output)
        of_ins, of_outs = by_storage(ins), by_storage(outs)
        if of_ins and of_ins.keys() <= self.weights.keys():
            self.weights.update(of_outs)
        if name == "bernoulli_":
            self.masks.update(of_outs)
        if name == "convolution":
            channels = ins[1].shape[0]  # of the output; of the input if it is transposed
            pixels = (ins[0] if args[6] else outs[0]).numel() // channels
            self.multiply(1, pixels, channels, ins[1].numel() // channels)
        elif name in ("mm", "bmm", "addmm", "baddbmm", "linear", "_scaled_mm"):
            left, right = ins[1:3] if "add" in name else ins[:2]
            count = outs[0].shape[0] if "bmm" in name else 1
            m, n, k = left.numel() // left.shape[-1] // count, outs[0].shape[-1], left.shape[-1]
            if by_storage([left, right]).keys().isdisjoint(self.weights):
                self.add("attention_gflop", 2 * count * m * n * k)
            else:
                self.multiply(count, m, n, k)
        elif "empty" not in name and (func._schema.is_mutable or not of_outs.keys() <= of_ins.keys()):
            if name == "bernoulli_" or not {**of_ins, **of_outs}.keys() <= self.masks.keys():
                self.move(name, ins, outs)
        return output


@contextlib.contextmanager
def fused(attention):
    """Calls `attention` for scaled_dot_product_attention (PyTorch 2.0), before it is decomposed."""
    library, name = torch.library.Library("aten", "IMPL"), "scaled_dot_product_attention"
    for key in ("AutogradCPU", "AutogradMeta") if hasattr(torch.nn.functional, name) else ():
        library.impl(name, attention, key)
    try:
        yield
    finally:
        getattr(library, "_destroy", lambda: None)()


def explained(run):
    """run(); if it fails on the meta device, the error says where and why."""
    try:
        return run()
    except (NotImplementedError, RuntimeError) as error:
        if "meta" not in str(error).lower():
            raise
        ours = (os.path.dirname(torch.__file__), __file__)
        at = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(ours)][-1]
        raise ProfileError(
            f"{at.filename}:{at.lineno}: '{at.line}' fails on the meta device, where tensors have no "
            "values. Leave out what needs values (.item(), a condition on a tensor, nonzero()), and make "
            "every tensor of model and batch with device='meta'; or make them all on the CPU, where "
            "write_meta counts the same. PyTorch says: "
            + str(error).splitlines()[0].partition(". ")[0]) from error


def write_meta(model, step, path):
    """Returns the table's rows: [parameters, tensors, what is counted] by the layer's name."""
    model.zero_grad(set_to_none=True)
    sizes = layers_of(model, lambda: explained(step))
    rows = {name: size[1:] + [0] * len(COLUMNS) for name, size in sizes.items()}
    work, running = Work(model), list(rows)[-1]

    def ended(name, _):
        nonlocal running
        running = name
        rows[name][2:] = map(sum, zip(rows[name][2:], work.counted.values()))
        work.counted = dict.fromkeys(COLUMNS, 0)

    with at_ends(model, ended, rows), fused(work.fused_attention), work, \
            torch.autograd.graph.saved_tensors_hooks(work.save, lambda tensor: tensor):
        loss = explained(step)
    ended(running, loss)
    if any(p.grad is not None for p in model.parameters()):
        raise ProfileError("step() runs the backward pass; let it return the loss without")
    if not isinstance(loss, torch.Tensor) or loss.grad_fn is None:
        raise ProfileError("step() must return the loss of one batch, which depends on the parameters")
    write_table(path, ",".join(["parameters", "tensors", *COLUMNS]), rows)
    return rows


def main():
    parser = argparse.ArgumentParser(description="Counts the work of a PyTorch model for foretrain.")
    parser.add_argument("--meta", required=True, metavar="MODULE:FUNCTION",
                        help="FUNCTION() returns (model, step); step() makes the loss of one batch")
    parser.add_argument("--out", default="layers.csv")
    given = parser.parse_args()
    module, _, name = given.meta.partition(":")
    sys.path.insert(0, os.getcwd())
    function = getattr(importlib.import_module(module), name, None)
    if not callable(function):
        parser.error(f"{module} has no function '{name}'; write --meta MODULE:FUNCTION")
    meta = torch.device("meta")  # the default device of `function`, from PyTorch 2.0
    try:
        with meta if hasattr(meta, "__enter__") else contextlib.nullcontext():
            made = explained(function)
        if not isinstance(made, tuple) or len(made) != 2:
            raise ProfileError(f"{given.meta} must return (model, step)")
        rows = write_meta(*made, given.out)
    except ProfileError as error:
        sys.exit(f"foretrain_profile.py: {error}")
    parameters, _, product, _, attention, _, kept = map(sum, zip(*rows.values()))
    print(f"{given.out}: {len(rows)} layers with {parameters:,} parameters; forward pass of a batch: "
          f"{product + attention:,.3f} GFLOP, {kept:,.3f} MB kept for the backward pass")


if __name__ == "__main__":
    main()
