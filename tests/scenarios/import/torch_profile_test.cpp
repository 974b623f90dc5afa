// Tables of layers that foretrain_profile.py writes, measured or counted.
#include "scenarios/import/import_job.h"
#include "scenarios/resolve/layer_profile.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

// The Python interpreter with PyTorch; empty if there is none.
std::string python_with_torch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string asked = fmt::format("{} -c 'import torch' 2>/dev/null", python);
    if (std::system(asked.c_str()) == 0) return python;
  }
  return {};
}

// Runs these lines in `folder`, with foretrain_profile as `f` and torch.nn as `n`.
void run_lines(const TempFolder& folder, const std::string& python, const std::string& lines) {
  std::ofstream(folder / "try.py")
      << "import torch, foretrain_profile as f\ntorch.set_num_threads(1)\nn = torch.nn\n"
      << lines;
  const std::string command =
      fmt::format("cd {} && PYTHONPATH={}/scenarios/import {} -B try.py 2>&1", folder.path(),
                  source_dir(), python);
  INFO(lines);
  REQUIRE(std::system(command.c_str()) == 0);
}

// The job of the layers.csv that these lines write.
ImportedJob profiled(const std::string& python, const std::string& lines) {
  const TempFolder folder;
  run_lines(folder, python, lines);
  return import_job(folder / "layers.csv", 8);
}

std::vector<std::string> layer_names(const ImportedJob& job) {
  std::vector<std::string> names;
  names.reserve(job.layers.size());
  for (const ImportedLayer& layer : job.layers) names.push_back(layer.name);
  return names;
}

TEST_CASE("foretrain_profile.py: the layers of a model are timed in its own loop") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  const ImportedJob job = profiled(python, R"(
shared = n.Linear(6, 6)
model = n.Sequential(n.Conv2d(1, 2, 3), n.Flatten(), n.Linear(72, 6), n.ReLU(), shared,
                     n.Sequential(n.Tanh(), n.Linear(6, 4, bias=False)))
x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 4, (8,))
f.write(model, lambda: n.functional.cross_entropy(model(x), y), "layers.csv", steps=3, warm_up=1)
)");
  CHECK(layer_names(job) == std::vector<std::string>{"0", "1", "2", "3", "4", "5.0", "5.1"});
  CHECK(job.parameter_bytes() == Bytes{4 * (20 + 438 + 42 + 24)});
  CHECK(job.forward_s > 0);
  CHECK(job.backward_s > 0);
}

TEST_CASE("foretrain_profile.py: a second batch is timed in columns of its own") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  const TempFolder folder;
  run_lines(folder, python, R"(
model = n.Sequential(n.Linear(512, 512), n.ReLU())
f.write(model, lambda: model(torch.randn(4096, 512)).sum(), "layers.csv", steps=3, warm_up=1,
        second=(4, lambda: model(torch.randn(4, 512)).sum()))
)");
  const NetworkProfile profile = read_profile({folder / "layers.csv"}, 4096);
  REQUIRE(profile.layers.size() == 2);
  CHECK(profile.second_batch == 4);
  CHECK(profile.layers[0].forward_second_s > 0);
  CHECK(profile.layers[0].forward_second_s < profile.layers[0].forward_s);
}

TEST_CASE("foretrain_profile.py: operations in place are timed, each layer backward, too") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  const ImportedJob job = profiled(python, R"(
class Block(n.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = n.Conv2d(2, 2, 3, padding=1), n.BatchNorm2d(2), n.ReLU(inplace=True)
    def forward(self, x):
        y = self.norm(self.conv(x))
        y += x
        return self.relu(y)
model = n.Sequential(n.Conv2d(1, 2, 3), n.BatchNorm2d(2), n.ReLU(inplace=True), Block())
x = torch.randn(8, 1, 8, 8)
f.write(model, lambda: model(x).sum(), "layers.csv", steps=3, warm_up=1)
)");
  CHECK(layer_names(job) == std::vector<std::string>{"0", "1", "2", "3.conv", "3.norm", "3.relu"});
  CHECK(job.parameter_bytes() == Bytes{4 * (20 + 4 + 38 + 4)});
  for (const ImportedLayer& layer : job.layers) {
    CAPTURE(layer.name);
    CHECK(layer.forward_s > 0);
    CHECK(layer.backward_s > 0);
  }
}

