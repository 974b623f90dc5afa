# Networks over again in PyTorch: the loss and the gradients of those in the folders it is given.
#
# A folder holds what tests/models/networks/torch_test.cpp wrote:
#   network.txt    one line for the input, one a layer
#   numbers.f32    parameters, then inputs; labels.i32
# and gets gradient.f32 (in the order of the parameters) with loss.txt.
#
# Ours are stored pixel by pixel, channels last: weights of a convolution are [ky][kx][in][out], of a
# dense layer [in][out], its inputs in the order row, column, channel.
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(3)  # the test skips


class Reader:
    """Takes numbers off a vector."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.at = 0

    def take(self, *shape):
        count = 1
        for length in shape:
            count *= length
        taken = self.numbers[self.at:self.at + count].reshape(shape)
        self.at += count
        return taken


def parameter(ours):
    return ours.contiguous().clone().requires_grad_(True)


def apply_layer(words, x, earlier, numbers, classes, back):
    """One layer; `earlier`: the outputs of all before it. `back` gets functions that give its gradients in our layout."""
    kind = words[0]
    units, size, stride, padding = (int(word) for word in words[1:5])
    alpha, beta, k = (float(word) for word in words[5:8])
    units = units or classes
    if kind == "conv":
        channels = x.shape[1]
        weights = parameter(numbers.take(size, size, channels, units).permute(3, 2, 0, 1))
        back.append(lambda: weights.grad.permute(2, 3, 1, 0))
        biases = None
        if words[8] == "1":
            biases = parameter(numbers.take(units))
            back.append(lambda: biases.grad)
        return F.conv2d(x, weights, biases, stride=stride or 1, padding=padding)
    if kind in ("dense", "sparse_dense"):
        channels, rows, columns = x.shape[1:]
        weights = parameter(
            numbers.take(rows, columns, channels, units).permute(3, 2, 0, 1)
            .reshape(units, channels * rows * columns))
        biases = parameter(numbers.take(units))
        back.append(lambda: weights.grad.reshape(units, channels, rows, columns)
                    .permute(2, 3, 1, 0))
        back.append(lambda: biases.grad)
        return F.linear(x.flatten(1), weights, biases).reshape(-1, units, 1, 1)
    if kind == "max_pool":
        return F.max_pool2d(x, size, stride or size, padding)
    if kind == "average_pool":
        return F.adaptive_avg_pool2d(x, size)
    if kind == "lrn":
        return F.local_response_norm(x, size, alpha, beta, k)
    if kind == "relu":
        return F.relu(x)
    if kind == "batch_norm":
        gamma = parameter(numbers.take(x.shape[1]))
        beta = parameter(numbers.take(x.shape[1]))
        back.append(lambda: gamma.grad)
        back.append(lambda: beta.grad)
        return F.batch_norm(x, None, None, gamma, beta, training=True, eps=float(words[9]))
    if kind == "add":
        other = earlier[int(words[10])]
        step = -(-other.shape[2] // x.shape[2])
        missing = x.shape[1] - other.shape[1]
        return x + F.pad(other[:, :, ::step, ::step], (0, 0, 0, 0, 0, missing))
    if kind == "flatten":
        return x  # a dense layer flattens, in our order
    raise ValueError(kind)


def run(folder):
    with open(folder + "/network.txt") as file:
        lines = [line.split() for line in file]
    rows, columns, channels, classes, batch, parameters = (int(word) for word in lines[0][1:])
    numbers = Reader(torch.from_file(
        folder + "/numbers.f32", size=parameters + batch * rows * columns * channels))
    labels = torch.from_file(folder + "/labels.i32", size=batch, dtype=torch.int32).long()
    images = Reader(numbers.numbers[parameters:])
    x = images.take(batch, rows, columns, channels).permute(0, 3, 1, 2).contiguous()
    back = []
    earlier = []
    for words in lines[1:]:
        x = apply_layer(words, x, earlier, numbers, classes, back)
        earlier.append(x)
    if numbers.at != parameters:
        raise ValueError("%d parameters were read, %d written" % (numbers.at, parameters))
    logits = x.flatten(1)
    if logits.shape[1] == 1:
        loss = F.binary_cross_entropy_with_logits(logits.flatten(), labels.float())
    else:
        loss = F.cross_entropy(logits, labels)
    loss.backward()
    with open(folder + "/gradient.f32", "wb") as file:
        for gradient in back:
            file.write(gradient().contiguous().numpy().tobytes())
    with open(folder + "/loss.txt", "w") as file:
        file.write("%.9g\n" % loss.item())


torch.set_num_threads(1)
for each in sys.argv[1:]:
    run(each)
