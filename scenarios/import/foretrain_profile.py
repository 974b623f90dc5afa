"""Times the layers of a PyTorch model in its own training loop, for `foretrain import layers.csv`.

    foretrain_profile.write(model, lambda: criterion(model(images), labels), "layers.csv")

`step` makes the loss of one batch. A layer is a module that runs no other one, or the nearest one that
runs around a parameter; each parameter that is trained counts once. What comes between two layers belongs
to the later one, what follows the last to that one, so that sums stay whole. Gradients are zeroed;
parameters are left as they are.
"""
import statistics
import time

import torch


def around(name):
    """Names of the module around, of that around it, to the model itself, which is ''."""
    while name:
        name = name.rpartition(".")[0]
        yield name


def layers_of(model, step):
    """Bytes of parameters by the layer's name, in the order in which layers end."""
    ran = {}
    hooks = [m.register_forward_hook(lambda *_, n=name: ran.update({n: 0}))
             for name, m in model.named_modules()]
    step()
    for hook in hooks:
        hook.remove()
    owners = set()
    for name, p in model.named_parameters():
        if p.requires_grad:
            owner = next((n for n in around(name) if n in ran), None)
            if owner is None:
                raise ValueError(f"{name} is in no module that step() runs; call the model as a whole in "
                                 "it, as model(...), or freeze what is not trained")
            owners.add(owner)
            ran[owner] += p.numel() * p.element_size()
    if not owners:
        raise ValueError("no parameter of the model is trained, so there is nothing to forecast")
    outer = {n for name in ran for n in around(name)}
    return {name: size for name, size in ran.items() if name in owners or name not in outer}


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for each in value for t in tensors_in(each)] if isinstance(value, (list, tuple)) else []


def write(model, step, path, steps=10, warm_up=3):
    sizes = layers_of(model, step)
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

    modules = dict(model.named_modules())
    hooks = [modules[name].register_forward_hook(lambda _m, _in, out, n=name: ended(n, out))
             for name in sizes]
    times = {(name, way): [] for name in sizes for way in (0, 1)}
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
    for hook in hooks:
        hook.remove()
    with open(path, "w", encoding="utf-8") as file:
        file.write("layer,parameter_bytes,forward_ms,backward_ms\n")
        for name, size in sizes.items():
            forward, backward = (statistics.median(times[name, way]) for way in (0, 1))
            file.write(f'"{name or "model"}",{-(-size // 4) * 4},{forward:.6f},{backward:.6f}\n')
