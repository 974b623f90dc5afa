// What was learned, kept in a file.
#pragma once

#include "models/networks/network.h"
#include "models/protocol/node.h"

#include <filesystem>

namespace foretrain::exec {

/// Writes the weights of the chief, which has all of them; of another node, and where `path` is
/// empty, nothing. The file appears whole. @throws InputError where it cannot be written
void keep_weights(const std::filesystem::path& path, const Network& network,
                  const Finished& finished);

/// Refuses a place that cannot be written before anything is trained. @throws InputError
void check_kept(const std::filesystem::path& path);

}  // namespace foretrain::exec
