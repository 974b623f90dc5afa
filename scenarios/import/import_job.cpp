#include "scenarios/import/import_job.h"

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/torch_trace.h"
#include "scenarios/import/trace_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/layer_profile.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

constexpr double kMs = 1e3;  // per second
constexpr double kGiga = 1e9;
constexpr int kHosts = 256;

// Also by its name, so that an empty .json file gets JSON's error.
bool is_json(std::string_view path, std::string_view begin) {
  if (path.ends_with(".json") || path.ends_with(".gz")) return true;
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (begin[first] == '{' || begin[first] == '[');
}

void refuse_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return;
  std::string first;
  for (const fs::directory_entry& each : fs::directory_iterator(path, error)) {
    const std::string name = each.path().string();
    if (!name.ends_with(".json") && !name.ends_with(".json.gz")) continue;
    if (first.empty() || name < first) first = name;
  }
  throw InputError(fmt::format("{}: a folder; give a file{}", path,
                               first.empty() ? ", a trace or a CSV of layers"
                                             : fmt::format(" in it, {} for instance", first)));
}

ImportedJob of_table(const std::string& path) {
  const NetworkProfile profile = read_profile({path}, 1);
  if (profile.second_batch > 0) {
    throw InputError(fmt::format(
        "{}: import copies times of one batch; name the file itself as model.profile", path));
  }
  ImportedJob job;
  job.source = path;
  for (const LayerTimes& layer : profile.layers) {
    job.layers.push_back(
        {layer.layer, Bytes{4 * layer.parameters}, layer.forward_s, layer.backward_s});
    job.forward_s += layer.forward_s;
    job.backward_s += layer.backward_s;
    job.optimizer_s += layer.update_s;
  }
  job.notes.emplace_back(
      "A CSV has only times of layers. Write the time of the optimizer (without a column "
      "update_ms) as framework.update in job.yaml, that of input and of gaps between kernels as "
      "framework.step.");
  return job;
}

// A cell, in quotes if necessary.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

// The library's hosts; none without a library, which is not needed for a job.
std::vector<HostSpec> hosts_if_any() {
  try {
    return library_hosts();
  } catch (const InputError&) {
    return {};
  }
}

// The figures of the measured device, if the library knows it.
std::string device_yaml(const ImportedJob& job) {
  const std::string called = one_line(job.device);
  const std::vector<HostSpec> hosts = hosts_if_any();
  const HostSpec* host = host_with_device(hosts, called);
  if (host == nullptr || !host->device.described()) {
    return fmt::format(
        "  # {}. Write the figures of\n"
        "  # its data sheet, so that times are scaled for other devices; without them the times "
        "of\n"
        "  # layers.csv are used on every host:\n"
        "  # profile_device: {{gflops: ..., memory_bandwidth: ... GB/s}}\n",
        called.empty() ? "The device of this measurement is not known"
                       : fmt::format("The library has no {}", called));
  }
  const double bandwidth = host->device.memory_bandwidth.value;
  const std::string moves =
      bandwidth > 0 ? fmt::format(", memory_bandwidth: {:.10g} GB/s", bandwidth / kGiga) : "";
  return fmt::format(
      "  # Measured on a {}: by the data sheet of the {}\n"
      "  # of the library ({}). Variants of a chip differ, so compare with yours.\n"
      "  profile_device: {{gflops: {:.10g}{}}}\n",
      called, host->device_name, host->name, host->device.gflops, moves);
}

std::string parameters_text(const ImportedJob& job) {
  if (job.parameters > 0) return fmt::format("{} parameters", job.parameters);
  const std::int64_t bytes = job.parameter_bytes().value;
  return fmt::format("{} bytes of parameters ({} if they have 4 each, {} if they have 2)", bytes,
                     bytes / 4, bytes / 2);
}

// Input costs time per example, launches per batch, the optimizer per update. The remainder of a
// division by examples goes to the batch, so that the sum is exact.
std::string framework_yaml(const ImportedJob& job, std::int64_t batch) {
  constexpr double kNano = 1e9;
  constexpr double kMsOfNano = 1e-6;
  const auto batch_ns = std::llround((job.input_wait_s + job.launch_gap_s) * kNano);
  const auto update_ns = std::llround(job.optimizer_s * kNano);
  if (batch_ns + update_ns == 0) return {};
  const auto example_ns = std::llround(std::floor(job.input_wait_s * kNano)) / batch;
  std::string text = fmt::format(
      "framework:\n"
      "  # Each batch waits for input {:.3f} ms and for the host {:.3f} ms in addition to its "
      "layers;\n"
      "  # update is the time of the optimizer. Lower them to forecast a faster loader or host.\n"
      "  step: {:.6f} ms\n"
      "  update: {:.6f} ms\n",
      job.input_wait_s * kMs, job.launch_gap_s * kMs,
      static_cast<double>(batch_ns - example_ns * batch) * kMsOfNano,
      static_cast<double>(update_ns) * kMsOfNano);
  if (example_ns > 0) {
    text += fmt::format("  example: {:.6f} ms   # input, which grows with the batch\n",
                        static_cast<double>(example_ns) * kMsOfNano);
  }
  return text;
}

}  // namespace

