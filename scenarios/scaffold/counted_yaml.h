// Scaffolds of counted networks.
#pragma once

#include "scenarios/scaffold/scaffold.h"

#include <string>

namespace foretrain {

/// A text as a YAML value.
std::string in_yaml(const std::string& text);

/// `model` names a config.json, not a network of the library.
bool is_config(const std::string& model);

/// @throws InputError if an answer does not suit a counted network; a missing answer is valid
void check_counted(const Scaffold& scaffold);

/// The scenario of a counted network below its `header`: it trains with Adam on all devices.
/// Activations are recomputed only as far as the memory of the devices requires; the batch is as
/// large as fits, up to a number of tokens.
std::string counted_yaml(const Scaffold& scaffold, const std::string& header);

}  // namespace foretrain
