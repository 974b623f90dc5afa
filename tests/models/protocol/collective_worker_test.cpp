// The schedule of a worker without a server, shown with a strategy that learns nothing.
#include "models/protocol/collective_worker.h"

#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <deque>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

/// Counts its calls without changing parameters.
class Idle : public CollectiveWorker {
 public:
  Idle(const std::shared_ptr<const Training>& training, std::int64_t steps_a_round)
      : CollectiveWorker(training, NodeId(0), steps_a_round) {}

  int gradients = 0;  // per bucket
  int sums = 0;

 private:
  void use_gradient(Instant now, std::uint32_t bucket, Payload gradient,
                    Effects& effects) override {
    ++gradients;
    contribute(now, bucket, std::move(gradient), effects);
  }
  Job finish_job(std::uint32_t /*bucket*/, JobId id, std::vector<Payload> /*addends*/) override {
    ++sums;
    Job job{id, JobKind::apply, 0, {}, {}, {}};
    job.work = [](Parallel& /*parallel*/) { return JobResult{}; };
    return job;
  }
  Payload finished(std::uint32_t bucket, Effects& /*effects*/) override {
    return parameters().part(bucket_at(bucket));
  }
  void write_own(StateWriter& /*state*/) const override {}
  void read_own(StateReader& /*state*/) override {}
  [[nodiscard]] Bytes own_size() const override { return {}; }
};

/// A run of a single worker to its end.
struct Outcome {
  std::vector<StepReport> steps;
  std::vector<EvalReport> evals;
  std::optional<Finished> finished;
};
Outcome run_alone(CollectiveWorker& worker) {
  Outcome outcome;
  std::deque<Input> inputs{Started{}};
  Serial serial;
  std::int64_t clock = 0;
  for (; !inputs.empty(); inputs.pop_front()) {
    Effects effects;
    worker.handle({++clock}, std::move(inputs.front()), effects);
    for (Effect& effect : effects) {
      if (auto* compute = std::get_if<Compute>(&effect)) {
        inputs.emplace_back(Computed{compute->job.id, compute->job.work(serial)});
      } else if (auto* report = std::get_if<Report>(&effect)) {
        if (auto* step = std::get_if<StepReport>(report)) outcome.steps.push_back(*step);
        if (auto* eval = std::get_if<EvalReport>(report)) outcome.evals.push_back(*eval);
      } else if (auto* finished = std::get_if<Finished>(&effect)) {
        outcome.finished = *finished;
      }
    }
  }
  return outcome;
}

TEST_CASE("collective worker: a sum ends each round, also a last one that is shorter") {
  const auto training = testing::small_training("all_reduce", 1, 0, 5, Bytes{4'000});
  const auto buckets = static_cast<int>(training->layout->buckets.size());
  REQUIRE(buckets > 1);
  Idle worker(training, 2);
  const Outcome outcome = run_alone(worker);
  CHECK(worker.gradients == 5 * buckets);
  CHECK(worker.sums == 3 * buckets);
  CHECK(outcome.steps.size() == 5);
  REQUIRE(outcome.finished.has_value());
  CHECK(outcome.finished->updates == 3);
  CHECK(outcome.finished->gradients == 5);
}

TEST_CASE("collective worker: the chief evaluates between the steps of a round, too") {
  const auto training = testing::small_training("all_reduce", 1, 0, 6, Bytes{4'000});
  training->evaluate_every = 1;
  Idle worker(training, 3);
  const Outcome outcome = run_alone(worker);
  // The end is evaluated once.
  REQUIRE(outcome.evals.size() == 6);
  CHECK(outcome.evals[1].version.value == 0);
  CHECK(outcome.evals[2].version.value == 1);
  CHECK(outcome.evals[5].final);
}

TEST_CASE("collective worker: where the target is reached, it ends with the rounds so far") {
  const auto training = testing::small_training("all_reduce", 1, 0, 9, Bytes{4'000});
  training->evaluate_every = 1;
  training->target = {.accuracy = 0, .loss = 100};
  Idle worker(training, 2);
  const Outcome outcome = run_alone(worker);
  // The first evaluation meets the target before there are weights to end with.
  REQUIRE(outcome.finished.has_value());
  CHECK(outcome.finished->updates == 1);
  CHECK(outcome.finished->gradients == 2);
}

}  // namespace
}  // namespace foretrain
