// Jobs from traces: phases, layers, errors, the exact figures of real traces.
#include "scenarios/import/torch_trace.h"

#include "scenarios/import/import_job.h"
#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace foretrain::testing {
namespace {

ImportedJob imported(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << text;
  return import_job(folder / "t.json", 0);
}

std::string import_error(const std::string& text) {
  return error_of([&] { imported(text); });
}

void check_whole(const ImportedJob& job) {
  double forward_s = 0;
  double backward_s = 0;
  std::int64_t bytes = 0;
  for (const ImportedLayer& layer : job.layers) {
    forward_s += layer.forward_s;
    backward_s += layer.backward_s;
    bytes += layer.parameters.value;
  }
  CHECK(forward_s == Approx(job.forward_s));
  CHECK(backward_s == Approx(job.backward_s));
  const double parts = job.forward_s + job.backward_s + job.optimizer_s + job.communication_s +
                       job.input_wait_s + job.launch_gap_s;
  CHECK(parts == Approx(job.step_s));
  CHECK(bytes > 0);
}

TEST_CASE("torch trace: a step falls into its phases, under both generations of names") {
  for (const TraceNames& names : {kNames2021, kNames2022}) {
    const ImportedJob job = imported(two_layers(names).text());
    CHECK(job.batch == 8);
    CHECK(job.type == "float");
    CHECK(job.workers == 1);
    CHECK(job.step_s == Approx(999e-6));
    CHECK(job.forward_s == Approx(35e-6));
    CHECK(job.backward_s == Approx(110e-6));
    CHECK(job.optimizer_s == Approx(10e-6));
    CHECK(job.input_wait_s == Approx(100e-6));
    CHECK(job.launch_gap_s == Approx((999 - 255) * 1e-6));
    CHECK(job.communication_s == 0);
    check_whole(job);
  }
}

TEST_CASE("torch trace: what has no parameters belongs to the layer before it") {
  const ImportedJob job = imported(two_layers().text());
  REQUIRE(job.layers.size() == 2);
  CHECK(job.parameters == 15 + 6);
  CHECK(job.layers[0].name == "1 linear 3x4");
  CHECK(job.layers[0].parameters == Bytes{4 * 15});  // the inner operator has the same parameters
  CHECK(job.layers[1].parameters == Bytes{4 * 6});
  CHECK(job.layers[0].forward_s == Approx(24e-6));  // with the activation
  CHECK(job.layers[1].forward_s == Approx(11e-6));  // with the loss
  CHECK(job.layers[0].backward_s == Approx(70e-6));
  CHECK(job.layers[1].backward_s == Approx(40e-6));
}

TEST_CASE("torch trace: parameters of 16 bits have two bytes, and the notes warn of autocast") {
  const ImportedJob job = imported(two_layers(kNames2022, "c10::Half").text());
  CHECK(job.layers[0].parameters == Bytes{2 * 15});
  CHECK(std::ranges::any_of(job.notes, [](const std::string& note) {
    return note.find("autocast") != std::string::npos;
  }));
}

TEST_CASE("torch trace: forward work within backward is backward") {
  MadeTrace trace = two_layers();
  trace.op("aten::linear", 2, 1e6 + 2000 + 412, 20, shapes("[[8, 4], [3, 4], [3]]", "float", 22));
  trace.kernel(2, 1e6 + 2000 + 415, 1e6 + 2000 + 425, 7);
  const ImportedJob job = imported(trace.text());
  CHECK(job.layers.size() == 2);
  CHECK(job.backward_s == Approx(117e-6));
  check_whole(job);
}

TEST_CASE("torch trace: a collective counts by its bytes, not by its time") {
  MadeTrace trace = two_layers();
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    trace.kernel(2, at + 360, at + 362, 30, "ncclKernel_AllReduce_RING",
                 R"("In msg nelems": 6, "dtype": "Float")");
    trace.kernel(2, at + 520, at + 700, 40, "ncclKernel_AllReduce_RING",
                 R"("In msg nelems": 15, "dtype": "Float")");
  }
  const ImportedJob job =
      imported(trace.text(R"("distributedInfo": {"rank": 0, "world_size": 2}, )"));
  CHECK(job.workers == 2);
  CHECK(job.reduced == std::vector<Bytes>{Bytes{24}, Bytes{60}});
  CHECK(job.backward_s == Approx(110e-6));
  CHECK(job.communication_s == Approx(70e-6));
  check_whole(job);
}

