// The words on the command line about how nodes of a training for real are started.
#pragma once

#include "reports/cli/arguments.h"

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretrain {

/// The secret of tasks that another launcher starts.
CLI::Option* add_job_key(CLI::App& command, Arguments& arguments);
/// That, the launcher's port, networks that stand for hosts.
void add_training(CLI::App& command, Arguments& arguments);
/// Encryption between nodes.
void add_tls(CLI::App& command, Arguments& arguments);
/// Hosts on which nodes are started through ssh; behind add_training.
void add_hosts(CLI::App& command, Arguments& arguments);
/// Says why a command does not take --tls: its forecast knows no encryption, a comparison would
/// blame it for that.
void refuse_tls(CLI::App& command);

}  // namespace foretrain
