// Models in a scenario: by name, by name with settings, as a list of layers.
#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <fstream>
#include <string>

using namespace foretrain;

namespace {

const std::string kImages = "foretrain: 1\ndataset: {take: 10, test_take: 5}\n";

/// A small LeNet, layer by layer, from line 3 on.
const std::string kLayers =
    "model:\n"
    "  layers:\n"
    "    - {kind: conv, units: 6, size: 5, padding: 2}\n"
    "    - relu\n"
    "    - {kind: max_pool, size: 2, stride: 2}\n"
    "    - {kind: dense, units: 32, init: {kind: normal, deviation: 0.1, truncated: on}}\n"
    "    - relu\n"
    "    - dense\n";

/// The error of the training of `model`, which is on line 3.
std::string training_error(const std::string& model) {
  return error_of([&] { prepare(parse_scenario(kImages + model, "x.yaml").front(), Need::shape); });
}

std::int64_t parameters_of(const std::string& model) {
  const Case scenario_case = parse_scenario(kImages + model, "x.yaml").front();
  return prepare(scenario_case, Need::shape).training->network->parameters();
}

}  // namespace

TEST_CASE("model: a name alone is a network with its defaults") {
  const Scenario s = only("foretrain: 1\nmodel: lenet\n");
  CHECK(s.model.name == "lenet");
  CHECK(s.model.layers.empty());
  CHECK(parameters_of("model: lenet\n") == 61'706);
}

TEST_CASE("model: a name may have settings of its own") {
  const Scenario s = only("foretrain: 1\nmodel: {name: mlp, hidden: [300, 100]}\n");
  CHECK(s.model.name == "mlp");
  CHECK(s.model.options.hidden == std::vector<int>{300, 100});
  // These are numbers, not indices, so repetitions stay.
  CHECK(only("foretrain: 1\nmodel: {name: mlp, hidden: [64, 64]}\n").model.options.hidden ==
        std::vector<int>{64, 64});
  for (const std::string wrong : {"all", "[]", "64", "[0]", "[1.5]"}) {
    CAPTURE(wrong);
    CHECK(scenario_error("foretrain: 1\nmodel: {name: mlp, hidden: " + wrong + "}\n")
              .find("x.yaml:2:") == 0);
  }
  CHECK(parameters_of("model: {name: mlp, hidden: [300, 100]}\n") ==
        784 * 300 + 300 + 300 * 100 + 100 + 100 * 10 + 10);
}

TEST_CASE("model: layers are read in order with their settings") {
  const Scenario s = only("foretrain: 1\n" + kLayers);
  REQUIRE(s.model.layers.size() == 6);
  CHECK(s.model.layers[0] == LayerSpec{.kind = "conv", .units = 6, .size = 5, .padding = 2});
  CHECK(s.model.layers[1] == LayerSpec{.kind = "relu"});
  CHECK(s.model.layers[3].init.deviation == 0.1);
  CHECK(s.model.layers[3].init.truncated);
  CHECK(parameters_of(kLayers) == (25 * 6 + 6) + (14 * 14 * 6 * 32 + 32) + (32 * 10 + 10));
}

TEST_CASE("model: each way to write a model survives the resolved scenario") {
  for (const std::string& model :
       {std::string("model: alexnet_cifar\n"), std::string("model: {name: mlp, hidden: [9, 8]}\n"),
        kLayers,
        std::string("model: {layers: [{kind: lrn, size: 5, alpha: 0.01, beta: 0.5, k: 2},\n"
                    "  {kind: dropout, rate: 0.25}, {kind: max_pool, size: 3, stride: 0},\n"
                    "  {kind: average_pool, size: 2}, flatten, {kind: dense, init: zero}]}\n")}) {
    CAPTURE(model);
    const Scenario once = only("foretrain: 1\n" + model);
    CHECK(only(to_yaml(once)) == once);
  }
}

TEST_CASE("model: perceptrons of other hidden layers have other names") {
  const auto label_of = [](const std::string& model) {
    return only("foretrain: 1\nmodel: " + model + "\n").model.label();
  };
  CHECK(label_of("mlp") == "mlp");
  CHECK(label_of("{name: mlp, hidden: [128]}") == "mlp");
  CHECK(label_of("{name: mlp, hidden: [300, 100]}") == "mlp-300-100");
  CHECK(label_of("lenet") == "lenet");
}

TEST_CASE("model: a list of layers is called after its content") {
  const Scenario a = only("foretrain: 1\n" + kLayers);
  Scenario b = a;
  CHECK(a.model.label() == b.model.label());
  CHECK(a.model.label().starts_with("layers-"));
  b.model.layers[0].padding = 1;
  CHECK(a.model.label() != b.model.label());
}

TEST_CASE("model: a convolution after a dense layer is told its place and its line") {
  CHECK(training_error("model:\n  layers:\n    - {kind: dense, units: 30}\n"
                       "    - {kind: conv, units: 6, size: 3}\n    - dense\n") ==
        "x.yaml:6:7: model.layers[1]: layer 1 (conv): its input is a plain vector of 30; put it "
        "before the first dense layer");
}

TEST_CASE("model: a window larger than its input is told both sizes") {
  CHECK(training_error("model:\n  layers:\n    - {kind: max_pool, size: 14, stride: 1}\n"
                       "    - {kind: conv, units: 6, size: 30, padding: 1}\n    - dense\n")
            .find("x.yaml:6:7: model.layers[1]: layer 1 (conv): a window of 30 x 30 pixels does "
                  "not fit into its input of 15x15x1 with padding 1; ") == 0);
}

TEST_CASE("model: left out, a pool's stride is the side of its window, a convolution's 1") {
  // The inputs of a layer, from the parameters of the dense layer after it.
  const auto inputs_of = [](const std::string& layer) {
    return parameters_of("model: {layers: [" + layer + ", dense]}\n") / 10 - 1;
  };
  CHECK(inputs_of("{kind: max_pool, size: 2}") == 14 * 14);
  CHECK(inputs_of("{kind: max_pool, size: 3, padding: 1}") == 10 * 10);
  CHECK(inputs_of("{kind: max_pool, size: 2, stride: 0}") == 14 * 14);
  CHECK(inputs_of("{kind: max_pool, size: 2, stride: 1}") == 27 * 27);
  CHECK(inputs_of("{kind: max_pool, size: 3, stride: 2}") == 13 * 13);
  CHECK(parameters_of("model: {layers: [{kind: conv, units: 1, size: 5}, dense]}\n") ==
        (25 + 1) + (24 * 24 + 1) * 10);
}

TEST_CASE("model: a pool is called the same with its stride written out or left out") {
  const auto label_of = [](const std::string& layer) {
    return only("foretrain: 1\nmodel: {layers: [" + layer + ", dense]}\n").model.label();
  };
  CHECK(label_of("{kind: max_pool, size: 2}") == label_of("{kind: max_pool, size: 2, stride: 2}"));
  CHECK(label_of("{kind: max_pool, size: 2}") != label_of("{kind: max_pool, size: 2, stride: 1}"));
  // The written form reads back as the same network.
  const Scenario overlapping =
      only("foretrain: 1\nmodel: {layers: [{kind: max_pool, size: 2, stride: 1}, dense]}\n");
  CHECK(only(to_yaml(overlapping)).model.layers[0].step() == 1);
}

TEST_CASE("model: a window that the layer cannot have is told at the layer") {
  CHECK(training_error("model: {layers: [{kind: max_pool, size: 17}, dense]}\n") ==
        "x.yaml:3:18: model.layers[0]: layer 0 (max_pool): size is at most 16; pool twice");
  CHECK(training_error("model: {layers: [{kind: conv, units: 1000000, size: 1024, padding: 512}, "
                       "dense]}\n")
            .find("x.yaml:3:18: model.layers[0]: layer 0 (conv): 1048576 x 1000000 weights") == 0);
}

TEST_CASE("model: residual connections and batch normalisation are read, written, counted") {
  const std::string model =
      "model:\n  layers:\n    - {kind: conv, units: 4, size: 3, padding: 1}\n    - batch_norm\n"
      "    - relu\n    - {kind: conv, units: 4, size: 3, padding: 1}\n"
      "    - {kind: batch_norm, epsilon: 0.001, momentum: 0.01}\n    - {kind: add, from: -3}\n"
      "    - dense\n";
  const Scenario once = only("foretrain: 1\n" + model);
  CHECK(once.model.layers[1] == LayerSpec{.kind = "batch_norm"});
  CHECK(once.model.layers[4].epsilon == 0.001);
  CHECK(once.model.layers[4].momentum == 0.01);
  CHECK(once.model.layers[5].from == -3);
  CHECK(only(to_yaml(once)) == once);
  CHECK(parameters_of(model) == (9 + 1) * 4 + 8 + (4 * 9 + 1) * 4 + 8 + (28 * 28 * 4 + 1) * 10);
  Scenario other = once;
  other.model.layers[4].momentum = 0.02;
  CHECK(other.model.label() != once.model.label());
  other = once;
  other.model.layers[5].from = -4;
  CHECK(other.model.label() != once.model.label());
}

TEST_CASE("model: a convolution without a bias is read, written, counted") {
  const std::string model =
      "model:\n  layers:\n    - {kind: conv, units: 4, size: 3, bias: off}\n    - dense\n";
  const Scenario once = only("foretrain: 1\n" + model);
  CHECK(!once.model.layers[0].bias);
  CHECK(only(to_yaml(once)) == once);
  CHECK(parameters_of(model) == 9 * 4 + (26 * 26 * 4 + 1) * 10);
  Scenario other = once;
  other.model.layers[0].bias = true;
  CHECK(other.model.label() != once.model.label());
}

TEST_CASE("model: a bias that cannot be off, or has a value although it is, is told its place") {
  CHECK(scenario_error("foretrain: 1\nmodel: {layers: [{kind: dense, bias: off}]}\n")
            .find("x.yaml:2:38: model.layers[0].bias: set to off, but no case uses it (only conv "
                  "can") == 0);
  CHECK(training_error("model:\n  layers:\n    - {kind: conv, units: 4, size: 3, bias: off, init: "
                       "{kind: he, bias: 0.1}}\n    - dense\n") ==
        "x.yaml:5:7: model.layers[0]: layer 0 (conv): init.bias is given, but bias is off; remove "
        "one of them");
}

TEST_CASE("model: a residual connection that cannot be is told its place, and why") {
  const auto refused = [](const std::string& layers) {
    return training_error("model:\n  layers:\n    - {kind: conv, units: 4, size: 5, stride: 2}\n" +
                          layers + "    - dense\n");
  };
  CHECK(refused("    - {kind: conv, units: 2, size: 3}\n    - {kind: add, from: -2}\n") ==
        "x.yaml:7:7: model.layers[2]: layer 2 (add): 12x12x4 of layer 0 cannot be added to "
        "10x10x2: rows and columns must be equal or multiples, channels equal or fewer");
  CHECK(refused("    - relu\n    - add\n").find("layer 2 (add): from is missing") !=
        std::string::npos);
  CHECK(refused("    - relu\n    - {kind: add, from: -5}\n")
            .find("layer 2 (add): from: -5 is before the first layer") != std::string::npos);
  CHECK(
      training_error("model:\n  layers:\n    - flatten\n    - dense\n    - {kind: add, from: -2}\n")
          .find("layer 2 (add): layer 0 only passes the examples on") != std::string::npos);
  CHECK(scenario_error("foretrain: 1\nmodel: {layers: [{kind: add, from: 2}, dense]}\n")
            .find("model.layers[0].from: 2 is out of range; write -4096 to -2") !=
        std::string::npos);
}

TEST_CASE("model: a last layer that does not match the classes is told how to end") {
  CHECK(training_error("model:\n  layers:\n    - {kind: dense, units: 12}\n") ==
        "x.yaml:5:7: model.layers[0]: layer 0 (dense): the last output is 12, but there are 10 "
        "classes; end with a dense layer without units, which has one output per class");
}

TEST_CASE("model: an unknown kind of layer is told the nearest") {
  CHECK(scenario_error("foretrain: 1\nmodel: {layers: [{kind: convv, size: 3}]}\n") ==
        "x.yaml:2:25: model.layers[0].kind: convv is unknown; did you mean conv?");
}

TEST_CASE("model: a setting that a kind of layer does not have is refused") {
  const std::string error =
      scenario_error("foretrain: 1\nmodel:\n  layers:\n    - {kind: dense, units: 3, stride: 2}\n");
  INFO(error);
  CHECK(error.find("x.yaml:4:39: model.layers[0].stride: set to 2, but no case uses it (this kind "
                   "of layer has no such setting)") == 0);
}

TEST_CASE("model: a setting of another network is refused") {
  CHECK(scenario_error("foretrain: 1\nmodel: {name: lenet, hidden: [5]}\n")
            .find("x.yaml:2:30: model.hidden") == 0);
}

TEST_CASE("model: a convolution without channels and a sparse layer on images are refused") {
  CHECK(training_error("model: {layers: [{kind: conv, size: 3}, dense]}\n")
            .find("x.yaml:3:18: model.layers[0]: layer 0 (conv): units is missing") == 0);
  CHECK(training_error("model: sparse_logistic\n").find("x.yaml:3:8: model: ") == 0);
}

TEST_CASE("model: an embedding wants sparse examples with fields, to be the first, units") {
  const auto error = [](const std::string& layers, const std::string& dataset) {
    return error_of([&] {
      const std::string text = "foretrain: 1\nmodel:\n  layers: [" + layers + "]\ndataset: ";
      prepare(parse_scenario(text + dataset + "\n", "x.yaml").front(), Need::shape);
    });
  };
  const std::string clicks = "{format: clicks, take: 9, test_take: 2}";
  const std::string vectors = "{kind: embedding, units: 4}";
  CHECK(error("embedding, dense", clicks)
            .find("x.yaml:3:12: model.layers[0]: layer 0 (embedding): "
                  "units is missing") == 0);
  CHECK(error(vectors + ", " + vectors + ", dense", clicks)
            .find("model.layers[1]: layer 1 (embedding): it reads sparse examples, so it can only "
                  "be the first layer") != std::string::npos);
  CHECK(error("dense", clicks)
            .find("the examples are sparse, so the first layer must be "
                  "sparse_dense or embedding") != std::string::npos);
  CHECK(error(vectors + ", dense", "{format: digits, take: 9, test_take: 2}")
            .find("layer 0 (embedding): the examples are not sparse; use dense") !=
        std::string::npos);
  const TempFolder folder;
  for (const char* name : {"a.train", "a.test"}) std::ofstream(folder / name) << "1 3:1\n0 2:1\n";
  CHECK(error(vectors + ", dense", "{format: libsvm, path: " + folder.path() + "}")
            .find("layer 0 (embedding): its examples have no fields; use sparse_dense") !=
        std::string::npos);
}

TEST_CASE("model: a named network that does not fit its data is told at the model") {
  const std::string error = error_of([] {
    prepare(parse_scenario("foretrain: 1\nmodel: alexnet\n"
                           "dataset: {format: images, side: 32, take: 2, test_take: 2}\n",
                           "x.yaml")
                .front(),
            Need::shape);
  });
  CHECK(error.find("x.yaml:2:8: model: layer ") == 0);
}
