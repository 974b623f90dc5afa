// The interface by which a computation uses threads of its caller.
#pragma once

#include <functional>

namespace foretrain {

/// Runs the parts of one piece of work, in parallel if there are threads for it.
///
/// The result of a part depends on its number alone, and work is cut by its shape, never by
/// `threads()`: so results have the same bits with any number of threads.
class Parallel {
 public:
  virtual ~Parallel() = default;

  [[nodiscard]] virtual int threads() const = 0;
  /// Calls `part(0)` to `part(parts - 1)`, each once, in any order, on any threads; returns when
  /// all are done. Must not be called from within a part.
  virtual void run(int parts, const std::function<void(int)>& part) = 0;
};

/// Runs the parts one after another on the calling thread.
class Serial : public Parallel {
 public:
  [[nodiscard]] int threads() const override { return 1; }
  void run(int parts, const std::function<void(int)>& part) override {
    for (int i = 0; i < parts; ++i) part(i);
  }
};

}  // namespace foretrain
