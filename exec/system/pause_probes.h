// Looks at the cores of a training while it goes on, at pauses that its nodes have anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain::exec {

/// Memory that a launcher shares with the nodes that it starts on this machine. A node that has
/// evaluated, while others wait for it, looks how fast its core is, by a few pieces of the
/// reference kernel, and how far another core is: whoever polls there at this moment hands a cache
/// line to and fro with it. Nobody is disturbed who computes; where all do, nothing is known of the
/// distance.
///
/// Looks before and after a training miss what a virtual machine does in between: its cores move,
/// and each takes half as long again for seconds.
///
/// A look takes some 300 us, none comes within kPause of the last one, nor within a hundredth of
/// the time that the nodes have been at it: 0.3 % of a training at most.
class PauseProbes {
 public:
  struct Sample {
    double reference_s = 0;  ///< the reference kernel on the chief's core (reference_kernel.h)
    double handover_s = 0;   ///< of a cache line, to another core and back, half; 0: nobody polled
  };
  static constexpr double kPause_s = 0.1;
  static constexpr std::size_t kMostSamples = 512;

  /// The launcher's, for so many nodes. @throws std::system_error
  explicit PauseProbes(std::size_t nodes);
  PauseProbes(const PauseProbes&) = delete;
  PauseProbes& operator=(const PauseProbes&) = delete;
  ~PauseProbes();

  /// Inherited by the processes that are started while this lives.
  [[nodiscard]] int descriptor() const { return file_; }
  /// A node's, by that descriptor, which stays open; null if it is none.
  static std::unique_ptr<PauseProbes> of_descriptor(int descriptor);

  /// `node` polls on the core where the calling thread is now, and stays there.
  void join(std::size_t node);
  /// Whoever polls calls it between two looks at its sockets: one load, unless it is asked.
  void answer(std::size_t node) {
    if (asked(node)) hand_back(node);
  }
  /// A pause of `node`.
  void look(std::size_t node);

  /// What was seen so far. Any process, at any time.
  [[nodiscard]] std::vector<Sample> samples() const;

 private:
  struct Seat;
  struct Page;

  /// Of the file that is mapped, which holds `nodes` seats; it is closed with this, as a copy.
  PauseProbes(int file, std::size_t nodes);
  void map();
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool asked(std::size_t node) const;
  void hand_back(std::size_t node);
  [[nodiscard]] double handover_from(std::size_t node);

  int file_ = -1;
  std::size_t nodes_ = 0;
  Page* page_ = nullptr;
  Seat* seats_ = nullptr;
  std::size_t next_ = 0;  // who is asked next
};

}  // namespace foretrain::exec
