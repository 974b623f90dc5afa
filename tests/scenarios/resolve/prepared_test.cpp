// Resolved cases, errors of cases that cannot be resolved.
#include "scenarios/resolve/prepared.h"

#include "models/data/data_error.h"
#include "scenarios/spec/machine.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <fstream>

using namespace foretrain;

namespace {

Prepared prepared(const std::string& text, Need need = Need::shape) {
  return prepare(parse_scenario("foretrain: 1\n" + text, "x.yaml").at(0), need);
}

std::string error(const std::string& text) {
  return error_of([&] { prepared(text); });
}

const std::string kFew = "dataset: {take: 30, test_take: 20}\n";

}  // namespace

TEST_CASE("prepared: the examples are there for whom needs them") {
  const Prepared shape = prepared(kFew);
  CHECK(shape.training->data == nullptr);
  CHECK_FALSE(shape.training->numerics);
  const Prepared worker = prepared(kFew, Need::examples);
  CHECK(worker.training->data->train->examples() == 30);
  CHECK(worker.training->numerics);
  for (const Prepared& each : {shape, worker}) {
    CHECK(each.training->test_examples == 20);
    CHECK(each.data_memory.examples == Bytes{50 * (28 * 28 + 2)});
    CHECK(each.data_memory.train_examples == 30);
  }
}

TEST_CASE("prepared: a server trains what the others do and opens no data set") {
  const TempFolder folder;
  std::ofstream(folder / "a.train") << "1 1:1 2:1\n0 3:1\n";
  std::ofstream(folder / "a.test") << "1 1:1\n";
  const Case c = parse_scenario(
                     "foretrain: 1\nmodel: {name: sparse_logistic, hash_bits: 8}\n"
                     "dataset: {format: libsvm, path: " +
                         folder.path() + "}\ntraining: {batch_size: 1, epochs: 3}\n",
                     "x.yaml")
                     .at(0);
  const Prepared launcher = prepare(c, Need::shape);
  std::filesystem::remove(folder / "a.train");
  const Prepared prepared = prepare_server(c, launcher.dataset);
  const Training& server = *prepared.training;
  CHECK(server.data == nullptr);
  CHECK(server.numerics);
  CHECK(server.steps == 6);
  CHECK(server.layout->parameters == launcher.training->layout->parameters);
  CHECK(server.touched_mean == launcher.training->touched_mean);
}

TEST_CASE("prepared: a simulation needs the examples where gradients are carried out") {
  CHECK(need_of_simulation(only("foretrain: 1\n")) == Need::examples);
  CHECK(need_of_simulation(only("foretrain: 1\nnumerics: off\n")) == Need::shape);
}

TEST_CASE("prepared: machine files call a model by what its cost depends on") {
  CHECK(prepared(kFew).model_key == "softmax 784x10");
  CHECK(prepared(kFew + "model: {name: mlp, hidden: [30]}\ntraining: {threads: 2}\n").model_key ==
        "mlp-30 784x10 threads 2");
  CHECK(prepared("model: {name: sparse_logistic, hash_bits: 8}\n"
                 "dataset: {format: clicks, take: 9, test_take: 1}\n")
            .network_key == "sparse_logistic 256x2");
}

TEST_CASE(
    "prepared: a model's key says how full sparse rows are, and an optimizer that is not SGD") {
  const std::string adam = "training: {optimizer: {name: adam, learning_rate: 0.1}}\n";
  CHECK(prepared(kFew + adam).model_key == "softmax 784x10 adam");
  CHECK(prepared(kFew + adam).network_key == "softmax 784x10");
  const std::string clicks =
      "model: {name: sparse_logistic, hash_bits: 12}\n"
      "dataset: {format: clicks, take: 50, test_take: 1}\n";
  CHECK(prepared(clicks).model_key == "sparse_logistic 4096x2 entries 40");
  CHECK(prepared(clicks + adam).model_key == "sparse_logistic 4096x2 entries 40 adam");
}

TEST_CASE("prepared: a machine that knows the network alone is asked for that") {
  const Prepared made =
      prepared(kFew + "training: {optimizer: {name: adam, learning_rate: 0.1}}\n");
  Machine machine;
  CHECK(key_in(machine, made) == "softmax 784x10 adam");
  machine.models["softmax 784x10"] = {};
  CHECK(key_in(machine, made) == "softmax 784x10");
  machine.models["softmax 784x10 adam"] = {};
  CHECK(key_in(machine, made) == "softmax 784x10 adam");
}

