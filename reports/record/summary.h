// The figures that people compare, computed from a record.
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

/// Empty optionals: not known (no numerics, no step, no evaluation, no time).
struct Summary {
  std::int64_t steps = 0;  ///< reported by workers, all together
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  double time_s = 0;
  double startup_s = 0;
  double evaluate_s = 0;  ///< of `time_s`: it is longer by so much for evaluations
  /// When the first evaluation began that reached the target of the training, at most `time_s`;
  /// evaluations before it have delayed it as they delay `time_s`. Empty, too, where it was passed
  /// unseen: that is the last one, and before it nobody had looked for more than twice as many
  /// updates as ever else.
  std::optional<double> time_to_target_s;
  std::optional<double> step_time_s_median;  ///< over all steps of all workers, evaluate left out
  std::optional<double> examples_per_s;      ///< of accepted gradients
  // Trainings are compared by these, whatever their evaluations cost: evaluate_s is left out, the
  // time to the target is interpolated (interpolated_time_to_target_s).
  std::optional<double> bare_examples_per_s;
  std::optional<double> bare_time_to_target_s;
  std::optional<double> gradients_per_s;
  std::optional<double> updates_per_s;
  Price price{};                         ///< of a simulation's hosts that have a node, all together
  std::optional<double> cost;            ///< what they cost for `time_s`, where they have prices
  std::optional<double> final_loss;      ///< of the final evaluation, nats
  std::optional<double> test_accuracy;   ///< of the final evaluation
  std::optional<double> test_auc;        ///< likewise; two classes
  std::optional<double> staleness_mean;  ///< over the steps, updates
  Bytes bytes_sent;
  Bytes bytes_received;
  PhaseSeconds phases;
};

Summary summarize(const Record& record);

/// Summary::staleness_mean of a strategy whose workers do not go in step; empty of others, which
/// have none.
std::optional<double> mean_staleness(const Record& record);

/// CPU time of a node over the time from the moment that every node was ready until the final
/// evaluation was done, per cent of a core. Empty where no time passed.
std::optional<double> cpu_percent(const Record& record, const NodeTotals& node);

/// `accuracy 0.97`, `accuracy 0.97 or loss 0.1`; empty where none is wanted.
std::string target_text(const Target& target);

/// The evaluation that first reached `target`. Null: none did, or it is the last one, and before it
/// nobody had looked for more than twice as many updates as ever else: it was passed unseen.
const EvalReport* first_reaching(std::span<const EvalReport> evals, const Target& target);

/// Whether the final evaluation has `target`, though nobody saw when it was reached: first_reaching
/// is null.
bool passed_unseen(const Target& target, const Summary& summary);

/// How much later `until` (an item of its evaluations; null: the last update) came for the
/// evaluations before it. The chief evaluates, and all wait for it; of async with a shared quota
/// the others make its gradients meanwhile, so the training is late by its share of that alone.
Duration evaluation_before(const Record& record, const EvalReport* until);

/// Whether a time has what the evaluations before it took.
enum class EvaluationTime { counted, left_out };

/// When the judged figure (loss, accuracy, whichever is first) came to the target: on the straight
/// line from the last evaluation that missed it to the first that reached it, at the times at which
/// they began; the first evaluation of all stands for itself. Finer than the evaluations are apart,
/// so that two trainings can be compared. Empty where none reached it, or it was passed unseen.
std::optional<double> interpolated_time_to_target_s(const Record& record, EvaluationTime clock);

/// The settings of a case as an object, key to value.
nlohmann::ordered_json to_json(const std::vector<Setting>& settings);

/// The object that `run --json` and `simulate --json` print, and that run.json holds under
/// `summary`. Keys keep their order; unknown figures are null.
nlohmann::ordered_json to_json(const Record& record);

/// Likewise with no item in `nodes`: there may be very many. Then one of them.
nlohmann::ordered_json summary_json(const Record& record);
nlohmann::ordered_json summary_json(const Record& record, const NodeTotals& node);

/// SHA-256 of the parameters as little-endian floats, in hexadecimal.
std::string weights_sha256(std::span<const float> weights);

}  // namespace foretrain
