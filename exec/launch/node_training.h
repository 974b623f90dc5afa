// A training from one node's view: from the data to the report of its end.
#pragma once

#include "exec/checkpoint/node_part.h"
#include "exec/driver/node_driver.h"
#include "exec/usage/usage_sampler.h"
#include "reports/record/input_row.h"
#include "scenarios/resolve/prepared.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Drives the node's program (node_driver.h), and reports to the launcher: rows ten times a second,
/// parts of checkpoints, totals at the end. On the thread of the loop.
class NodeTraining {
 public:
  /// Callbacks to the process around it.
  struct Hooks {
    std::function<void(const Finished&)> finished;
    std::function<void(const Fault&)> fault;
  };

  /// Reads or draws the data that `setup` (control.h) specifies.
  /// @throws what parsing and `prepare` throw
  NodeTraining(boost::asio::io_context& loop, NodeId id, std::shared_ptr<Connection> launcher,
               const nlohmann::json& setup);

  /// Makes the program, restored from its part of a checkpoint if there is one. @throws PartError
  void begin(const nlohmann::json& setup, Hooks hooks);
  /// All nodes are ready. `now`: by the training's clock.
  void go(Instant now);
  /// Sends the rows since the last flush.
  void flush();
  /// Removes the node's parts of the checkpoints before `cut`.
  void remove_before(std::int64_t cut);
  /// Saves the weights, reports totals. @throws InputError if the weights cannot be saved
  void finish(const Finished& finished, const std::string& congestion_control,
              std::int64_t refused);
  /// Stops reporting.
  void end() { over_ = true; }
  /// As `end`; also stops the inputs of the program.
  void halt();
  void stop();  ///< closes the connections with peers

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] NodeDriver& driver() { return *driver_; }
  [[nodiscard]] const Scenario& scenario() const { return prepared_.scenario_case.scenario; }
  [[nodiscard]] const std::shared_ptr<const Training>& training() const {
    return prepared_.training;
  }
  [[nodiscard]] bool computing() const { return driver_ && driver_->computing(); }
  /// The memory that the node needs, as a part of a sentence.
  [[nodiscard]] std::string need() const;

 private:
  void report(const Report& report);
  void tell_kept(const WrittenPart& written);
  void flush_later();

  boost::asio::io_context& loop_;
  NodeId id_;
  std::shared_ptr<Connection> launcher_;
  Prepared prepared_;
  NodePart part_;          // the node's part of checkpoints
  std::string interface_;  // network interface of the emulated host; else empty
  std::string save_;       // path for the chief's weights; empty if not saved
  std::unique_ptr<NodeDriver> driver_;
  bool over_ = false;  // finished, or given up
  boost::asio::steady_timer flush_timer_;
  UsageSampler sampler_;
  std::vector<InputRow> inputs_;
  std::vector<StepReport> steps_;
  std::vector<EvalReport> evals_;
};

}  // namespace foretrain::exec
