// A table of measured gradient times by batch size.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// Gradient times in seconds, keyed by batch size; each batch size has at least one.
using BatchTimes = std::map<int, std::vector<double>>;

/// Reads a table of comma-separated values that was measured on another system:
///
///     batch_size,seconds
///     32,0.0121
///     64,0.0204
///
/// The first line names the columns in any order; columns other than these two are ignored. A row
/// is one measurement; a batch size may have several. Blank lines and lines that begin with `#` are
/// skipped.
/// @throws DataError that names file and line: no such file, a missing column, a row whose length
/// differs from the first, a batch size outside 1 to 10,000,000, a time not above 0 or above 1e6 s.
/// Also if there is no row
BatchTimes read_batch_times(const std::string& path);

}  // namespace foretrain
