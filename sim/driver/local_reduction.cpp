#include "sim/driver/local_reduction.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/protocol/buffered.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "models/protocol/routed_reduction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <variant>

namespace foretrain::sim {
namespace {

using Hosts = LocalReduction::Hosts;

Layout dealt_by_bytes(Layout layout, std::size_t workers) {
  std::vector<Bytes> taken(workers);
  for (Bucket& bucket : layout.buckets) {
    const auto least = std::ranges::min_element(taken);
    bucket.shard = static_cast<int>(least - taken.begin());
    *least += bucket.size();
  }
  return layout;
}

/// A worker with its part of its host's sums. Its program pushes to servers and receives their
/// answers, as if it were alone on the host.
class HostWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  HostWorker(std::shared_ptr<const Hosts> hosts, NodeId id)
      : hosts_(std::move(hosts)),
        training_(*hosts_->training),
        members_(hosts_->workers[hosts_->host_of[index_of(id)]]),
        program_(make_node(hosts_->training, id)),
        held_(initial_parameters(training_)),
        reduction_({hosts_->of_a_host, local(id), std::numeric_limits<std::int64_t>::max(), held_,
                    buffered_, *this}),
        place_(static_cast<int>(index_of(local(id)))),
        buckets_(training_.layout->buckets.size()) {}

  void handle(Instant now, Input input, Effects& effects) override {
    if (auto* received = std::get_if<Received>(&input)) {
      const bool of_host = training_.is_worker(received->from);
      if (of_host && received->message.kind == MessageKind::partial) {
        return add(now, received->from, std::move(received->message), effects);
      }
      return take(now, received->from, std::move(received->message), effects);
    }
    const auto* done = std::get_if<Computed>(&input);
    if (done != nullptr && done->job >= JobId{Reduction::kFirstJob}) {
      return added_up(now, done->job, effects);
    }
    tell(now, std::move(input), effects);
  }

 private:
  /// A bucket in transit.
  struct Part {
    Send push;          // the program's last push
    Message answer;     // the last answer
    JobId sum{};        // at the owner: the job that ends a sum
    bool over = false;  // the last values have arrived
  };

  [[nodiscard]] NodeId local(NodeId member) const {
    return NodeId(
        static_cast<std::uint32_t>(std::ranges::find(members_, member) - members_.begin()));
  }
  [[nodiscard]] const Bucket& bucket_at(std::uint32_t index) const {
    return training_.layout->buckets[index];
  }

  // Passes the input to the program; its pushes go into the host's sums.
  void tell(Instant now, Input input, Effects& effects) {
    Effects wanted;
    program_->handle(now, std::move(input), wanted);
    for (Effect& effect : wanted) {
      auto* send = std::get_if<Send>(&effect);
      if (send == nullptr || send->message.kind != MessageKind::push) {
        effects.push_back(std::move(effect));
        continue;
      }
      const std::uint32_t bucket = send->message.bucket;
      Send& push = buckets_[bucket].push = std::move(*send);
      Effects of_sum;
      reduction_.add(now, bucket, push.message.payload, of_sum);
      carry_out(std::move(of_sum), effects);
    }
  }

  // A partial sum from another worker of the host.
  void add(Instant now, NodeId from, Message sum, Effects& effects) {
    if (buckets_[sum.bucket].over) return;  // the training of this bucket has ended
    Effects of_sum;
    const auto renewed = reduction_.receive(now, local(from), std::move(sum), of_sum);
    if (!renewed || !renewed->empty()) {
      effects.emplace_back(Fault{from, "it sent a message out of turn"});
    }
    carry_out(std::move(of_sum), effects);
  }

  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override {
    buckets_[bucket].sum = id;
    ends_[id] = bucket;
    const Cost cost = reduce_cost(bucket_at(bucket).count, std::ssize(addends));
    Job job{id, JobKind::reduce, 0, cost, {}, {}};
    job.bucket = bucket;
    return job;
  }

