// What a recorded training had to wait for, as far as its steps say.
#pragma once

#include "reports/record/summary.h"

#include <optional>

namespace foretrain {

/// Of a training whose workers go in step: of each step the phases of the worker that waited least,
/// which the others waited for, s a step in the mean. Its remaining wait is that for the server.
/// Nothing where workers do not wait for each other, or the record has no rows.
///
/// Realism: a server that is late with one bucket, a step that begins before the last one is whole
/// for everybody are not told apart. The critical path of a simulation does.
std::optional<PhaseSeconds> recorded_path(const Record& record);

}  // namespace foretrain
