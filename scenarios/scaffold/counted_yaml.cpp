// Counted networks train with settings that fit into the memory of their devices.
#include "scenarios/scaffold/counted_yaml.h"

#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/memory_fit.h"
#include "scenarios/resolve/network_shape.h"
#include "scenarios/resolve/read.h"
#include "scenarios/scaffold/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace foretrain {
namespace {

std::string line(const std::string& setting, std::string_view what) {
  return fmt::format("  {:<29} # {}\n", setting, what);
}

/// bf16 if the devices have it, else fp16, else fp32.
std::string precision_on(const HostSpec& host) {
  for (const char* each : {"bf16", "fp16"}) {
    if (host.device.precision(each) != nullptr) return each;
  }
  return "fp32";
}

std::string model_text(const ModelSpec& model, std::int64_t sequence, const ScaffoldPlace& place) {
  std::string text = "model:\n" + line(model.config.empty() ? "network: " + model.network
                                                            : "config: " + in_yaml(model.config),
                                       "or another (foretrain describe networks), or config: FILE");
  if (sequence > 0) text += line(fmt::format("sequence: {}", sequence), "tokens of an example");
  return text + line("precision: " + precision_on(place.host),
                     "or another one of the devices (foretrain describe hardware)");
}

std::string training_text(const Scaffold& scaffold, int workers, int batch,
                          std::string_view recompute) {
  std::string text =
      "training:\n" + line("strategy: all_reduce", "devices exchange gradients among themselves") +
      line(fmt::format("workers: {}", workers), "a device each") +
      line(fmt::format("batch_size: {}", batch), "sequences or images of each worker") +
      (scaffold.question == "budget" ? line("steps: 10000", "gradients per worker; or tokens: 10e9")
                                     : line("steps: 4", "all steps are alike")) +
      line("optimizer: {name: adam}", "the state of sgd and momentum takes less memory") +
      line("bucket_rule: layer", "a collective per layer, as FSDP; or ddp, bucket_size: 25 MiB");
  if (workers > 1) {
    text += line("shard: parameters", "as FSDP and ZeRO 3 do; or none, optimizer, gradients");
  }
  return text + line(fmt::format("recompute: {}", recompute),
                     "none, selective, full: ever less memory, ever more time");
}

/// Whether the scenario fits into the memory of its devices.
bool fits(const std::string& text) {
  return device_memory(prepare(parse_scenario(text, "scenario").front(), Need::shape)).fits();
}

}  // namespace

std::string in_yaml(const std::string& text) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = text;
  std::string line = to_yaml(value);
  line.pop_back();  // the line feed
  return line;
}

bool is_config(const std::string& model) { return model.ends_with(".json"); }

bool is_counted(const std::string& model) {
  return is_config(model) || std::ranges::count(library_names("networks"), model) > 0;
}

void check_counted(const Scaffold& scaffold) {
  for (const auto& [option, given] :
       {std::pair{"--data", scaffold.data}, {"--path", scaffold.path}}) {
    if (given.empty()) continue;
    throw InputError(fmt::format("{} {}: {} is forecast from its shape alone; leave it out", option,
                                 given, scaffold.model));
  }
  if (scaffold.cluster.empty() || draft_place(scaffold.cluster).devices()) return;
  throw InputError(fmt::format("--cluster {}: {} needs hosts with devices, such as '{}'",
                               scaffold.cluster, scaffold.model, kDeviceCluster));
}

std::string counted_yaml(const Scaffold& scaffold, const std::string& header) {
  const ScaffoldPlace place = draft_place(scaffold.cluster);
  ModelSpec spec;
  (is_config(scaffold.model) ? spec.config : spec.network) = scaffold.model;
  const std::int64_t sequence = sequence_of(spec, shape_of(spec));
  const std::string model = header + model_text(spec, sequence, place);
  const std::string cluster = fmt::format(
      "cluster:\n  hosts:\n"
      "    # Hosts of the library (foretrain describe hardware); keys written beside override it.\n"
      "    - {{like: {}, count: {}}}\n"
      "numerics: off                   # a counted network is forecast, not trained\n",
      place.hosts.name, place.hosts.count);
  const auto with = [&](int workers, int batch, std::string_view recompute) {
    return model + training_text(scaffold, workers, batch, recompute) + cluster;
  };
  int batch = sequence > 0 ? 1 : 64;  // or images
  std::string_view recompute = "full";
  for (const std::string_view less : {"selective", "none"}) {
    if (fits(with(place.workers, batch, less))) recompute = less;
  }
  std::vector<int> counts{place.workers};
  if (scaffold.question == "workers") counts = worker_counts(place);
  while (counts.size() > 1 && !fits(with(counts.front(), batch, recompute))) {
    counts.erase(counts.begin());
  }
  constexpr std::int64_t kTokens = 8192;  // products of more are hardly more efficient
  while (sequence > 0 && 2 * batch * sequence <= kTokens &&
         fits(with(counts.front(), 2 * batch, recompute))) {
    batch *= 2;
  }
  std::string text = with(place.workers, batch, recompute);
  if (scaffold.question != "workers") return text;
  return text + fmt::format("sweep: {{training.workers: [{}]}}\n", fmt::join(counts, ", "));
}

}  // namespace foretrain
