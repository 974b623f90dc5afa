// A worker's side of learning: its network, its shard of the data, its gradient.
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

/// Makes the jobs of a worker. One job at a time: the next is asked for when the last is computed.
///
/// Of a sparse model a worker holds only the parameters that its next batch reads, so it gathers
/// that batch before it pushes the gradient of this one.
class WorkerCompute {
 public:
  WorkerCompute(std::shared_ptr<const Training> training, int worker);

  /// What the gradient of a batch is cut into.
  [[nodiscard]] const std::vector<GradientStage>& stages() const { return stages_; }
  /// A stage of a gradient, as a job; stages are asked for, and carried out, in order, and one that
  /// begins a batch takes the next, when the one before is computed. `parameters`: what `view`
  /// makes of all buckets, end to end; it may still lack the values of buckets that no stage so far
  /// needs. The stage that ends a forward pass finds the loss, the mean over the gradient's batches
  /// so far. After a stage's job its buckets can be pushed.
  Job gradient_job(std::size_t stage, JobId id, const Payload& parameters);
  /// What a push of the last gradient carries for `bucket`; asked for once. `all`: sparse: the
  /// whole bucket is wanted in return.
  [[nodiscard]] Payload push(const Bucket& bucket, bool all, Effects& effects);
  /// An answer to that push has this size (sparse: or the bucket's).
  [[nodiscard]] Bytes answer_size(const Bucket& bucket) const;
  /// What the next gradient reads of `bucket`, whose values, or the answer of a server, are given.
  [[nodiscard]] Payload view(const Bucket& bucket, const Payload& values, Effects& effects) const;

  /// Gradients that were begun, all of whose batches were asked for.
  [[nodiscard]] std::int64_t gradients() const { return batches_ / training_->accumulate; }
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  /// Before the first: as if so many had been. Data, augmentation, dropout are functions of the
  /// seed, the worker, the number of the batch, so nothing else has to be kept of them.
  void restore(std::int64_t gradients);
  /// What a checkpoint keeps of it beside the number of its gradients, with the way back: what
  /// pushes have left out so far (Compression::keeps_rest), statistics of the network. Between two
  /// gradients. @throws StateError
  void write(StateWriter& state) const;
  void read(StateReader& state);
  /// Of what `write` leaves, or would with numerics.
  [[nodiscard]] Bytes kept_size() const;
  /// Of the network (Layer::statistics), as they are now; without numerics none.
  [[nodiscard]] std::vector<float> statistics() const;

  /// Loss and accuracy of `parameters` (all of them) over the test examples.
  Job evaluation_job(JobId id, const Payload& parameters);

 private:
  /// A batch that was gathered, with the parameters that it touches (sparse).
  struct Gathered {
    Batch batch;
    std::vector<std::uint32_t> touched;
  };
  /// The indices of `touched` that fall into `bucket`.
  using Indices = std::span<const std::uint32_t>;
  static Indices within(const Bucket& bucket, const std::vector<std::uint32_t>& touched);

  [[nodiscard]] bool sparse() const { return training_->sparse(); }
  /// It adds to the gradient of batches before.
  [[nodiscard]] bool adds_up(const GradientStage& stage) const {
    return stage.batch > 0 && training_->adds_batches();
  }
  /// Of a sparse model.
  [[nodiscard]] Payload push_touched(const Bucket& bucket, bool all, Effects& effects) const;
  [[nodiscard]] Gathered& gathered(std::int64_t number) { return ring_[slot(number)]; }
  [[nodiscard]] const Gathered& gathered(std::int64_t number) const { return ring_[slot(number)]; }
  [[nodiscard]] std::size_t slot(std::int64_t number) const {
    return static_cast<std::size_t>(number) % ring_.size();
  }
  void gather_up_to(std::int64_t number);
  /// What has to be in `ring_` before the gradient of the last batch begins.
  [[nodiscard]] std::int64_t needed() const { return batches_ - 1 + (sparse() ? 1 : 0); }
  double compute(std::size_t stage, std::int64_t number, const Payload& parameters,
                 std::span<float> gradient, Parallel& parallel);
  /// The gradient of the layers of `stage` is added to those of the batches before; at the last
  /// batch their mean is taken.
  void add_up(const GradientStage& stage, std::span<float> gradient, Parallel& parallel) const;

  std::shared_ptr<const Training> training_;
  std::string augment_;  // names of streams, of which each batch has its own
  std::string dropout_;
  std::vector<GradientStage> stages_;
  std::optional<Sampler> sampler_;  // neither is made without numerics
  Network::WorkspacePointer workspace_;
  std::vector<Gathered> ring_;  // as many as are held at a time
  std::int64_t gathered_ = 0;   // batches that were gathered
  std::int64_t batches_ = 0;    // whose gradient was asked for
  double loss_sum_ = 0;         // of the gradient's batches so far
  bool begun_ = false;          // one of them here
  Payload gradient_;
  std::span<float> writable_;  // all of it, while stages write
  std::vector<float> addend_;  // [parameters] of a batch after the first
  std::vector<float> rest_;    // [parameters]
};

}  // namespace foretrain
