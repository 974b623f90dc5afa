// Imported jobs as folders: their files, their simulation, their relative paths.
#include "scenarios/import/import_job.h"

#include "scenarios/language/text_guard.h"
#include "scenarios/resolve/relative_paths.h"
#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {

ImportedJob made_job(const std::string& source) {
  ImportedJob job;
  job.source = source;
  job.layers = {{"1 Conv2d", Bytes{80}, 1.5e-3, 2e-3},
                {"2 ReLU", Bytes{0}, 0.5e-3, 0.25e-3},
                {"10 Linear", Bytes{60}, 3e-3, 4e-3}};
  job.parameters = 35;
  return job;
}

TEST_CASE("import: a step of a job is as long as it was") {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << two_layers().text();
  const ImportedJob job = import_job(folder / "t.json", 0);
  const Scenario scenario = case_of(job, {"training.workers=3"}).scenario;
  CHECK(scenario.model.profile.path == "layers.csv");
  CHECK(scenario.model.profile_batch == 8);
  CHECK(scenario.training.batch_size == 8);
  CHECK(scenario.training.workers == 3);
  CHECK(scenario.training.bucket_size == Bytes{25 * 1024 * 1024});
  const double beside_s = job.step_s - job.forward_s - job.backward_s;
  // Input costs time per example, the optimizer per update, the rest per batch.
  const FrameworkSpec& framework = scenario.framework;
  CHECK(framework.example.seconds() == Approx(100e-6 / 8).margin(1e-9));
  CHECK(framework.update.seconds() == Approx(job.optimizer_s).margin(1e-9));
  CHECK((framework.step + framework.update + framework.example * 8).seconds() ==
        Approx(beside_s).margin(2e-9));
}

TEST_CASE("import: micro-batches are accumulated, the optimizer costs an update") {
  ImportedJob job = made_job("t.json");
  job.step_s = 10e-3;
  job.optimizer_s = 2e-3;
  job.accumulate = 4;
  const Scenario scenario = case_of(job).scenario;
  CHECK(scenario.training.accumulate == 4);
  CHECK(scenario.framework.step.seconds() == 0);
  CHECK(scenario.framework.update.seconds() == Approx(2e-3));
}

