// Tables of what a gradient took at which batch size.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// What gradients took, s: by examples of the batch, at least one time each.
using BatchTimes = std::map<int, std::vector<double>>;

/// Reads a table of comma-separated values, as somebody measured another system:
///
///     batch_size,seconds
///     32,0.0121
///     64,0.0204
///
/// The first line names the columns, in any order; others than these two are not looked at. A row
/// is one measurement: a batch size may have several. Blank lines and those that begin with `#` are
/// passed over.
/// @throws DataError that names file, line (no such file, a column that is missing, rows of another
/// length than the first, a batch size that is not 1 to 10,000,000, a time that is not above 0 and
/// up to 1e6 s), or says that there is no row
BatchTimes read_batch_times(const std::string& path);

}  // namespace foretrain
