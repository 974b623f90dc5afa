// How a computation borrows threads without knowing any.
#pragma once

#include <functional>

namespace foretrain {

/// Runs the parts of one piece of work, side by side where there are threads for it.
///
/// What a part computes depends on its number alone, and work is cut by its shape, never by
/// `threads()`: so results are the same bits with any number of threads.
class Parallel {
 public:
  virtual ~Parallel() = default;

  [[nodiscard]] virtual int threads() const = 0;
  /// Calls `part(0)` to `part(parts - 1)`, each once, in any order, on any threads; returns when
  /// all are done. Not to be called from within a part.
  virtual void run(int parts, const std::function<void(int)>& part) = 0;
};

/// One after another, on the calling thread.
class Serial : public Parallel {
 public:
  [[nodiscard]] int threads() const override { return 1; }
  void run(int parts, const std::function<void(int)>& part) override {
    for (int i = 0; i < parts; ++i) part(i);
  }
};

}  // namespace foretrain