TEST_CASE("prepared: every node has its host") {
  const Prepared made = prepared(
      kFew +
      "training: {workers: 2, servers: 1}\n"
      "cluster: {hosts: [{name: a}, {name: b}], placement: {workers: [b, b], servers: [a]}}\n");
  REQUIRE(made.places.size() == 3);
  CHECK(made.places[1].host_name == "b");
  CHECK(made.places[2].host_name == "a");
  CHECK(prepared(kFew + "training: {strategy: single}\n").places.size() == 1);
}

TEST_CASE("prepared: what does not fit is told with its place") {
  CHECK(error("dataset: {take: 6}\ntraining: {workers: 7}\n") ==
        "x.yaml:3:21: training.workers: 7 workers for 6 training examples; write fewer workers, "
        "or take more examples");
  CHECK(error("training: {servers: 7851}\n") ==
        "x.yaml:2:21: training.servers: 7851 servers for the 7850 parameters of softmax; write "
        "fewer servers");
  CHECK(error("training: {servers: 7850}\n") == "(no error)");
  CHECK(error("training: {strategy: all_reduce, workers: 7851}\n") ==
        "x.yaml:2:43: training.workers: 7851 workers for the 7850 parameters of softmax; write "
        "fewer workers");
  CHECK(error("model: {layers: [{kind: conv, units: 2, size: 30}, dense]}\n")
            .find("x.yaml:2:18: model.layers[0]: layer 0 (conv): a window of 30 x 30") == 0);
}

TEST_CASE("prepared: a padding that cannot be is told with its place") {
  CHECK(error("dataset: {pad: 4}\n") ==
        "x.yaml:2:16: dataset.pad: set to 4, but no case uses it (only crops are cut from padded "
        "images); remove it");
  CHECK(
      error("dataset: {crop: 37, pad: 4}\n")
          .find("x.yaml:2:10: dataset: crop 37 does not fit images of 28 x 28 pixels with pad 4") ==
      0);
  CHECK(error("dataset: {crop: 36, pad: 4}\n") == "(no error)");
  CHECK(error("dataset: {crop: 4, pad: -1}\n").find("x.yaml:2:25: dataset.pad: -1 is out of") == 0);
}

TEST_CASE("prepared: per_tensor where it cannot be is told with its place") {
  CHECK(error("training: {servers: 3, bucket_size: per_tensor}\n") ==
        "x.yaml:2:21: training.servers: 3 servers for the 2 tensors of softmax; write fewer "
        "servers, or a bucket_size");
  CHECK(error("numerics: off\n"
              "training: {strategy: all_reduce, workers: 2, shard: gradients,\n"
              "  collectives: one_by_one}\n")
            .find("x.yaml:4:16: training.collectives: the collectives of shards have an order") ==
        0);
  CHECK(error("model: {name: sparse_logistic, hash_bits: 8}\n"
              "dataset: {format: clicks, take: 9, test_take: 1}\n"
              "training: {bucket_size: per_tensor}\n")
            .find("x.yaml:4:25: training.bucket_size: per_tensor, but a sparse model") == 0);
}

TEST_CASE("prepared: a penalty in the loss of a sparse model is told with its place") {
  const std::string sparse =
      "model: {name: sparse_logistic, hash_bits: 8}\n"
      "dataset: {format: clicks, take: 9, test_take: 1}\n"
      "training:\n  optimizer: {weight_decay: 0.1, penalty_in_loss: on}\n";
  CHECK(error(sparse).find(
            "x.yaml:5:51: training.optimizer.penalty_in_loss: a worker of a sparse model has only "
            "the parameters of its batch") == 0);
  CHECK(error(sparse + "  strategy: all_reduce\n") == "(no error)");
}

TEST_CASE("prepared: a data set or a profile that cannot be read is told with its place") {
  CHECK(error("model: sparse_logistic\ndataset: {format: criteo, path: /no/such}\n") ==
        "x.yaml:3:33: dataset.path: /no/such: no such folder; name the one that holds train.csv");
  CHECK(error("dataset: {format: idx, path: /no/such}\n")
            .find("x.yaml:2:30: dataset.path: /no/such: ") == 0);
  CHECK(error("model: {profile: nowhere.csv}\ntraining: {steps: 5}\n") ==
        "x.yaml:2:18: model.profile: nowhere.csv: no such file; check the path");
}

TEST_CASE("prepared: a profile has no key and holds no data") {
  const TempFolder folder;
  std::ofstream(folder / "one.csv") << "layer,parameter_bytes,forward_ms,backward_ms\na,4000,1,2\n";
  const std::string text = "model: {profile: " + (folder / "one.csv") +
                           "}\ntraining: {steps: 5}\ndataset: {take: 1000000}\n";
  CHECK(prepared(text).model_key.empty());
  CHECK(prepared(text).data_memory.examples == Bytes{});
  CHECK(prepared(text).training->layout->parameters == 1'000);
}