  // The owner pushes the complete sum. For the reduction the sum counts as computed when the server
  // answers.
  void added_up(Instant now, JobId job, Effects& effects) {
    const auto end = ends_.find(job);
    if (end == ends_.end()) {
      Effects of_sum;
      reduction_.computed(now, job, of_sum);
      return carry_out(std::move(of_sum), effects);
    }
    if (buckets_[end->second].over) return;
    Send push = buckets_[end->second].push;
    const Compression& compression = hosts_->of_servers->compression;
    if (compression.wanted()) {
      effects.emplace_back(SpentCost{compress_cost(compression, bucket_at(end->second).count)});
      push.message.payload = compress(compression, push.message.payload, {});
    }
    effects.emplace_back(std::move(push));
  }

  Payload finished(std::uint32_t bucket, Effects& /*effects*/) override {
    return buckets_[bucket].answer.payload;
  }

  // An answer of a server, or one passed on by a worker of the host. It goes to the other workers
  // of the host first, then to this program.
  void take(Instant now, NodeId from, Message message, Effects& effects) {
    const std::uint32_t bucket = message.bucket;
    Part& part = buckets_[bucket];
    if (part.over) return;
    part.over = message.kind == MessageKind::final_parameters || message.kind == MessageKind::stop;
    if (bucket == 0) reduction_.begin();
    if (message.kind == MessageKind::stop) {
      pass_on(message, effects);
    } else {
      part.answer = message;
      renew(now, from, message, effects);
    }
    tell(now, Received{training_.server(bucket_at(bucket).shard), std::move(message)}, effects);
  }

  void renew(Instant now, NodeId from, Message values, Effects& effects) {
    Effects of_sum;
    if (training_.is_worker(from)) {
      values.kind = MessageKind::parameters;
      values.step = reduction_.rounds_of(values.bucket);
      const auto renewed = reduction_.receive(now, local(from), std::move(values), of_sum);
      if (!renewed || renewed->empty()) {
        effects.emplace_back(Fault{from, "it sent a message out of turn"});
      }
    } else {
      reduction_.computed(now, buckets_[values.bucket].sum, of_sum);
    }
    carry_out(std::move(of_sum), effects);
  }

  // Final values of a bucket whose sum is incomplete or not begun take the route of all values,
  // after those of the step before.
  void pass_on(const Message& message, Effects& effects) const {
    const Training& host = *hosts_->of_a_host;
    const Route route(host, host.layout->buckets[message.bucket], place_);
    for (std::size_t i = 0; i < route.targets(); ++i) {
      effects.emplace_back(Send{members_[static_cast<std::size_t>(route.target(i))], message});
    }
  }

  // Values are passed on inside the server's message. The cost of storing them is skipped: the
  // program reports it itself.
  void carry_out(Effects of_sum, Effects& effects) const {
    for (Effect& effect : of_sum) {
      if (std::holds_alternative<SpentCost>(effect)) continue;
      if (auto* send = std::get_if<Send>(&effect)) {
        send->to = members_[index_of(send->to)];
        if (send->message.kind == MessageKind::parameters) {
          send->message = buckets_[send->message.bucket].answer;
        }
      }
      effects.push_back(std::move(effect));
    }
  }

  std::shared_ptr<const Hosts> hosts_;
  const Training& training_;
  const std::vector<NodeId>& members_;  // workers of the host
  std::unique_ptr<Node> program_;
  HeldParameters held_;  // sizes only
  RoutedReduction reduction_;
  int place_;  // position among the members
  std::vector<Part> buckets_;
  std::map<JobId, std::uint32_t> ends_;  // jobs by `Part::sum`
};

/// A server whose program sees hosts as its workers.
class HostServer : public Node, public Buffering {
 public:
  HostServer(std::shared_ptr<const Hosts> hosts, NodeId id)
      : hosts_(std::move(hosts)),
        program_(make_node(hosts_->of_servers, known_as(id))),
        holder_(dynamic_cast<const Buffering*>(program_.get())) {}

