// The summary figures of a record.
#pragma once

#include "reports/record/record.h"
#include "scenarios/language/money.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// Empty optionals are not known (no numerics, no step, no evaluation, no time).
struct Summary {
  std::int64_t steps = 0;  ///< of all workers
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  double time_s = 0;
  double startup_s = 0;
  double evaluate_s = 0;  ///< part of `time_s` that evaluations have added
  /// Start of the first evaluation that met the target of the training, at most `time_s`; like
  /// `time_s` it includes earlier evaluations. Also empty if only the final evaluation meets the
  /// target and the gap before it was more than twice the longest earlier gap, in updates: the time
  /// is then unknown.
  std::optional<double> time_to_target_s;
  std::optional<double> step_time_s_median;  ///< over all steps of all workers, without evaluation
  std::optional<double> examples_per_s;      ///< from accepted gradients
  // Trainings are compared by these two, which are independent of the cost of evaluations:
  // evaluate_s is left out, the time to the target is interpolated (interpolated_time_to_target_s).
  std::optional<double> bare_examples_per_s;
  std::optional<double> bare_time_to_target_s;
  std::optional<double> gradients_per_s;
  std::optional<double> tokens_per_s;             ///< of a network that reads text
  std::optional<double> model_flops_utilization;  ///< share of its devices' peak; MFU
  std::optional<double> cost_of_tokens;           ///< of 10^9 tokens, in the currency of `price`
  std::optional<double> tokens_time_s;            ///< of all `training.tokens`
  std::optional<double> updates_per_s;
  Price price{};               ///< simulation: price of all hosts that have a node
  std::optional<double> cost;  ///< that price for `time_s`, or for all tokens, if hosts have prices
  std::optional<double> final_loss;      ///< from the final evaluation, nats
  std::optional<double> test_accuracy;   ///< from the final evaluation
  std::optional<double> test_auc;        ///< likewise; only for two classes
  std::optional<double> staleness_mean;  ///< mean over the steps, updates
  Bytes bytes_sent;
  Bytes bytes_received;
  PhaseSeconds phases;
};

Summary summarize(const Record& record);

/// Summary::staleness_mean if the workers of the strategy are not in lockstep; else empty, since
/// there is no staleness.
std::optional<double> mean_staleness(const Record& record);

/// CPU time of a node in per cent of a core, over the time from the moment that all nodes were
/// ready until the final evaluation was done. Empty if no time passed.
std::optional<double> cpu_percent(const Record& record, const NodeTotals& node);

/// Peak resident memory in bytes, if known.
std::optional<double> resident_bytes(const NodeTotals& node);

/// `accuracy 0.97`, `accuracy 0.97 or loss 0.1`; empty if there is no target.
std::string target_text(const Target& target);

/// The evaluation that first met `target`. Null if none did, or if only the final one did and the
/// gap before it was more than twice the longest earlier gap, in updates.
const EvalReport* first_reaching(std::span<const EvalReport> evals, const Target& target);

/// Whether the final evaluation meets `target`, but the time is unknown: first_reaching is null.
bool passed_unseen(const Target& target, const Summary& summary);

/// Delay of `until` (one of the record's evaluations, or null for the last update) by the
/// evaluations before it. All nodes wait while the chief evaluates. For async with a shared quota
/// the other workers compute the chief's gradients meanwhile, so the delay is only the chief's
/// share; `framework.evaluation` can say otherwise (all, nobody).
Duration evaluation_before(const Record& record, const EvalReport* until);

/// Whether a time includes the time of earlier evaluations.
enum class EvaluationTime { counted, left_out };

/// Time at which the judged figure (loss or accuracy, whichever is first) met the target,
/// interpolated linearly between the starts of the last evaluation that missed it and the first
/// that met it; if the very first evaluation met it, its start. Since it is finer than the interval
/// of evaluations, trainings can be compared by it. Empty if first_reaching is null.
std::optional<double> interpolated_time_to_target_s(const Record& record, EvaluationTime clock);

/// The settings of a case as an object from key to value.
nlohmann::ordered_json to_json(const std::vector<Setting>& settings);

/// The object that `run --json` and `simulate --json` print, and run.json has as `summary`. The
/// order of keys is fixed; unknown figures are null.
nlohmann::ordered_json to_json(const Record& record);

/// The same object with an empty list `nodes`, which may be very long; and one item of that list.
nlohmann::ordered_json summary_json(const Record& record);
nlohmann::ordered_json summary_json(const Record& record, const NodeTotals& node);

/// SHA-256 of the parameters as little-endian floats, in hexadecimal digits.
std::string weights_sha256(std::span<const float> weights);

}  // namespace foretrain