TEST_CASE("torch trace: without shapes the layers are what is reduced together") {
  MadeTrace trace;
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    trace.marked(fmt::format("ProfilerStep#{}", step), 1, at, 999);
    const auto numbered = [&](int number) {
      return fmt::format("\"Sequence number\": {}", 10 * step + number);
    };
    trace.op("aten::linear", 1, at + 100, 20, numbered(1)).kernel(1, at + 105, at + 110, 8);
    trace.op("aten::linear", 1, at + 130, 20, numbered(2)).kernel(1, at + 135, at + 140, 9);
    trace.op("AddmmBackward0", 2, at + 200, 20, numbered(2)).kernel(2, at + 205, at + 210, 16);
    trace.kernel(2, at + 225, at + 230, 5, "ncclDevKernel_AllReduce_Sum_bf16",
                 R"("In msg nelems": 100, "dtype": "BFloat16")");
    trace.op("AddmmBackward0", 2, at + 240, 20, numbered(1)).kernel(2, at + 245, at + 250, 17);
    trace.kernel(2, at + 270, at + 280, 5, "ncclDevKernel_AllReduce_Sum_bf16",
                 R"("In msg nelems": 300, "dtype": "BFloat16")");
  }
  const ImportedJob job = imported(trace.text());
  REQUIRE(job.layers.size() == 2);
  CHECK(job.layers[0].parameters == Bytes{600});
  CHECK(job.layers[0].forward_s == Approx(8e-6));
  CHECK(job.layers[0].backward_s == Approx(17e-6));
  CHECK(job.layers[1].parameters == Bytes{200});
  CHECK(job.layers[1].forward_s == Approx(9e-6));
  CHECK(job.layers[1].backward_s == Approx(16e-6));
  CHECK(job.batch == 0);
  check_whole(job);
}

TEST_CASE("torch trace: without a step the whole trace is one, which is said") {
  MadeTrace trace;
  trace.op("aten::linear", 1, 110, 50, shapes("[[8, 4], [3, 4], [3]]", "float", 1));
  trace.kernel(1, 120, 125, 20).op("AddmmBackward0", 2, 170, 10);
  const ImportedJob job = imported(trace.text());
  CHECK(job.forward_s == Approx(20e-6));
  REQUIRE(!job.notes.empty());
  CHECK(job.notes.front().starts_with("No step is marked"));
  check_whole(job);
}

TEST_CASE("torch trace: what cannot be a job is refused, with what to do") {
  MadeTrace no_device;
  no_device.op("aten::linear", 1, 110, 50, shapes("[[8, 4], [3, 4], [3]]", "float", 1));
  CHECK(import_error(no_device.text()).find("ProfilerActivity.CUDA") != std::string::npos);
  MadeTrace no_sizes;
  no_sizes.op("aten::linear", 1, 110, 50).kernel(1, 120, 125, 20);
  CHECK(import_error(no_sizes.text()).find("record_shapes=True") != std::string::npos);
  MadeTrace graph = two_layers();
  graph.raw(R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1,
               "ts": 1000100, "dur": 3, "args": {"correlation": 99999}})");
  CHECK(import_error(graph.text()).find("CUDA graph") != std::string::npos);
}

std::string all_notes(const ImportedJob& job) {
  std::string all;
  for (const std::string& note : job.notes) all += note + "\n";
  return all;
}

TEST_CASE("torch trace: which steps count is told as it is done") {
  const auto told = [](int steps) {
    MadeTrace trace;
    for (int step = 0; step < steps; ++step) {
      const double at = 1e6 + 1000.0 * step;
      trace.marked(fmt::format("ProfilerStep#{}", step), 1, at, 999);
      trace.op("aten::linear", 1, at + 100, 50, shapes("[[8, 4], [3, 4], [3]]", "float", step));
      trace.kernel(1, at + 110, at + 120, 20).op("AddmmBackward0", 2, at + 200, 10);
    }
    return imported(trace.text()).notes.front();
  };
  const std::string why = " left out, since the profiler starts or ends in them.";
  CHECK(told(1) ==
        "The trace has only one step, which contains the start and end of the profiler.");
  CHECK(told(2) == "1 of 2 steps counts: the first is" + why);
  CHECK(told(3) == "1 of 3 steps counts: the first and the last are" + why);
  CHECK(told(4) == "1 of 4 steps counts: the first two and the last are" + why);
  CHECK(told(6) == "3 of 6 steps count: the first two and the last are" + why);
}

TEST_CASE("torch trace: parts that are more than the step took lengthen it, which is said") {
  CHECK(all_notes(imported(two_layers().text())).find("its parts add up") == std::string::npos);
  MadeTrace trace = two_layers();
  // In the third step, which counts: 1,000 us beside the other kernels, the parts are 255 + 1,000
  // of 999.
  const double at = 1e6 + 2000;
  trace.kernel(1, at + 240, at + 245, 1000);
  const ImportedJob job = imported(trace.text());
  CHECK(job.step_s == Approx(1255e-6));
  CHECK_THAT(all_notes(job),
             Catch::Contains("A step took 0.999 ms, but its parts add up to 0.256 ms more") &&
                 Catch::Contains("The sum is used, 1.255 ms."));
  check_whole(job);
}

