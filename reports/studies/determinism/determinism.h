// Whether the same training comes out as the same bytes.
#pragma once

#include "reports/record/record.h"

#include <functional>
#include <string>

namespace foretrain {

/// Where the files of two records first differ, as a sentence with both lines; empty where they
/// are equal byte by byte.
std::string first_difference(const Record& first, const Record& second);

struct Replayed {
  bool as_recorded = true;  ///< false: the weights differ, and should not
  std::string sentence;
};

/// What a replay's weights say of the record that it is of.
Replayed compare_weights(const Record& recorded, const Record& replayed);

struct Twins {
  Record record;           ///< the first
  std::string difference;  ///< empty: the second is the same
};

/// Simulates a case twice. The second time it runs on a thread of its own, whose allocations come
/// from another part of memory, with holes in it: a sum or an order that depends on an address
/// comes out otherwise.
Twins simulate_twice(const Case& scenario_case, const std::function<Record(const Case&)>& simulate);

/// What they say, as a sentence.
std::string verdict(const Twins& twins);

}  // namespace foretrain
