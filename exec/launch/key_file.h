// Where the tasks of a run have their job key from.
#pragma once

#include "exec/launch/task.h"
#include "exec/transport/job_key.h"

#include <filesystem>
#include <string>

namespace foretrain::exec {

/// The key that the user gave: `file`, else the file that FORETRAIN_JOB_KEY_FILE names, else
/// FORETRAIN_JOB_KEY; empty where there is none. White space around it is none of it.
/// @throws InputError (no such file, a key that is too short to be a secret)
JobKey read_job_key(const std::string& file, const Environment& environment);

/// A key that this user's processes share, and nobody else: for tasks on loopback that were given
/// none. The first that asks draws it, into `folder`. Empty where nothing can be kept there.
/// @throws InputError (others can read it)
JobKey read_user_key(const std::filesystem::path& folder);

/// How to make a key, for whoever is told to.
extern const char* const kMakeKey;

}  // namespace foretrain::exec