TEST_CASE("torch trace: launches are of whichever vendor's runtime or driver") {
  const char* category =
      GENERATE("cuda_driver", "xpu_runtime", "hpu_runtime", "hpu_op", "musa_runtime", "npu_driver",
               "privateuse1_runtime", "hip_runtime");
  CAPTURE(category);
  TraceNames names;
  names.launch = category;
  const ImportedJob job = imported(two_layers(names).text());
  CHECK(job.forward_s == Approx(35e-6));
  CHECK(job.backward_s == Approx(110e-6));
  CHECK(job.optimizer_s == Approx(10e-6));
  check_whole(job);
}

TEST_CASE("torch trace: a launch of a graph is refused by any vendor's name, or by its kernels") {
  const std::string text = two_layers().text();
  for (const char* name : {"cudaGraphLaunch", "hipGraphLaunch", "musaGraphLaunch_v2",
                           "aclGraphReplay", "cuGraphLaunch"}) {
    CHECK_THAT(import_error(replaced(text, "cudaLaunchKernel", name)), Catch::Contains("graph"));
  }
  CHECK(import_error(replaced(text, "cudaLaunchKernel", "cudaGraphInstantiate")) == "(no error)");
  MadeTrace shared = two_layers();
  for (int i = 0; i < 40; ++i) {
    shared.raw(fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 1007, )"
                           R"("ts": {}, "dur": 1, "args": {{"correlation": 1}}}})",
                           1e6 + 500 + i));
  }
  CHECK_THAT(import_error(shared.text()), Catch::Contains("whose kernels name no operator"));
}

TEST_CASE("torch trace: a collective is what its arguments say, or the operator around it") {
  const auto with_kernel = [](const std::string& name, const std::string& arguments,
                              const std::string& op, const std::string& of_op) {
    MadeTrace trace = two_layers();
    for (int step = 0; step < 4; ++step) {
      const double at = 1e6 + 1000.0 * step;
      if (!op.empty()) trace.op(op, 2, at + 695, 20, of_op);
      trace.kernel(2, at + 700, at + 710, 30, name, arguments);
    }
    return imported(trace.text());
  };
  const std::string sizes = R"("In msg nelems": 21, "dtype": "BFloat16", "Group size": 4)";
  const std::string said = R"("Collective name": "allreduce", )" + sizes;
  for (const ImportedJob& job :
       {with_kernel("ncclDevKernel_Generic(ncclDevComm*)", said, "", ""),
        with_kernel("ncclDevKernel_AllGather", said, "", ""),
        with_kernel("void oneshot<4>(float*)", said, "", ""),
        with_kernel("oneccl_allreduce_big", sizes, "", ""),
        with_kernel("void oneshot<4>(float*)", "", "record_param_comms", said),
        with_kernel("ncclDevKernel_Generic", "", "record_param_comms", said)}) {
    CHECK(job.reduced == std::vector<Bytes>{Bytes{42}});
    CHECK(job.workers == 4);
    CHECK(job.communication_s == Approx(30e-6));
    CHECK(job.backward_s == Approx(110e-6));
    check_whole(job);
  }
  const ImportedJob gather = with_kernel(
      "ncclDevKernel_AllReduce", R"("Collective name": "_allgather_base", )" + sizes, "", "");
  CHECK(gather.reduced.empty());
  CHECK(gather.communication_s == Approx(30e-6));
  CHECK(with_kernel("occlusion_query", "", "", "").communication_s == 0);
}

TEST_CASE("torch trace: what is no training is refused") {
  MadeTrace inference;
  inference.op("aten::linear", 1, 110, 50, shapes("[[8, 4], [3, 4], [3]]", "float", 1));
  inference.kernel(1, 120, 125, 20);
  CHECK_THAT(import_error(inference.text()), Catch::Contains("no backward pass"));
  TraceNames strange;
  strange.launch = "cpu_op";  // there are no launches
  CHECK_THAT(import_error(two_layers(strange).text()),
             Catch::Contains("no kernel of its steps has its launch"));
}

