#include "sim/driver/local_sum.h"

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

using Hosts = std::vector<std::vector<NodeId>>;

Hosts hosts_of(const Training& training, const std::vector<NodePlace>& places) {
  std::map<std::size_t, std::vector<NodeId>> workers;
  for (int worker = 0; worker < training.workers; ++worker) {
    workers[places[static_cast<std::size_t>(worker)].host].push_back(training.worker(worker));
  }
  Hosts hosts;
  hosts.reserve(workers.size());
  for (auto& [host, members] : workers) hosts.push_back(std::move(members));
  // In the order of their first workers: the chief's is the first.
  std::ranges::sort(hosts, {}, [](const std::vector<NodeId>& each) { return each.front(); });
  return hosts;
}

// A host that a worker is on, with its place there.
struct Seated {
  std::size_t host = 0;
  std::size_t place = 0;
};

Seated seat_of(const Hosts& hosts, NodeId worker) {
  for (std::size_t host = 0;; ++host) {
    FT_CHECK_OP(host, <, hosts.size());
    const auto found = std::ranges::find(hosts[host], worker);
    if (found == hosts[host].end()) continue;
    return {host, static_cast<std::size_t>(found - hosts[host].begin())};
  }
}

Layout dealt_by_bytes(Layout layout, std::size_t workers) {
  std::vector<Bytes> taken(workers);
  for (Bucket& bucket : layout.buckets) {
    const auto least = std::ranges::min_element(taken);
    bucket.shard = static_cast<int>(least - taken.begin());
    *least += bucket.size();
  }
  return layout;
}

bool is_last(const Message& values) {
  return values.kind == MessageKind::final_parameters || values.kind == MessageKind::stop;
}