  void handle(Instant now, Input input, Effects& effects) override {
    if (auto* received = std::get_if<Received>(&input)) received->from = known_as(received->from);
    Effects wanted;
    program_->handle(now, std::move(input), wanted);
    if (holder_ != nullptr) buffered_.take(holder_->peak_buffered() - buffered_.most());
    for (Effect& effect : wanted) {
      if (auto* send = std::get_if<Send>(&effect)) {
        send->to = called(send->to, send->message.bucket);
      } else if (auto* finished = std::get_if<Finished>(&effect)) {
        finished->gradients *= hosts_->of_a_host->workers;  // of workers, not of hosts
        finished->dropped *= hosts_->of_a_host->workers;
      } else if (auto* fault = std::get_if<Fault>(&effect)) {
        if (fault->peer) fault->peer = called(*fault->peer, 0);
      }
      effects.push_back(std::move(effect));
    }
  }

 private:
  /// Translates node ids to the program's view and back; a host is represented by its owner of
  /// `bucket`.
  [[nodiscard]] NodeId known_as(NodeId id) const {
    const std::uint32_t number = index_of(id);
    const auto workers = static_cast<std::uint32_t>(hosts_->host_of.size());
    if (number < workers) return hosts_->of_servers->worker(hosts_->host_of[number]);
    return hosts_->of_servers->server(static_cast<int>(number - workers));
  }
  [[nodiscard]] NodeId called(NodeId known, std::uint32_t bucket) const {
    const std::size_t number = index_of(known);
    const std::size_t hosts = hosts_->workers.size();
    if (number >= hosts) return hosts_->training->server(static_cast<int>(number - hosts));
    const int owner = hosts_->of_a_host->layout->buckets[bucket].shard;
    return hosts_->workers[number][static_cast<std::size_t>(owner)];
  }

  std::shared_ptr<const Hosts> hosts_;
  std::unique_ptr<Node> program_;
  const Buffering* holder_;  // the program, if it holds payloads
};

}  // namespace

LocalReduction::LocalReduction(const Training& training, const std::vector<NodePlace>& places) {
  FT_CHECK(!training.numerics);
  Hosts hosts;
  std::map<std::size_t, std::size_t> numbers;  // host numbers by place
  for (int worker = 0; worker < training.workers; ++worker) {
    const std::size_t place = places[static_cast<std::size_t>(worker)].host;
    const std::size_t host = numbers.emplace(place, numbers.size()).first->second;
    hosts.host_of.push_back(host);
    hosts.workers.resize(numbers.size());
    hosts.workers[host].push_back(training.worker(worker));
  }
  const std::size_t members = hosts.workers.front().size();
  for (const auto& host : hosts.workers) FT_CHECK_OP(host.size(), ==, members);
  auto of_servers = std::make_shared<Training>(training);
  of_servers->workers = static_cast<int>(hosts.workers.size());
  auto of_workers = std::make_shared<Training>(training);
  of_workers->compression = {};
  auto of_a_host = std::make_shared<Training>(*of_workers);
  of_a_host->workers = static_cast<int>(members);
  of_a_host->servers = 0;
  of_a_host->options.set(kGroup, std::int64_t{of_a_host->workers});
  of_a_host->layout = std::make_shared<const Layout>(dealt_by_bytes(*training.layout, members));
  of_workers->updates_a_step =
      std::max<std::int64_t>(1, training.updates_a_step / of_a_host->workers);
  hosts.training = std::move(of_workers);
  hosts.of_a_host = std::move(of_a_host);
  hosts.of_servers = std::move(of_servers);
  hosts_ = std::make_shared<const Hosts>(std::move(hosts));
}

std::unique_ptr<Node> LocalReduction::program_of(NodeId id) const {
  if (hosts_->training->is_worker(id)) return std::make_unique<HostWorker>(hosts_, id);
  return std::make_unique<HostServer>(hosts_, id);
}

}  // namespace foretrain::sim
