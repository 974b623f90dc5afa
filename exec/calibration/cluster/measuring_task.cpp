#include "exec/calibration/cluster/measuring_task.h"

#include "exec/calibration/cluster/orders.h"
#include "exec/driver/event_loop.h"
#include "exec/launch/rendezvous.h"
#include "exec/system/processor.h"
#include "reports/record/record.h"
#include "reports/record/tell_people.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <exception>
#include <utility>

namespace foretrain::exec {

MeasuringTask::MeasuringTask(const Joining& joining, std::vector<Case> cases,
                             CalibrateOptions options)
    : joining_(joining),
      cases_(std::move(cases)),
      options_(std::move(options)),
      join_(
          loop_, joining_,
          [this](const std::shared_ptr<Connection>& lead, const boost::asio::ip::address& here) {
            on_joined(lead, here);
          },
          [this](const std::string& why) { end_alone(why); }) {}

int MeasuringTask::run() {
  while (!loop_.stopped()) {
    try {
      run_polling(loop_, poll_, [] { return false; });
    } catch (const std::exception& error) {
      give_up(error.what());
    }
  }
  return exit_status_;
}

void MeasuringTask::on_joined(const std::shared_ptr<Connection>& lead,
                              const boost::asio::ip::address& here) {
  lead_ = lead;
  lead->start(
      [this](const FrameHeader& header, const Payload& payload) { on_frame(header, payload); },
      [this](const std::string& why) { end_alone("lost rank 0, which leads: " + why); });
  link_.emplace(loop_, poll_, joining_.known.key, index_of(joining_.id), here,
                [this](const std::string& why) { give_up(why); });
  answer({{"host", host_name()}, {"address", here.to_string()}, {"port", link_->port()}});
}

void MeasuringTask::on_frame(const FrameHeader& header, const Payload& payload) {
  const auto kind = static_cast<ControlKind>(header.kind);
  if (kind == ControlKind::exit) {
    if (text_of(payload) == name_of(Outcome::done)) exit_status_ = 0;
    if (text_of(payload) == name_of(Outcome::failed)) {
      tell_people(fmt::format("error: rank {}: the calibration failed; rank 0 says why\n",
                              index_of(joining_.id)));
    }
    return loop_.stop();
  }
  if (kind != ControlKind::measure) return;
  try {
    obey(json_of(payload));
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void MeasuringTask::obey(const nlohmann::json& order) {
  const std::string what = order.at("do");
  if (what == "call") {
    return link_->call(link_place_of(order.at("there")), order.at("rounds"), [this](Duration time) {
      answer({{"round_trip_ns", time.ns}});
    });
  }
  if (what == "count") {
    return link_->count(link_load_of(order.at("load")), Duration{order.at("warm_ns")},
                        Duration{order.at("time_ns")}, [this](double bytes_ps) {
                          answer({{"bytes_ps", bytes_ps}});
                        });
  }
  if (what == "compute") return measure_compute();
  if (what == "load") link_->load(link_place_of(order.at("there")), link_load_of(order.at("load")));
  if (what == "stop") link_->stop();
  answer(nlohmann::json::object());
}

// Nothing else is done meanwhile: whoever leads waits.
void MeasuringTask::measure_compute() {
  const Machine machine = calibrate(cases_, options_);
  answer({{"machine", to_yaml(machine)}, {"processor", to_json(this_processor())}});
}

void MeasuringTask::answer(const nlohmann::json& found) {
  send_json(*lead_, ControlKind::measured, joining_.id, found);
}

void MeasuringTask::give_up(const std::string& why) {
  if (!lead_) return end_alone(why);
  send_json(*lead_, ControlKind::trouble, joining_.id, {{"why", why}});
}

// Nobody is left to be told but who reads standard error.
void MeasuringTask::end_alone(const std::string& why) {
  tell_people(fmt::format("error: rank {}: {}\n", index_of(joining_.id), why));
  exit_status_ = 1;
  loop_.stop();
}

}  // namespace foretrain::exec
