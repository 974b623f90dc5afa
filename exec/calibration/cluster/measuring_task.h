// A task's part in measuring a cluster.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/cluster/link_end.h"
#include "exec/launch/control.h"
#include "exec/launch/joining.h"

#include <boost/asio/io_context.hpp>
#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Does what the lead (lead.h) orders, until that says exit, or is gone. One thread.
class MeasuringTask {
 public:
  /// `cases`: whose models are measured.
  MeasuringTask(const Joining& joining, std::vector<Case> cases, CalibrateOptions options);

  /// Returns the exit status: 0 where all was measured, else 1.
  int run();

 private:
  void on_joined(const std::shared_ptr<Connection>& lead, const boost::asio::ip::address& here);
  void on_frame(const FrameHeader& header, const Payload& payload);
  void obey(const nlohmann::json& order);
  void measure_compute();
  void answer(const nlohmann::json& found);
  void give_up(const std::string& why);
  void end_alone(const std::string& why);

  boost::asio::io_context loop_{1};
  Joining joining_;
  std::vector<Case> cases_;
  CalibrateOptions options_;
  std::shared_ptr<Connection> lead_;
  Duration poll_;
  std::optional<LinkEnd> link_;
  Join join_;
  int exit_status_ = 1;
};

}  // namespace foretrain::exec
