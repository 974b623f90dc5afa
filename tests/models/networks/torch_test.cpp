// Loss with gradients, compared with PyTorch if python3 has it.
#include "tests/support/networks.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

constexpr std::uint64_t kTorchSeed = 31;

struct TorchTrial {
  NetworkCase of;
  std::vector<float> parameters;
  Batch batch;
  std::string folder;
};

template <class Number>
void append(std::ofstream& file, const Number* numbers, std::size_t count) {
  file.write(reinterpret_cast<const char*>(numbers),
             static_cast<std::streamsize>(count * sizeof(Number)));
}

/// Dense rows: [examples][features].
std::vector<float> spread(const SparseRows& rows, std::int64_t examples, std::int64_t features) {
  std::vector<float> dense(static_cast<std::size_t>(examples * features), 0.0F);
  for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i) {
    for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
      dense[i * static_cast<std::size_t>(features) + rows.features[rows.columns[e]]] +=
          rows.values[e];
    }
  }
  return dense;
}

void write(const TorchTrial& trial) {
  std::filesystem::create_directory(trial.folder);
  const InputShape& input = trial.of.input;
  const Shape shape =
      input.sparse() ? Shape{1, 1, static_cast<int>(input.sparse_features)} : input.image;
  std::ofstream text(trial.folder + "/network.txt");
  text << fmt::format("input {} {} {} {} {} {}\n", shape.rows, shape.columns, shape.channels,
                      input.classes, trial.of.batch, trial.parameters.size());
  for (const LayerSpec& layer : trial.of.spec.layers) {
    text << fmt::format("{} {} {} {} {} {:.17g} {:.17g} {:.17g} {:d} {:.17g} {}\n", layer.kind,
                        layer.units, layer.size, layer.stride, layer.padding, layer.alpha,
                        layer.beta, layer.k, layer.bias, layer.epsilon, layer.from);
  }
  std::ofstream numbers(trial.folder + "/numbers.f32", std::ios::binary);
  append(numbers, trial.parameters.data(), trial.parameters.size());
  if (input.sparse()) {
    const auto x = spread(trial.batch.sparse, trial.of.batch, input.sparse_features);
    append(numbers, x.data(), x.size());
  } else {
    append(numbers, trial.batch.inputs.data(),
           static_cast<std::size_t>(trial.of.batch * shape.size()));
  }
  std::ofstream labels(trial.folder + "/labels.i32", std::ios::binary);
  append(labels, trial.batch.labels.data(), trial.batch.labels.size());
}

/// Returns false if python3 has no PyTorch.
bool run_torch(const std::vector<TorchTrial>& trials) {
  std::string command =
      fmt::format("/usr/bin/python3 '{}/tests/support/torch_twin.py'", source_dir());
  for (const TorchTrial& trial : trials) command += fmt::format(" '{}'", trial.folder);
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  const int code = WEXITSTATUS(status);
  if (code == 3 || code == 127) return false;
  INFO(command);
  REQUIRE(code == 0);
  return true;
}

std::vector<float> read_gradient(const TorchTrial& trial) {
  std::vector<float> gradient(trial.parameters.size());
  std::ifstream file(trial.folder + "/gradient.f32", std::ios::binary);
  file.read(reinterpret_cast<char*>(gradient.data()),
            static_cast<std::streamsize>(gradient.size() * sizeof(float)));
  REQUIRE(file.good());
  return gradient;
}

/// Checks |ours - theirs| / |theirs| of each tensor in the Euclidean norm: at most 1e-4.
void compare(const TorchTrial& trial) {
  const Network network(trial.of.spec, trial.of.input);
  const auto workspace = network.make_workspace(Stream(kTorchSeed, "dropout"));
  Serial serial;
  std::vector<float> ours(trial.parameters.size());
  const double loss = network.gradient(trial.parameters, trial.batch, ours, *workspace, serial);
  double their_loss = 0;
  REQUIRE((std::ifstream(trial.folder + "/loss.txt") >> their_loss));
  CHECK(loss == Approx(their_loss).epsilon(1e-4));
  const std::vector<float> theirs = read_gradient(trial);
  for (const ParameterBlock& block : network.blocks()) {
    if (is_normalised_away(network, block)) continue;
    double error = 0;
    double square = 0;
    for (std::int64_t p = block.first; p < block.first + block.count; ++p) {
      const auto i = static_cast<std::size_t>(p);
      const double difference = static_cast<double>(ours[i]) - static_cast<double>(theirs[i]);
      error += difference * difference;
      square += static_cast<double>(theirs[i]) * static_cast<double>(theirs[i]);
    }
    const double relative = std::sqrt(error / square);
    CAPTURE(trial.of.name, network.layers()[static_cast<std::size_t>(block.layer)]->name(),
            block.bias, relative);
    CHECK(relative < 1e-4);
    if (std::getenv("FORETRAIN_SHOW_TORCH") != nullptr) {
      fmt::print("{} layer {} {}: {:.2g}\n", trial.of.name, block.layer,
                 block.bias ? "biases" : "weights", relative);
    }
  }
}

void check_networks(bool narrow) {
  const TempFolder temp;
  std::vector<TorchTrial> trials;
  for (NetworkCase& each : network_cases(narrow)) {
    each.spec = without_dropout(std::move(each.spec));
    TorchTrial& trial = trials.emplace_back(
        TorchTrial{each, lively_parameters(each, kTorchSeed), {}, temp / each.name});
    Stream stream(kTorchSeed, "test.batch");
    draw_batch(each.input, each.batch, stream, trial.batch);
    write(trial);
  }
  if (!run_torch(trials)) {
    WARN("skipped: /usr/bin/python3 has no torch");
    return;
  }
  for (const TorchTrial& trial : trials) compare(trial);
}

}  // namespace

TEST_CASE("network: loss and every gradient agree with PyTorch to 1e-4") { check_networks(true); }

// Takes two gigabytes and about 10 s, so it runs only by name.
TEST_CASE("network: at full size loss and every gradient agree with PyTorch to 1e-4", "[.torch]") {
  check_networks(false);
}
