// The job key of a run's tasks.
#pragma once

#include "exec/launch/task.h"
#include "exec/transport/job_key.h"

#include <filesystem>
#include <string>

namespace foretrain::exec {

/// The key that the user gave: `file`, else the file named by FORETRAIN_JOB_KEY_FILE, else
/// FORETRAIN_JOB_KEY; empty if there is none. Surrounding white space is ignored.
/// @throws InputError (no such file, a key that is too short to be a secret)
JobKey read_job_key(const std::string& file, const Environment& environment);

/// A key that only this user's processes share: for tasks on loopback without a given key. The
/// first caller creates it in `folder`. Empty if nothing can be stored there.
/// @throws InputError (others can read it)
JobKey read_user_key(const std::filesystem::path& folder);

/// Advice on making a key.
extern const char* const kMakeKey;

}  // namespace foretrain::exec
