// A worker's side of training: its network, its share of the data, its gradient.
#pragma once

#include "models/data/sampler.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Makes the jobs of a worker. One job at a time: the next is requested after the last is computed.
///
/// With a sparse model a worker holds only the parameters that its next batch reads, so it gathers
/// that batch before it pushes the gradient of this one.
class WorkerCompute {
 public:
  WorkerCompute(std::shared_ptr<const Training> training, int worker);

  /// The stages into which a gradient is cut.
  [[nodiscard]] const std::vector<GradientStage>& stages() const { return stages_; }
  /// A stage of a gradient as a job. Stages are requested, and carried out, in order, each when the
  /// one before is computed; the first of a batch takes the next batch. `parameters`: the results
  /// of `view` for all buckets, as one vector; values of buckets that no stage so far needs may
  /// still be missing. The stage that ends a forward pass returns the loss, the mean over the
  /// gradient's batches so far. After a stage's job its buckets can be pushed.
  Job gradient_job(std::size_t stage, JobId id, const Payload& parameters);
  /// The payload of a push of the last gradient for `bucket`; requested once. `all`, sparse: the
  /// whole bucket is wanted in return.
  [[nodiscard]] Payload push(const Bucket& bucket, bool all, Effects& effects);
  /// The size of an answer to that push (sparse: or the bucket's).
  [[nodiscard]] Bytes answer_size(const Bucket& bucket) const;
  /// The values that the next gradient reads from `values` of `bucket`, or from a server's answer.
  [[nodiscard]] Payload view(const Bucket& bucket, const Payload& values, Effects& effects) const;

  /// The number of gradients begun, with all batches requested.
  [[nodiscard]] std::int64_t gradients() const { return batches_ / training_->accumulate; }
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  /// Before the first: as if `gradients` had been computed. Data, augmentation and dropout are
  /// functions of the seed, the worker and the number of the batch, so they have no other state.
  void restore(std::int64_t gradients);
  /// The state in a checkpoint besides the number of gradients: what pushes have left out so far
  /// (Compression::keeps_rest), statistics of the network. Called between two gradients.
  /// @throws StateError
  void write(StateWriter& state) const;
  void read(StateReader& state);
  /// The number of bytes that `write` writes, or would write with numerics.
  [[nodiscard]] Bytes kept_size() const;
  /// Current statistics of the network (Layer::statistics); none without numerics.
  [[nodiscard]] std::vector<float> statistics() const;

  /// Loss and accuracy of `parameters` (all of them) over the test examples.
  Job evaluation_job(JobId id, const Payload& parameters);

 private:
  /// A gathered batch with the parameters that it touches (sparse).
  struct Gathered {
    Batch batch;
    std::vector<std::uint32_t> touched;
  };
  /// The indices of `touched` in `bucket`.
  using Indices = std::span<const std::uint32_t>;
  static Indices within(const Bucket& bucket, const std::vector<std::uint32_t>& touched);

  [[nodiscard]] bool sparse() const { return training_->sparse(); }
  /// The stage's gradient is added to that of earlier batches.
  [[nodiscard]] bool adds_up(const GradientStage& stage) const {
    return stage.batch > 0 && training_->adds_batches();
  }
  /// The payload of a push with a sparse model.
  [[nodiscard]] Payload push_touched(const Bucket& bucket, bool all, Effects& effects) const;
  [[nodiscard]] Gathered& gathered(std::int64_t number) { return ring_[slot(number)]; }
  [[nodiscard]] const Gathered& gathered(std::int64_t number) const { return ring_[slot(number)]; }
  [[nodiscard]] std::size_t slot(std::int64_t number) const {
    return static_cast<std::size_t>(number) % ring_.size();
  }
  void gather_up_to(std::int64_t number);
  /// The last batch that `ring_` needs before the gradient of the current batch begins.
  [[nodiscard]] std::int64_t needed() const { return batches_ - 1 + (sparse() ? 1 : 0); }
  double compute(std::size_t stage, std::int64_t number, const Payload& parameters,
                 std::span<float> gradient, Parallel& parallel);
  /// Adds the gradient of the layers of `stage` to those of earlier batches; at the last batch
  /// takes their mean.
  void add_up(const GradientStage& stage, std::span<float> gradient, Parallel& parallel) const;

  std::shared_ptr<const Training> training_;
  std::string augment_;  // names of random streams, one stream for each batch
  std::string dropout_;
  std::vector<GradientStage> stages_;
  std::optional<Sampler> sampler_;  // null without numerics, as `workspace_`
  Network::WorkspacePointer workspace_;
  std::vector<Gathered> ring_;  // the batches held at a time
  std::int64_t gathered_ = 0;   // batches gathered so far
  std::int64_t batches_ = 0;    // batches whose gradient was requested
  double loss_sum_ = 0;         // of the gradient's batches so far
  bool begun_ = false;          // a gradient has begun in this process
  Payload gradient_;
  std::span<float> writable_;  // all of `gradient_`, while stages write
  std::vector<float> addend_;  // [parameters] gradient of a batch after the first
  std::vector<float> rest_;    // [parameters] left out of pushes so far
};

}  // namespace foretrain