TEST_CASE("import: bytes are not called parameters where nothing says how wide one is") {
  const TempFolder folder;
  std::ofstream(folder / "layers.csv")
      << "layer,parameter_bytes,forward_ms,backward_ms\nall,13476831232,1,2\n";
  const ImportedJob job = import_job(folder / "layers.csv", 4);
  CHECK(job.parameters == 0);
  CHECK(job.parameter_bytes() == Bytes{13'476'831'232});
  CHECK_THAT(job_yaml(job),
             Catch::Contains("13476831232 bytes of parameters (3369207808 if they have 4 each, "
                             "6738415616 if they have 2)"));
}

TEST_CASE("import: what a forecast would refuse is told before there are files of it") {
  ImportedJob job = made_job("t.json");
  job.layers[1].name = "Re\x1bLU";
  CHECK_THAT(error_of([&] { case_of(job); }),
             Catch::Contains("job.yaml:7:12: model.profile: layers.csv:3:1: layer: "));
  job.layers[1].name = "ReLU";
  job.batch = 3'000'000'000;
  CHECK_THAT(error_of([&] { case_of(job); }), Catch::Contains("profile_batch: "));
}

TEST_CASE("import: names of layers, of files, of devices stay data") {
  const TempFolder folder;
  ImportedJob job = made_job("g\nname: evil.txt");
  job.device = "card\nseed: 7";
  job.layers[0].name = "a,\"b\"";
  const Scenario scenario = case_of(job).scenario;
  CHECK(scenario.name == "job");
  CHECK(scenario.seed == Scenario{}.seed);
  std::ofstream(folder / "layers.csv") << scenario.model.profile.text;
  CHECK(import_job(folder / "layers.csv", 4).layers[0].name == "a,\"b\"");
}

TEST_CASE("import: a device that the library knows is what the times are of, no other is") {
  ImportedJob job = made_job("t.json");
  const auto written = [&](const std::string& device) {
    job.device = device;
    return job_yaml(job);
  };
  const auto measured_on = [&] { return case_of(job).scenario.model.profile_device; };
  CHECK(written("Tesla V100-SXM2-32GB").find("Measured on a Tesla V100-SXM2-32GB: ") !=
        std::string::npos);
  CHECK(measured_on() == MeasuredDevice{15'700, {900e9}});
  written("NVIDIA A100-SXM4-80GB");
  CHECK(measured_on() == MeasuredDevice{156'000, {1'555e9}});
  for (const char* unknown : {"NVIDIA L40S", ""}) {
    const std::string text = written(unknown);
    CAPTURE(text);
    CHECK(!measured_on().described());
    CHECK(text.find("# profile_device: {gflops: ..., memory_bandwidth: ... GB/s}") !=
          std::string::npos);
    CHECK(text.find("15700") == std::string::npos);
    CHECK(text.find("V100") == std::string::npos);
  }
  CHECK(written("NVIDIA L40S").find("The library has no NVIDIA L40S.") != std::string::npos);
}

TEST_CASE("import: --batch wins over what shapes seem to say, which is told") {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << two_layers().text();
  CHECK(import_job(folder / "t.json", 8).batch == 8);
  const ImportedJob job = import_job(folder / "t.json", 64);
  CHECK(job.batch == 64);
  CHECK(job.notes.back() ==
        "The batch size is 64 (--batch); by the shapes in the trace it would be 8.");
}

TEST_CASE("import: what else people have is recognized, with what to give instead") {
  const TempFolder folder;
  const auto told = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return error_of([&] { import_job(folder / name, 0); });
  };
  const auto trace = Catch::Contains("; give what export_chrome_trace of torch.profiler writes");
  CHECK_THAT(told("stacks.txt", "train.py(12): main;loss.py(3): f;aten::conv2d 1234\n"),
             Catch::Contains("stacks.txt: stacks, as export_stacks writes them") && trace);
  CHECK_THAT(told("et.json", R"({"schema": "1.0.1", "pid": 7, "nodes": [{"id": 1, "name":
             "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1}]})"),
             Catch::Contains("et.json: an execution trace (Chakra)") && trace);
  CHECK_THAT(told("et2.json", R"({"schema": "1.1.1", "nodes": []})"),
             Catch::Contains("an execution trace"));
  CHECK_THAT(told("r.json", R"({"traceEvents": [{"ph": "X", "name": "f", "ts": "1", "dur": "2",
             "args": {"BeginNs": "1000", "EndNs": "3000"}}]})"),
             Catch::Contains("a trace of rocprof") && trace);
  CHECK_THAT(told("r.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n"),
             Catch::Contains("a table of rocprof") && trace);
  CHECK_THAT(told("n.csv", "Time (%),Total Time (ns),Instances,Name\n"),
             Catch::Contains("a table of nsys stats") && trace);
  CHECK_THAT(told("n.sqlite", std::string("SQLite format 3\0\20\0", 18)),
             Catch::Contains("an SQLite database, as nsys export") && trace);
  CHECK_THAT(told("n.qdrep", std::string("\0\1\2", 3)), Catch::Contains("Nsight Systems") && trace);
  CHECK_THAT(told("x.bin", std::string("\0\1\2\3abc\0\0", 9)),
             Catch::Contains("x.bin: a binary file, which is neither gzip nor text") && trace);
  const std::string tensors = std::string("\x40\0\0\0\0\0\0\0", 8) + R"({"w":{"dtype":"F32"}})";
  CHECK_THAT(told("w.safetensors", tensors + std::string(900, '\x80')),
             Catch::Contains("w.safetensors: a binary file") && trace);
  CHECK_THAT(told("b.json", "[" + std::string(50, '\2')),
             Catch::Contains("a binary file") && trace);
  CHECK_THAT(told("z.json.zst", "\x28\xb5\x2f\xfd..."), Catch::Contains("packed by zstd; unpack"));
  CHECK_THAT(told("other.json", R"({"traceEvents": [{"ph": "X", "name": "f", "pid": 1, "ts": 1,
             "dur": 2}]})"),
             Catch::Contains("no event has a category"));
}

TEST_CASE("import: a folder is named as such, with a trace that is in it") {
  const TempFolder folder;
  CHECK_THAT(error_of([&] { import_job(folder.path(), 0); }),
             Catch::Contains(": a folder; give a"));
  std::ofstream(folder / "b.pt.trace.json") << "{}";
  CHECK_THAT(error_of([&] { import_job(folder.path(), 0); }),
             Catch::Contains("b.pt.trace.json for instance"));
}