std::string job_yaml(const ImportedJob& job) {
  const std::int64_t batch = std::max<std::int64_t>(1, job.batch);
  std::string text = fmt::format(
      "# Imported from {}{}.\n"
      "#   foretrain simulate job.yaml --set training.workers=4   how long a step takes then\n"
      "#   foretrain whatif job.yaml --set training.workers=4     what limits it, what helps\n",
      one_line(fs::path(job.source).filename().string()),
      job.device.empty() ? "" : ": a step on a " + one_line(job.device));
  text += fmt::format(
      "foretrain: 1\n"
      "name: job\n"
      "model:\n"
      "  profile: layers.csv     # {} layers, {}\n"
      "  profile_batch: {}\n"
      "{}"
      "training:\n"
      "  strategy: all_reduce    # or, with servers: 1, sync, async, ssp; or local_sgd\n"
      "  workers: 1\n"
      "  batch_size: {}          # of each worker{}\n"
      "  steps: 50\n"
      "  bucket_rule: ddp        # as DistributedDataParallel reduces gradients, 25 MiB at a time\n"
      "  bucket_size: 26214400 B\n",
      job.layers.size(), parameters_text(job), batch, device_yaml(job), batch,
      job.batch == 0 ? "; the file does not say: a step counts as one example" : "");
  if (job.accumulate > 1) {
    text += fmt::format(
        "  accumulate: {}           # batches per exchange of gradients and optimizer step\n",
        job.accumulate);
  }
  text += framework_yaml(job, batch);
  text += fmt::format(
      "cluster:\n"
      "  hosts:\n"
      "    # One worker per host, on as many hosts as training.workers. Write the figures of "
      "yours.\n"
      "    - {{name: node, count: {}, cores: 8, nic: 10 Gbps, latency: 20 us}}\n",
      kHosts);
  return text;
}

ImportedJob import_job(const std::string& path, std::int64_t batch, const TraceChoice& choice) {
  refuse_folder(path);
  constexpr std::size_t kEnough = 4096;
  const std::string begin = TraceText::beginning(path, kEnough);
  if (const std::string what = other_format(path, begin); !what.empty()) {
    throw InputError(fmt::format("{}: {}", path, what));
  }
  if (!is_json(path, begin)) {
    if (choice.rank || choice.device) {
      throw InputError(path + ": a table of layers has no ranks; leave out --rank, --device");
    }
    ImportedJob job = of_table(path);
    job.batch = batch;
    return job;
  }
  ChromeTrace trace = read_chrome_trace(path);
  keep_one_worker(trace, choice);
  ImportedJob job = job_of(trace);
  if (batch > 0 && job.batch > 0 && job.batch != batch) {
    job.notes.push_back(
        fmt::format("The batch size is {} (--batch); by the shapes in the trace it would be {}.",
                    batch, job.batch));
  }
  if (batch > 0) job.batch = batch;
  return job;
}

// Sizes on the wire are in floats, so those of narrower types are rounded up to whole floats.
ProfileFile profile_of(const ImportedJob& job) {
  std::string text = "layer,parameter_bytes,forward_ms,backward_ms\n";
  for (const ImportedLayer& layer : job.layers) {
    text +=
        fmt::format("{},{},{:.6f},{:.6f}\n", cell(layer.name), (layer.parameters.value + 3) / 4 * 4,
                    layer.forward_s * kMs, layer.backward_s * kMs);
  }
  return {"layers.csv", text};
}

void prepare_job_folder(const fs::path& folder, bool replace) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
  for (const fs::path& each : {folder / "layers.csv", folder / "job.yaml"}) {
    if (replace || !fs::exists(each, error)) continue;
    throw InputError(
        fmt::format("{} exists already; name another folder by --out, or --force", each.string()));
  }
}

Case case_of(const ImportedJob& job, const std::vector<std::string>& changes) {
  Case whole = parse_scenario(job_yaml(job), "job.yaml", changes).front();
  whole.scenario.model.profile = profile_of(job);
  DataSets data_sets;
  check_named(whole, data_sets);
  return whole;
}

}  // namespace foretrain
