"""Times the layers of a PyTorch model in its own training loop, for `foretrain import layers.csv`.

    foretrain_profile.write(model, lambda: criterion(model(images), labels), "layers.csv")

`step` makes the loss of one batch. A layer is a module without modules in it; what comes between two
belongs to the later one forward, to the earlier one backward, so that sums stay whole. Gradients are
zeroed; parameters are left as they are.
"""
import statistics
import time

import torch


def write(model, step, path, steps=10, warm_up=3):
    layers = [(name, m) for name, m in model.named_modules() if not list(m.children())]
    seen, owned = [], set()  # (layer, time) in the order of events; parameters that are counted

    def now():
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.perf_counter()

    def note(index):
        return lambda *_: seen.append((index, now()))

    hooks = [m.register_forward_hook(note(i)) for i, (_, m) in enumerate(layers)]
    hooks += [m.register_full_backward_hook(note(i)) for i, (_, m) in enumerate(layers)]
    times = [([], []) for _ in layers]  # forward, backward; of each step
    order = []
    for round_number in range(warm_up + steps):
        spent = [[0.0, 0.0] for _ in layers]
        model.zero_grad()
        for phase, work in enumerate((step, lambda: loss.backward())):
            seen.clear()
            last = now()
            result = work()
            end = now()
            if not seen:
                raise ValueError("step() runs no layer of the model")
            for index, at in seen[:-1] + [(seen[-1][0], end)]:
                spent[index][phase] += at - last
                last = at
            if phase == 0:
                loss, order = result, list(dict.fromkeys(index for index, _ in seen))
        for index, both in enumerate(spent):
            if round_number >= warm_up:
                for phase in (0, 1):
                    times[index][phase].append(both[phase])
    for hook in hooks:
        hook.remove()
    with open(path, "w", encoding="utf-8") as file:
        file.write("layer,parameter_bytes,forward_ms,backward_ms\n")
        for index in order:
            name, module = layers[index]
            new = [p for p in module.parameters() if p.requires_grad and id(p) not in owned]
            owned.update(id(p) for p in new)
            size = -(-sum(p.numel() * p.element_size() for p in new) // 4) * 4
            fwd, bwd = (1e3 * statistics.median(t) for t in times[index])
            file.write(f'"{name or "model"}",{size},{fwd:.6f},{bwd:.6f}\n')