TEST_CASE("import: what is called .json is read as such, though there be nothing in it") {
  const TempFolder folder;
  std::ofstream(folder / "t.json").close();
  CHECK(error_of([&] { import_job(folder / "t.json", 0); }).find("t.json: empty; give a trace") !=
        std::string::npos);
  std::ofstream(folder / "u.json.gz") << "layer,parameter_bytes\n";
  CHECK(error_of([&] {
          import_job(folder / "u.json.gz", 0);
        }).find("u.json.gz: is not JSON at byte 1") != std::string::npos);
  std::ofstream(folder / "layers.csv").close();
  CHECK(error_of([&] { import_job(folder / "layers.csv", 0); }).find("parameter_bytes") !=
        std::string::npos);
}

std::string notes_told(const ImportedJob& job) {
  std::string all;
  for (const std::string& note : job.notes) all += note + "\n";
  return all;
}

// Reduced traces of real profilers, if they are beside this tree.
TEST_CASE("import: inputs that failed once are read, or refused in words") {
  const std::filesystem::path reports = std::filesystem::path(source_dir()) / "../shared/reports";
  if (!std::filesystem::exists(reports)) {
    WARN("skipped: there is no ../shared/reports");
    return;
  }
  const auto read = [&](const std::string& name) {
    return import_job((reports / (name + ".json")).string(), 0);
  };
  for (const char* name :
       {"base", "xpu-launches", "times-as-text", "bare-inf", "backslash-path", "two-ranks-merged",
        "kernels-of-first-steps-lost", "micro-batch-steps", "generic-collective-no-shapes"}) {
    CAPTURE(name);
    const ImportedJob job = read(name);
    CHECK(job.parameters == 5'050);
    CHECK(job.forward_s == Approx(300e-6));
    CHECK(job.backward_s == Approx(600e-6));
    CHECK(job.optimizer_s == Approx(100e-6));
    CHECK(job.step_s == Approx(1500e-6));
  }
  CHECK_THAT(notes_told(read("two-ranks-merged")), Catch::Contains("2 processes launch kernels"));
  CHECK_THAT(notes_told(read("kernels-of-first-steps-lost")), Catch::Contains("lack kernels"));
  CHECK_THAT(notes_told(read("micro-batch-steps")), Catch::Contains("accumulate: 2"));
  CHECK(read("micro-batch-steps").accumulate == 2);
  const ImportedJob untimed = read("kernel-at-time-zero");
  CHECK(untimed.step_s == Approx(1191e-6));
  CHECK_THAT(notes_told(untimed), Catch::Contains("1 kernels without a time stamp"));
  const auto refused = [&](const std::string& name) { return error_of([&] { read(name); }); };
  CHECK_THAT(refused("hip-graph"), Catch::Contains("launches a CUDA graph"));
  CHECK_THAT(refused("inference-only"), Catch::Contains("no backward pass"));
  CHECK_THAT(error_of([&] { import_job((reports / "faults/spaces.json.gz").string(), 0); }),
             Catch::Contains("more than 16 MiB of blanks"));
}

TEST_CASE("beside: a path that names something beside the scenario is completed, no other") {
  const TempFolder folder;
  std::ofstream(folder / "m.yaml") << "x";
  Scenario scenario;
  scenario.model.profile.path = "layers.csv";
  scenario.cluster.hosts.resize(2);
  scenario.cluster.hosts[0].machine = "m.yaml";
  scenario.cluster.hosts[1].machine = "/etc/m.yaml";
  resolve_relative_paths(scenario, folder.path());
  CHECK(scenario.model.profile.path == "layers.csv");
  CHECK(scenario.cluster.hosts[0].machine == folder / "m.yaml");
  CHECK(scenario.cluster.hosts[1].machine == "/etc/m.yaml");
}

TEST_CASE("beside: a scenario written into a folder names from there what it named from here") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "job");
  std::ofstream(folder / "job/layers.csv") << "x";
  Scenario scenario;
  scenario.model.profile.path = std::filesystem::relative(folder / "job/layers.csv").string();
  scenario.dataset.path = "no-such-file";
  scenario.cluster.hosts.resize(1);
  scenario.cluster.hosts[0].machine = "/etc/m.yaml";
  const Scenario seen = paths_relative_to(folder / "out/found", scenario);  // does not exist yet
  CHECK(seen.model.profile.path == "../../job/layers.csv");
  CHECK(seen.dataset.path == "no-such-file");
  CHECK(seen.cluster.hosts[0].machine == "/etc/m.yaml");
  std::filesystem::create_directories(folder / "out/found");
  Scenario read = seen;
  resolve_relative_paths(read, folder / "out/found");
  CHECK(read.model.profile.path == folder / "job/layers.csv");
}

}  // namespace
}  // namespace foretrain::testing
