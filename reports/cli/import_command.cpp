// The command `import`: makes a scenario from a trace or a table of layers.
#include "reports/cli/import_command.h"

#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/import/import_job.h"
#include "scenarios/language/file_errors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMs = 1e3;  // in a second

using Part = std::pair<const char*, double ImportedJob::*>;
constexpr std::array kParts{Part{"forward", &ImportedJob::forward_s},
                            Part{"backward", &ImportedJob::backward_s},
                            Part{"optimizer", &ImportedJob::optimizer_s},
                            Part{"communication", &ImportedJob::communication_s},
                            Part{"input wait", &ImportedJob::input_wait_s},
                            Part{"launch gap", &ImportedJob::launch_gap_s}};

std::string sentence_of(const ImportedJob& job) {
  std::string text = job.source + ": ";
  text += job.device.empty() ? "a step" : "a step on a " + job.device;
  if (job.batch > 0) text += fmt::format(", batch {}", job.batch);
  if (job.workers > 1) text += fmt::format(", one of {} workers", job.workers);
  const std::int64_t bytes = job.parameter_bytes().value;
  text += job.parameters > 0
              ? fmt::format(": {} parameters{}{}", grouped(job.parameters),
                            job.type.empty() ? "" : " of type ", job.type)
              : fmt::format(": {} bytes of parameters ({} parameters of 4 bytes, or {} of 2)",
                            grouped(bytes), grouped(bytes / 4), grouped(bytes / 2));
  text += fmt::format(" in {} layers.", job.layers.size());
  return wrap(text);
}

std::string steps_of(const ImportedJob& job, std::optional<double> forecast_s) {
  std::string text;
  const double whole_s = job.step_s > 0 ? job.step_s : job.forward_s + job.backward_s;
  const auto row = [&](const char* name, double time_s, int steps = 1) {
    text += fmt::format("  {:<15}{:>12.3f} ms {:>6.1f} %\n", name, time_s * kMs,
                        whole_s > 0 ? 100 * time_s / steps / whole_s : 0);
  };
  for (const auto& [name, part] : kParts) {
    if (job.*part == 0) continue;
    const bool is_optimizer = part == &ImportedJob::optimizer_s;
    row(name, job.*part, is_optimizer ? job.accumulate : 1);
  }
  row(job.step_s > 0 ? "step" : "layers", whole_s);
  if (job.accumulate > 1) {
    text +=
        fmt::format("  (the optimizer runs once after {} steps; its share is that of one step)\n",
                    job.accumulate);
  }
  if (forecast_s) {
    row("forecast", *forecast_s);
    text += wrap(fmt::format(
        "The forecast is for {} workers, each on a host with 10 Gbps: the trace does not describe "
        "your network.",
        job.workers));
  }
  return text;
}

std::string reduced_of(const ImportedJob& job) {
  if (job.reduced.empty()) return {};
  std::string text = "All-reduces of a step, bytes:";
  for (const Bytes& size : job.reduced) text += " " + grouped(size.value);
  return wrap(text + ".");
}

Json json_of(const ImportedJob& job, std::optional<double> forecast_s, const std::string& folder) {
  Json json{{"source", job.source},
            {"device", job.device},
            {"batch", job.batch},
            {"workers", job.workers},
            {"parameters", job.parameters > 0 ? Json(job.parameters) : Json(nullptr)},
            {"parameter_bytes", job.parameter_bytes().value},
            {"type", job.type},
            {"layers", job.layers.size()},
            {"step_s", job.step_s},
            {"forward_s", job.forward_s},
            {"backward_s", job.backward_s},
            {"optimizer_s", job.optimizer_s},
            {"communication_s", job.communication_s},
            {"input_wait_s", job.input_wait_s},
            {"launch_gap_s", job.launch_gap_s},
            {"accumulate", job.accumulate}};
  json["reduced_bytes"] = Json::array();
  for (const Bytes& size : job.reduced) json["reduced_bytes"].push_back(size.value);
  json["forecast_step_s"] = forecast_s ? Json(*forecast_s) : Json(nullptr);
  json["notes"] = job.notes;
  json["folder"] = folder;
  return json;
}

// Forecast of a step with as many workers as the trace has, in seconds, if it has several.
std::optional<double> forecast_of(const ImportedJob& job, const Train& simulate) {
  if (job.workers < 2 || job.step_s == 0) return std::nullopt;
  const Case whole = case_of(job, {fmt::format("training.workers={}", job.workers)});
  const auto step_s = summarize(simulate(whole)).step_time_s_median;
  return step_s ? std::optional(*step_s / job.accumulate) : step_s;
}

}  // namespace

int import_training(const ImportArguments& arguments, const Train& simulate) {
  if (!arguments.step.empty()) return import_step(arguments, simulate);
  if (!std::filesystem::is_directory(arguments.trace)) check_is_file(arguments.trace);
  const ImportedJob job =
      import_job(arguments.trace, arguments.batch, {arguments.rank, arguments.device});
  const std::string folder = arguments.out.empty() ? "job" : arguments.out.string();
  prepare_job_folder(folder, arguments.force);
  case_of(job);  // throws before an invalid scenario is written
  write_text_file(std::filesystem::path(folder) / "layers.csv", profile_of(job).text);
  write_text_file(std::filesystem::path(folder) / "job.yaml", job_yaml(job));
  const std::optional<double> forecast_s = forecast_of(job, simulate);
  if (arguments.json) print_json(json_of(job, forecast_s, folder));
  arguments.tell(
      fmt::format("{}\n{}\n{}", sentence_of(job), steps_of(job, forecast_s), reduced_of(job)));
  for (const std::string& note : job.notes) arguments.tell(wrap(note));
  arguments.tell(fmt::format("\nwritten: {0}/job.yaml, {0}/layers.csv\n", folder));
  arguments.say(
      fmt::format("next:    foretrain simulate {}/job.yaml --set training.workers=4", folder));
  return kDone;
}

}  // namespace foretrain