TEST_CASE("foretrain_profile.py: each parameter counts once, whoever owns it") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  // Attention has its own parameters, beside those of a module in it that never runs.
  const ImportedJob transformer = profiled(python, R"(
model = n.TransformerEncoderLayer(16, 2, 32)
x = torch.randn(3, 8, 16)
f.write(model, lambda: model(x).sum(), "layers.csv", steps=3, warm_up=1)
)");
  const std::int64_t attention = 3 * 16 * 17 + 16 * 17;
  CHECK(transformer.layers.front().name == "self_attn");
  CHECK(transformer.layers.front().parameters == Bytes{4 * attention});
  CHECK(transformer.parameter_bytes() ==
        Bytes{4 * (attention + (32 * 16 + 32) + (16 * 32 + 16) + 4 * 16)});

  const ImportedJob owner = profiled(python, R"(
class Model(n.Module):
    def __init__(self):
        super().__init__()
        self.own = n.Parameter(torch.zeros(3, 5))
        self.frozen = n.Parameter(torch.zeros(7), requires_grad=False)
        self.first, self.last = n.Linear(5, 5, bias=False), n.Linear(5, 5, bias=False)
        self.last.weight = self.first.weight
    def forward(self, x):
        return self.last(self.first(x)) + self.own.sum()
model = Model()
x = torch.randn(8, 5)
f.write(model, lambda: model(x).sum(), "layers.csv", steps=3, warm_up=1)
)");
  CHECK(layer_names(owner) == std::vector<std::string>{"first", "last", "model"});
  CHECK(owner.layers[0].parameters == Bytes{100});
  CHECK(owner.layers[1].parameters == Bytes{0});
  CHECK(owner.layers[2].parameters == Bytes{60});

  // A parameter without a running module around it is rejected with a remedy.
  profiled(python, R"(
class Model(n.Module):
    def __init__(self):
        super().__init__()
        self.own, self.first = n.Parameter(torch.zeros(3, 5)), n.Linear(5, 5)
model = Model()
x = torch.randn(8, 5)
try:
    f.write(model, lambda: model.first(x).sum(), "layers.csv")
except ValueError as error:
    assert "own is in no module that step() runs; call the model as a whole" in str(error), error
    open("layers.csv", "w").write("layer,parameter_bytes,forward_ms,backward_ms\nx,4,1,1\n")
)");
}

// Defines count(model, step), which makes `rows` of the table, and check(layer, column=value, ...).
const std::string kCounting = R"(
import csv
def count(model, step):
    f.write_meta(model, step, "layers.csv")
    global rows
    rows = {row.pop("layer"): {name: float(cell) for name, cell in row.items()}
            for row in csv.DictReader(open("layers.csv"))}
    rows["sum"] = {name: sum(row[name] for row in rows.values()) for name in [*rows.values()][0]}
def check(layer, **expected):
    for name, value in expected.items():
        assert abs(rows[layer][name] - value) < 1e-6 * value + 1e-9, (layer, name, rows[layer], value)
on = {"device": "meta"}
)";