/// A worker with its part of the sums of its host. Its program pushes to servers, and hears what
/// they answer, as if it were there alone.
class HostWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  HostWorker(std::shared_ptr<const Training> training, std::shared_ptr<const Training> of_a_host,
             std::vector<NodeId> members, std::size_t place, Compression compression)
      : training_(std::move(training)),
        of_a_host_(std::move(of_a_host)),
        members_(std::move(members)),
        place_(place),
        compression_(std::move(compression)),
        program_(make_node(training_, members_[place])),
        held_(initial_parameters(*of_a_host_)),
        reduction_(of_a_host_, local(place), std::numeric_limits<std::int64_t>::max(), held_,
                   buffered_, *this),
        pushes_(training_->layout->buckets.size()),
        answers_(pushes_.size()),
        sums_(pushes_.size()),
        over_(pushes_.size()) {}

  void handle(Instant now, Input input, Effects& effects) override {
    if (auto* received = std::get_if<Received>(&input)) {
      const bool of_host = training_->is_worker(received->from);
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
  static NodeId local(std::size_t place) { return NodeId(static_cast<std::uint32_t>(place)); }
  [[nodiscard]] NodeId local(NodeId member) const {
    return local(static_cast<std::size_t>(std::ranges::find(members_, member) - members_.begin()));
  }
  [[nodiscard]] const Bucket& bucket_at(std::uint32_t index) const {
    return training_->layout->buckets[index];
  }

  // What it pushes goes into a sum of the host.
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
      pushes_[bucket] = std::move(*send);
      Effects of_sum;
      reduction_.add(now, bucket, pushes_[bucket].message.payload, of_sum);
      carry_out(std::move(of_sum), effects);
    }
  }

  // A sum of others of the host.
  void add(Instant now, NodeId from, Message sum, Effects& effects) {
    if (over_[sum.bucket]) return;  // nobody wants it any more
    Effects of_sum;
    const auto renewed = reduction_.receive(now, local(from), std::move(sum), of_sum);
    if (!renewed || !renewed->empty()) {
      effects.emplace_back(Fault{from, "it sent a message out of turn"});
    }
    carry_out(std::move(of_sum), effects);
  }

  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override {
    sums_[bucket] = id;
    ends_[id] = bucket;
    const Cost cost = reduce_cost(bucket_at(bucket).count, std::ssize(addends));
    Job job{id, JobKind::reduce, 0, cost, {}, {}};
    job.bucket = bucket;
    return job;
  }

  // The sum of all goes to the server; to the reduction it is computed when that has answered.
  void added_up(Instant now, JobId job, Effects& effects) {
    const auto end = ends_.find(job);
    if (end == ends_.end()) {
      Effects of_sum;
      reduction_.computed(now, job, of_sum);
      return carry_out(std::move(of_sum), effects);
    }
    if (over_[end->second]) return;
    Send push = pushes_[end->second];
    if (compression_.wanted()) {
      effects.emplace_back(Worked{compress_cost(compression_, bucket_at(end->second).count)});
      push.message.payload = compress(compression_, push.message.payload, {});
    }
    effects.emplace_back(std::move(push));
  }

  Payload finished(std::uint32_t bucket, Effects& /*effects*/) override {
    return answers_[bucket].payload;
  }

  // What a server says, or one of the host has heard of it: others of the host first, then its
  // program.
  void take(Instant now, NodeId from, Message message, Effects& effects) {
    const std::uint32_t bucket = message.bucket;
    if (over_[bucket]) return;
    over_[bucket] = is_last(message);
    if (bucket == 0) reduction_.begin();
    if (message.kind == MessageKind::stop) {
      pass_on(message, effects);
    } else {
      answers_[bucket] = message;
      renew(now, from, message, effects);
    }
    tell(now, Received{training_->server(bucket_at(bucket).shard), std::move(message)}, effects);
  }

  void renew(Instant now, NodeId from, Message values, Effects& effects) {
    Effects of_sum;
    if (training_->is_worker(from)) {
      values.kind = MessageKind::parameters;
      values.step = reduction_.rounds_of(values.bucket);
      const auto renewed = reduction_.receive(now, local(from), std::move(values), of_sum);
      if (!renewed || renewed->empty()) {
        effects.emplace_back(Fault{from, "it sent a message out of turn"});
      }
    } else {
      reduction_.computed(now, sums_[values.bucket], of_sum);
    }
    carry_out(std::move(of_sum), effects);
  }

  // Last values of a bucket whose sum is under way, or not begun: they come the way of all values,
  // behind those of the step before.
  void pass_on(const Message& message, Effects& effects) const {
    const Route route(*of_a_host_, of_a_host_->layout->buckets[message.bucket],
                      static_cast<int>(place_));
    for (std::size_t i = 0; i < route.targets(); ++i) {
      effects.emplace_back(Send{members_[static_cast<std::size_t>(route.target(i))], message});
    }
  }

  // Values go on with what the server says of them. That they are put in their place costs the
  // program, which tells that itself.
  void carry_out(Effects of_sum, Effects& effects) const {
    for (Effect& effect : of_sum) {
      if (std::holds_alternative<Worked>(effect)) continue;
      if (auto* send = std::get_if<Send>(&effect)) {
        send->to = members_[index_of(send->to)];
        if (send->message.kind == MessageKind::parameters) {
          send->message = answers_[send->message.bucket];
        }
      }
      effects.push_back(std::move(effect));
    }
  }

  std::shared_ptr<const Training> training_;
  std::shared_ptr<const Training> of_a_host_;
  std::vector<NodeId> members_;  // workers of the host
  std::size_t place_;            // among them
  Compression compression_;      // of what leaves the host
  std::unique_ptr<Node> program_;
  HeldParameters held_;  // sizes
  RoutedReduction reduction_;
  std::vector<Send> pushes_;             // by bucket: the program's last one
  std::vector<Message> answers_;         // by bucket: the last one
  std::vector<JobId> sums_;              // by bucket that it owns: the job that ends a sum
  std::map<JobId, std::uint32_t> ends_;  // and back
  std::vector<bool> over_;               // by bucket: its last values are here
};

