// The source of a forecast's gradient times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The source for one kind of hosts with workers.
struct ComputeBasis {
  enum class From : std::uint8_t {
    calibrated,  ///< measurements of the machine
    written,     ///< a machine file that was written by hand
    described,   ///< FLOPs and bandwidth from a data sheet
    given,       ///< `compute:` in the scenario
    profile,     ///< measured times of layers, or their shares in `of`
    fitted,      ///< counted work of layers, on a device that was fitted by measured trainings
    counted,     ///< the same, on a device of which only the data sheet is known
  };

  From from = From::calibrated;
  std::string of{};      ///< name of the machine; given: the time, 20 ms; profile: measured
                         ///< rate of a network on the host's device (measured_networks.h);
                         ///< fitted, counted: the device's peak
  std::string date{};    ///< of the calibration, 2026-11-25; empty: not known
  double spread = 0;     ///< of the repetitions of a gradient (Measurement::spread); 0: not known
  double jitter = 0;     ///< standard deviation of the logarithm of a gradient's time; 0: none
  bool unasked = false;  ///< the hosts do not describe their compute, so a core of this machine is
                         ///< assumed
  std::vector<std::string> hosts{};  ///< their names in the scenario; empty: it lists no hosts
  double others_used = 0;  ///< share of the machine that other programs used during calibration,
                           ///< which is then noisy; 0: idle

  bool operator==(const ComputeBasis&) const = default;
};

/// calibrated, written, described, given, profile, fitted, counted.
std::string_view name_of(ComputeBasis::From from);

}  // namespace foretrain