TEST_CASE("foretrain_profile.py --meta: the work of GPT-2 is the sum by hand") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  // 123,532,032 weights are in products with each of 2 x 64 tokens (the tied word embeddings once,
  // in the head); 12 layers have 12 heads of 64.
  run_lines(TempFolder(), python, kCounting + R"(
class Attention(n.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = n.Linear(768, 2304, **on), n.Linear(768, 768, **on)
    def forward(self, x):
        q, k, v = (y.view(2, 64, 12, 64).transpose(1, 2) for y in self.qkv(x).split(768, 2))
        scores = (q @ k.transpose(-1, -2)).softmax(-1)
        return self.out((scores @ v).transpose(1, 2).reshape(2, 64, 768))
class Block(n.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.attention = n.LayerNorm(768, **on), Attention()
        self.feed = n.Sequential(n.LayerNorm(768, **on), n.Linear(768, 3072, **on), n.GELU(),
                                 n.Linear(3072, 768, **on))
    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.feed(x)
class Model(n.Module):
    def __init__(self):
        super().__init__()
        self.word, self.position = n.Embedding(50257, 768, **on), n.Embedding(1024, 768, **on)
        self.blocks = n.Sequential(*(Block() for _ in range(12)))
        self.norm, self.head = n.LayerNorm(768, **on), n.Linear(768, 50257, bias=False, **on)
        self.head.weight = self.word.weight
    def forward(self, x):
        x = self.word(x) + self.position(torch.arange(64, **on))
        return self.head(self.norm(self.blocks(x)))
model, x = Model(), torch.empty(2, 64, dtype=torch.long, **on)
count(model, lambda: n.functional.cross_entropy(model(x).flatten(0, 1), x.flatten()))
check("sum", parameters=124439808, tensors=148, product_gflop=2e-9 * 128 * 123532032,
      attention_gflop=12 * 2 * 2e-9 * 2 * 12 * 64 * 64 * 64)
check("word", tensors=1, product_gflop=0, moved_mb=8e-6 * 128 * 768 + 8e-6 * 128)
check("head", parameters=0, product_gflop=2e-9 * 128 * 50257 * 768)
check("blocks.3.feed.1", edge_mflop=2e-6 * (128 * 3072 + 128 * 768 + 3072 * 768), moved_mb=0,
      kept_mb=4e-6 * 128 * 768)
check("blocks.3.feed.2", moved_mb=8e-6 * 128 * 3072, kept_mb=4e-6 * 128 * 3072)

if hasattr(n.functional, "scaled_dot_product_attention"):  # fused: q, k, v and its output are kept
    class Fused(n.Module):
        def __init__(self):
            super().__init__()
            self.qkv = n.Linear(64, 192, **on)
        def forward(self, x):
            q, k, v = self.qkv(x).view(2, 16, 3, 4, 16).transpose(1, 3).unbind(2)
            return n.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    model, x = Fused(), torch.empty(2, 16, 64, **on)
    count(model, lambda: model(x).sum())
    check("sum", attention_gflop=2e-9 * 2 * 4 * 16 * 16 * 16,
          kept_mb=4e-6 * (2 * 16 * 64 + 2 * 16 * 192 + 2 * 16 * 64 + 2 * 4 * 16))
)");
}

TEST_CASE("foretrain_profile.py --meta: convolutions, dropout, weights that are computed") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  run_lines(TempFolder(), python, kCounting + R"(
model = n.Sequential(n.Conv2d(3, 8, 3, stride=2, padding=1, bias=False, **on), n.ReLU(inplace=True),
                     n.Conv2d(8, 8, 3, groups=8, padding=1, **on), n.Dropout(0.5),
                     n.ConvTranspose2d(8, 4, 2, stride=2, **on))
x, pixels = torch.empty(4, 3, 32, 32, **on), 4 * 16 * 16
count(model, lambda: model(x).sum())
check("0", product_gflop=2e-9 * pixels * 8 * 27, kept_mb=4e-6 * x.numel(),
      edge_mflop=2e-6 * (pixels * 8 + pixels * 27 + 8 * 27))
check("1", moved_mb=8e-6 * pixels * 8, kept_mb=4e-6 * pixels * 8)
check("2", product_gflop=2e-9 * pixels * 8 * 9, kept_mb=0)
check("3", moved_mb=(4 + 4 + 2) * 1e-6 * pixels * 8, kept_mb=1e-6 * pixels * 8)
check("4", product_gflop=2e-9 * pixels * 8 * 16)
check("sum", attention_gflop=0)

model, x = n.Linear(4, 4, bias=False, **on), torch.empty(2, 4, **on)
count(n.Sequential(model), lambda: (x @ (model.weight * 2).t()).sum() + model(x).sum())
check("0", product_gflop=2 * 2e-9 * 2 * 4 * 4, attention_gflop=0)
)");
}

TEST_CASE("foretrain_profile.py --meta: errors of the command line name the line to change") {
  const std::string python = python_with_torch();
  if (python.empty()) {
    WARN("skipped: PyTorch is not installed");
    return;
  }
  run_lines(TempFolder(), python, R"py(
import subprocess, sys
open("net.py", "w").write("""
import torch
model, x = torch.nn.Linear(4, 4, device="meta"), torch.empty(2, 4, device="meta")
def value():
    return model, lambda: model(x) if model(x).sum().item() > 0 else None
def trained():
    return model, lambda: model(x).sum()
def backward():
    return model, lambda: model(x).sum().backward()
def detached():
    return model, lambda: model(x).sum().detach()
def alone():
    return model
""")
def run(function):
    command = [sys.executable, "-B", f.__file__, "--meta", "net:" + function, "--out", "net.csv"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
done = run("trained")
assert done.returncode == 0 and done.stdout.startswith("net.csv: 1 layers with 20 parameters"), done
cells = '"model",20,2,0.000000064,0.000064000,0,0.000036000,0.000032000'
assert open("net.csv").read().splitlines()[1] == cells, open("net.csv").read()
for function, message in (
        ("value", "net.py:5: 'return model, lambda: model(x) if model(x).sum().item() > 0 else None' fails on "
                  "the meta device, where tensors have no values"),
        ("backward", "step() runs the backward pass"), ("detached", "step() must return the loss"),
        ("alone", "net:alone must return (model, step)"), ("absent", "net has no function 'absent'")):
    failed = run(function)
    assert failed.returncode != 0 and message in failed.stdout and "Traceback" not in failed.stdout, failed
)py");
}

}  // namespace
}  // namespace foretrain::testing
