// Weights in files of other programs, complete or damaged.
#include "scenarios/weights/weights.h"

#include "models/base/random.h"
#include "models/networks/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/weights/tensor_file.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace foretrain::testing {
namespace {

Network network_called(const std::string& name) {
  return Network(network_spec(name, {}), {.image = {28, 28, 1}, .classes = 10});
}

std::vector<float> drawn(const Network& network) {
  std::vector<float> parameters(static_cast<std::size_t>(network.parameters()));
  Stream stream(3, "test");
  for (float& each : parameters) each = static_cast<float>(stream.uniform() - 0.5);
  return parameters;
}

void write_bytes(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The error of reading a softmax regression's file with this text; empty if there is none.
std::string refusal(const std::string& path, const std::string& text) {
  write_bytes(path, text);
  try {
    read_weights(path, network_called("softmax"));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("weights: what was written is read again, bit for bit") {
  const TempFolder folder;
  for (const char* name : {"softmax", "lenet"}) {
    CAPTURE(name);
    const Network network = network_called(name);
    const std::vector<float> parameters = drawn(network);
    const std::string path = folder / (std::string(name) + ".safetensors");
    const std::string text = weights_text(path, network, parameters);
    CHECK(text == weights_text(path, network, parameters));
    write_bytes(path, text);
    CHECK(read_weights(path, network).parameters == parameters);
  }
}

TEST_CASE("weights: statistics are kept beside the parameters, and none may be missing") {
  const TempFolder folder;
  const Network network(
      {{{.kind = "dense", .units = 3}, {.kind = "batch_norm"}, {.kind = "dense"}}},
      {.image = {2, 2, 1}, .classes = 10});
  const Weights weights{drawn(network), {1, 2, 3, 4, 5, 6}};
  const std::string normed = folder / "normed.safetensors";
  write_bytes(normed, weights_text(normed, network, weights.parameters, weights.statistics));
  CHECK(read_weights(normed, network) == weights);
  // As written by a program without such a layer.
  const Network plain({{{.kind = "dense", .units = 3}, {.kind = "dense"}}},
                      {.image = {2, 2, 1}, .classes = 10});
  const std::string path = folder / "plain.safetensors";
  write_bytes(path, weights_text(path, plain, drawn(plain)));
  CHECK_THROWS_WITH(read_weights(path, network),
                    Catch::Contains("it has no batch_norm1.weight [3]"));
}

TEST_CASE("weights: the header of a safetensors file names types, shapes, places") {
  const Network network = network_called("softmax");
  const std::string text = weights_text("w.safetensors", network, drawn(network));
  CHECK(text.find("{\"__metadata__\":{\"written_by\":\"foretrain\"},"
                  "\"dense1.weight\":{\"dtype\":\"F32\",\"shape\":[784,10],"
                  "\"data_offsets\":[0,31360]},"
                  "\"dense1.bias\":{\"dtype\":\"F32\",\"shape\":[10],"
                  "\"data_offsets\":[31360,31400]}}") == 8);
  CHECK((text.size() - 31400) % 8 == 0);
}

TEST_CASE("weights: of another model, of another format they are refused by name") {
  const TempFolder folder;
  const Network lenet = network_called("lenet");
  const std::string path = folder / "of_lenet.safetensors";
  CHECK(refusal(path, weights_text(path, lenet, drawn(lenet))) ==
        path + ": dense1.weight is [400][120], not [784][10]; take weights of the same model");
  CHECK(refusal(folder / "w.pt", "") ==
        (folder / "w.pt") + ": weights are written as .safetensors; end the name with it");
  CHECK_THROWS_WITH(read_weights(folder / "absent.safetensors", lenet),
                    (folder / "absent.safetensors") + ": cannot be read; check the path");
}

TEST_CASE("weights: a tensor too few, a tensor too many is named") {
  const TempFolder folder;
  const std::vector<float> weight(7840);
  const std::vector<float> bias(10);
  const std::string path = folder / "w.safetensors";
  const TensorView weights{"dense1.weight", {784, 10}, weight};
  const TensorView biases{"dense1.bias", {10}, bias};
  CHECK(refusal(path, to_safetensors(std::vector{weights, biases})).empty());
  CHECK(refusal(path, to_safetensors(std::vector{weights})) ==
        path + ": it has no dense1.bias [10]; take weights of the same model");
  const TensorView more{"dense2.bias", {10}, bias};
  CHECK(refusal(path, to_safetensors(std::vector{weights, biases, more})) ==
        path + ": dense2.bias [10] is no tensor of the model; take weights of the same model");
}

TEST_CASE("weights: a file that is cut or changed anywhere is refused or read, and nothing else") {
  const TempFolder folder;
  const Network network = network_called("softmax");
  constexpr std::uint64_t kSeed = 41;
  INFO("seed " << kSeed);
  Stream stream(kSeed, "damage");
  const std::string path = folder / "w.safetensors";
  const std::string whole = weights_text(path, network, drawn(network));
  for (std::size_t size = 0; size < whole.size(); size += size < 400 ? 1 : 997) {
    CAPTURE(size);
    CHECK(!refusal(path, whole.substr(0, size)).empty());
  }
  for (int i = 0; i < 500; ++i) {
    std::string changed = whole;
    // The first bytes hold the structure.
    changed[stream.below(600)] = static_cast<char>(stream.below(256));
    refusal(path, changed);
  }
}

TEST_CASE(
    "weights: tensors that claim the same bytes are refused, or a small file fills a memory") {
  const std::vector<float> numbers{1, 2};
  const std::string safe =
      to_safetensors(std::vector{TensorView{"a", {2}, numbers}, TensorView{"b", {2}, numbers}});
  std::string same = safe;
  same.replace(same.find("[8,16]"), 6, "[0,8] ");
  CHECK(parse_safetensors(safe).size() == 2);
  CHECK_THROWS_WITH(parse_safetensors(same), "b begins at 0, which is not where a ends");
}

TEST_CASE("weights: what a header says wrong, or not at all, is told with its tensor and its key") {
  const std::vector<float> numbers{1, 2};
  const std::string whole = to_safetensors(std::vector{TensorView{"a", {2}, numbers}});
  const auto with = [&](const std::string& old, const std::string& other) {
    std::string text = whole;
    return text.replace(text.find(old), old.size(), other);
  };
  CHECK_THROWS_WITH(parse_safetensors(with("dtype", "dtypo")), "a: its header has no `dtype`");
  CHECK_THROWS_WITH(parse_safetensors(with("[2]", "\"2\"")),
                    "a: `shape` in its header is no list of whole numbers");
  CHECK_THROWS_WITH(parse_safetensors(with("[0,8]", "[0.8]")),
                    "a: `data_offsets` in its header is no list of whole numbers");
  CHECK_THROWS_WITH(parse_safetensors(with("[0,8]", "[128]")),
                    "a: `data_offsets` in its header are not two numbers");
}

TEST_CASE("weights: PyTorch reads what was written") {
  if (std::system("python3 -c 'import torch, safetensors' 2>/dev/null") != 0) {
    WARN("skipped: PyTorch with safetensors is not installed");
    return;
  }
  const TempFolder folder;
  const Network network = network_called("lenet");
  const std::string path = folder / "w.safetensors";
  write_bytes(path, weights_text(path, network, drawn(network)));
  const std::string script = "import safetensors.torch as s; a = s.load_file('" + path +
                             "'); assert tuple(a['conv1.weight'].shape) == (5, 5, 1, 6)";
  CHECK(std::system(("python3 -c \"" + script + "\"").c_str()) == 0);
}

}  // namespace foretrain::testing