/// A server whose program knows hosts as its workers.
class HostServer : public Node, public Buffering {
 public:
  HostServer(std::shared_ptr<const Training> training, std::shared_ptr<const Training> of_a_host,
             std::shared_ptr<const Training> of_servers, const Hosts& hosts, NodeId id)
      : training_(std::move(training)),
        of_a_host_(std::move(of_a_host)),
        of_servers_(std::move(of_servers)),
        hosts_(hosts),
        known_as_(names(*training_, *of_servers_, hosts_)),
        program_(make_node(of_servers_, known_as(id))),
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
        finished->gradients *= of_a_host_->workers;  // of workers, not of hosts
        finished->dropped *= of_a_host_->workers;
      } else if (auto* fault = std::get_if<Fault>(&effect)) {
        if (fault->peer) fault->peer = called(*fault->peer, 0);
      }
      effects.push_back(std::move(effect));
    }
  }

 private:
  static std::vector<NodeId> names(const Training& training, const Training& of_servers,
                                   const Hosts& hosts) {
    std::vector<NodeId> names(static_cast<std::size_t>(training.nodes()));
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      for (const NodeId worker : hosts[host]) {
        names[index_of(worker)] = of_servers.worker(static_cast<int>(host));
      }
    }
    for (int shard = 0; shard < training.servers; ++shard) {
      names[index_of(training.server(shard))] = of_servers.server(shard);
    }
    return names;
  }
  /// What its program calls node `id`; and who that is, of a host the owner of `bucket` there.
  [[nodiscard]] NodeId known_as(NodeId id) const { return known_as_[index_of(id)]; }
  [[nodiscard]] NodeId called(NodeId known, std::uint32_t bucket) const {
    const auto number = static_cast<std::size_t>(index_of(known));
    if (!of_servers_->is_worker(known)) {
      return training_->server(static_cast<int>(number - hosts_.size()));
    }
    const int owner = of_a_host_->layout->buckets[bucket].shard;
    return hosts_[number][static_cast<std::size_t>(owner)];
  }

  std::shared_ptr<const Training> training_;
  std::shared_ptr<const Training> of_a_host_;
  std::shared_ptr<const Training> of_servers_;
  Hosts hosts_;
  std::vector<NodeId> known_as_;  // by node
  std::unique_ptr<Node> program_;
  const Buffering* holder_;  // the program, where it holds payloads
};

}  // namespace

LocalSum::LocalSum(const std::shared_ptr<const Training>& training,
                   const std::vector<NodePlace>& places)
    : hosts_(hosts_of(*training, places)) {
  FT_CHECK(!training->numerics);
  const std::size_t members = hosts_.front().size();
  for (const auto& host : hosts_) FT_CHECK_OP(host.size(), ==, members);
  auto of_servers = std::make_shared<Training>(*training);
  of_servers->workers = static_cast<int>(hosts_.size());
  auto of_a_host = std::make_shared<Training>(*training);
  of_a_host->workers = static_cast<int>(members);
  of_a_host->servers = 0;
  of_a_host->compression = {};
  of_a_host->options.set(kGroup, std::int64_t{of_a_host->workers});
  of_a_host->layout = std::make_shared<const Layout>(dealt_by_bytes(*training->layout, members));
  auto of_workers = std::make_shared<Training>(*training);
  of_workers->compression = {};
  of_workers->updates_a_step =
      std::max<std::int64_t>(1, training->updates_a_step / of_a_host->workers);
  training_ = std::move(of_workers);
  of_a_host_ = std::move(of_a_host);
  of_servers_ = std::move(of_servers);
}

std::unique_ptr<Node> LocalSum::program_of(NodeId id) const {
  if (!training_->is_worker(id)) {
    return std::make_unique<HostServer>(training_, of_a_host_, of_servers_, hosts_, id);
  }
  const Seated seat = seat_of(hosts_, id);
  return std::make_unique<HostWorker>(training_, of_a_host_, hosts_[seat.host], seat.place,
                                      of_servers_->compression);
}

}  // namespace foretrain::sim