// A linear layer of 8 x 16 with a bias, 136 parameters, used once or several times per step;
// `backward`: with a backward pass for each use, else one for all.
MadeTrace one_weight(int uses, bool backward) {
  MadeTrace trace;
  for (int step = 0; step < 4; ++step) {
    const double begin = 1e6 + 1000.0 * step;
    trace.marked(fmt::format("ProfilerStep#{}", step), 1, begin, 999);
    for (int use = 0; use < uses; ++use) {
      const double at = begin + 100.0 * use;
      const int number = 10 * step + use;
      trace.op("aten::linear", 1, at + 10, 20, shapes("[[4, 16], [8, 16], [8]]", "float", number));
      trace.kernel(1, at + 15, at + 20, 5);
      const double back = begin + 50 + (backward ? 100.0 * use : 100.0 * uses + 25 * use);
      trace.op("AddmmBackward0", 2, back, 20, fmt::format("\"Sequence number\": {}", number));
      trace.kernel(2, back + 5, begin + 600, 5);
      if (!backward && use + 1 < uses) continue;
      for (const double tensor : {72.0, 76.0}) {
        trace.op("torch::autograd::AccumulateGrad", 2, begin + 100.0 * use + tensor, 3);
      }
    }
  }
  return trace;
}

MadeTrace& add_all_reduces(MadeTrace& trace, int numbers) {
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    trace.kernel(2, at + 700, at + 710, 30, "ncclKernel_AllReduce_RING",
                 fmt::format(R"("In msg nelems": {}, "dtype": "Float")", numbers));
  }
  return trace;
}

TEST_CASE("torch trace: parameters that all-reduces do not carry are told with both figures") {
  MadeTrace tied = one_weight(2, false);
  const ImportedJob job = imported(add_all_reduces(tied, 136).text());
  CHECK(job.parameters == 272);
  CHECK(job.reduced == std::vector<Bytes>{Bytes{544}});
  CHECK_THAT(all_notes(job),
             Catch::Contains("have 272 parameters, but its all-reduces carry 136") &&
                 Catch::Contains("tied") && Catch::Contains("foretrain_profile.py"));

  MadeTrace missing = one_weight(1, false);
  CHECK_THAT(all_notes(imported(add_all_reduces(missing, 200).text())),
             Catch::Contains(
                 "have 136 parameters, but its all-reduces carry 200: some belong to operators"));
  MadeTrace alike = one_weight(1, false);
  CHECK(all_notes(imported(add_all_reduces(alike, 136).text())).find("parameters") ==
        std::string::npos);
}

TEST_CASE("torch trace: without all-reduces gradients tell weights that are used twice") {
  CHECK_THAT(all_notes(imported(one_weight(2, false).text())),
             Catch::Contains("have 4 parameter tensors, but 2 get gradients"));
  CHECK_THAT(all_notes(imported(one_weight(3, true).text())),
             Catch::Contains("A step has 3 forward passes") &&
                 Catch::Contains("counts 3 times in its 408 parameters"));
  CHECK(all_notes(imported(one_weight(1, true).text())).find("parameters") == std::string::npos);
  // Shards of parameters, as FSDP has them, are separate tensors.
  MadeTrace sharded = one_weight(2, false);
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    sharded.kernel(2, at + 700, at + 710, 30, "ncclDevKernel_ReduceScatter_Sum_f32");
  }
  CHECK(all_notes(imported(sharded.text())).find("parameters") == std::string::npos);
}

// Published traces, if they are beside this tree.
TEST_CASE("torch trace: of real ResNet-50 parameters and buckets are exact") {
  const std::filesystem::path traces = std::filesystem::path(source_dir()) / "../shared/traces";
  if (!std::filesystem::exists(traces)) {
    WARN("skipped: there is no ../shared/traces");
    return;
  }
  for (const char* file : {"workers0", "workers4"}) {
    const ImportedJob job = import_job(
        (traces / fmt::format("kineto/resnet50_v100_bs32_{}.pt.trace.json.gz", file)).string(), 0);
    CHECK(job.parameters == 25'557'032);
    CHECK(job.layers.size() == 107);
    CHECK(job.batch == 32);
    CHECK(job.backward_s == Approx(0.0645).epsilon(0.01));
    CHECK(all_notes(job).find("parameters") == std::string::npos);
    check_whole(job);
  }
  const ImportedJob ddp =
      import_job((traces / "hta/resnet50_ddp_ws2_a100_rank0.json.gz").string(), 0);
  CHECK(ddp.workers == 2);
  CHECK(ddp.parameters == 25'557'032);
  CHECK(all_notes(ddp).find("parameters") == std::string::npos);
  const std::vector<Bytes> floats{Bytes{2'049'000}, Bytes{7'875'584}, Bytes{6'563'840},
                                  Bytes{6'637'568}, Bytes{2'431'040}};
  REQUIRE(ddp.reduced.size() == floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) CHECK(ddp.reduced[i] == floats[i] * 4);
  check_whole(ddp);
  const auto refused = [&](const char* file) {
    return error_of([&] { import_job((traces / file).string(), 0); });
  };
  CHECK(refused("hta/alexnet_a100_nosteps.json.gz").find("record_shapes") != std::string::npos);
  CHECK(refused("hta/cpu_only_rank34.pt.trace.json.gz").find("no kernel") != std::string::npos);
}

}  // namespace
}  // namespace foretrain::testing
