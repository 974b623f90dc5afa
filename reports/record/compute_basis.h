// What the times of a forecast's gradients were taken from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Of hosts that have workers, those of one kind together.
struct ComputeBasis {
  enum class From : std::uint8_t {
    calibrated,  ///< a machine that somebody measured
    written,     ///< a machine file by hand
    described,   ///< FLOPs and bandwidth of a data sheet
    given,       ///< `compute:` of the scenario
    profile,     ///< times of layers, measured somewhere, or their shares of `of`
  };

  From from = From::calibrated;
  std::string of{};      ///< what the machine is called; of `given`: the time, 20 ms; of `profile`:
                         ///< what the host's device was measured to train (measured_networks.h)
  std::string date{};    ///< of the calibration, 2026-11-25; empty: it does not say
  double spread = 0;     ///< of its repetitions of a gradient (Measurement::spread); 0: not known
  double jitter = 0;     ///< standard deviation of the logarithm of a gradient's time; 0: none
  bool unasked = false;  ///< the hosts say nothing of their compute: a core of this machine stands
                         ///< for theirs
  std::vector<std::string> hosts{};  ///< as the scenario names them; none: it lists no hosts
  double others_used = 0;  ///< share of the machine that others had while it was calibrated: it is
                           ///< noisy then; 0: it was idle

  bool operator==(const ComputeBasis&) const = default;
};

/// calibrated, written, described, given, profile.
std::string_view name_of(ComputeBasis::From from);

}  // namespace foretrain
