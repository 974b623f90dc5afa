// The loss curve of each network is the recorded one.
#include "tests/support/networks.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

constexpr int kGoldenSteps = 20;

/// How each network is trained, with a note on its curve.
struct Story {
  double rate;
  std::int64_t batch;
  std::string_view notice;
};

const std::map<std::string, Story>& stories() {
  static const std::map<std::string, Story> all{
      {"softmax", {0.1, 16, "the first loss is ln 10: its weights start from zero"}},
      {"mlp", {0.1, 16, "the loss starts near ln 10, then falls"}},
      {"lenet", {0.3, 16, "the loss stays near ln 10 for some steps, then falls"}},
      {"lenet_large",
       {0.01, 16, "the loss starts above ln 10, since weights of 0.1 are large, then falls"}},
      {"alexnet_cifar", {0.5, 16, "the loss stays near ln 10: so few steps teach it little"}},
      {"alexnet", {0.01, 4, "the loss hardly leaves ln 7: weights of 0.01 need many steps"}},
      {"vgg11", {0.002, 16, "the loss starts above ln 10; at this small rate it falls unevenly"}},
      {"resnet20", {0.005, 16, "the loss starts above ln 10, then falls within 20 steps"}},
      {"sparse_logistic", {0.5, 32, "the first loss is ln 2: its weights start from zero"}},
  };
  return all;
}

/// Plain SGD from the network's own initialisation, with a new batch in each step.
std::vector<double> train(const NetworkCase& each, const Story& story) {
  const Network network(each.spec, each.input);
  std::vector<float> parameters(static_cast<std::size_t>(network.parameters()));
  std::vector<float> gradient(parameters.size());
  Stream init(1, "init");
  network.initialize(init, parameters);
  Stream stream(1, "test.batch");
  const auto workspace = network.make_workspace(Stream(1, "dropout"));
  Serial serial;
  Batch batch;
  std::vector<double> losses;
  losses.reserve(kGoldenSteps);
  for (int step = 0; step < kGoldenSteps; ++step) {
    draw_batch(each.input, story.batch, stream, batch);
    losses.push_back(network.gradient(parameters, batch, gradient, *workspace, serial));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= static_cast<float>(story.rate) * gradient[i];
    }
  }
  return losses;
}

std::string path_of(const std::string& name) {
  return fmt::format("{}/tests/golden/loss_{}.txt", source_dir(), name);
}

void write(const NetworkCase& each, const Story& story, const std::vector<double>& losses) {
  std::ofstream file(path_of(each.name));
  file << fmt::format("# The loss of {} over {} steps of SGD, rate {}, batches of {}, seed 1.\n",
                      each.name, kGoldenSteps, story.rate, story.batch);
  file << fmt::format("# Notice: {}.\n", story.notice);
  file << "# Rewritten by FORETRAIN_REWRITE_GOLDEN=1; other kernels may differ by 1e-3 of it.\n";
  file << "# network step loss\n";
  for (std::size_t i = 0; i < losses.size(); ++i) {
    file << fmt::format("{} {} {:.6g}\n", each.name, i, losses[i]);
  }
}

std::vector<double> read_losses(const std::string& name) {
  std::ifstream file(path_of(name));
  INFO(path_of(name));
  REQUIRE(file.good());
  std::vector<double> losses;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string network;
    std::size_t step = 0;
    double loss = 0;
    REQUIRE((words >> network >> step >> loss));
    REQUIRE(network == name);
    REQUIRE(step == losses.size());
    losses.push_back(loss);
  }
  return losses;
}

void check_curve(const NetworkCase& each) {
  const Story& story = stories().at(each.name);
  const std::vector<double> losses = train(each, story);
  if (std::getenv("FORETRAIN_REWRITE_GOLDEN") != nullptr) write(each, story, losses);
  const std::vector<double> golden = read_losses(each.name);
  REQUIRE(golden.size() == losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(each.name, i);
    CHECK(losses[i] == Approx(golden[i]).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("network: the loss of each small network falls as recorded") {
  for (const NetworkCase& each : network_cases(true)) {
    if (!each.name.starts_with("alexnet")) check_curve(each);
  }
}

TEST_CASE("network: the loss of alexnet and of alexnet_cifar goes as recorded") {
  for (const NetworkCase& each : network_cases(true)) {
    if (each.name.starts_with("alexnet")) check_curve(each);
  }
}
