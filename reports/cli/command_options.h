// The words of each subcommand on the command line.
#pragma once

#include "reports/cli/arguments.h"

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretrain {

// Each declares the options of one subcommand; parsing then fills `arguments`, which has to live as
// long as `command`.

void run_options(CLI::App& command, Arguments& arguments);
void simulate_options(CLI::App& command, Arguments& arguments);
void validate_options(CLI::App& command, Arguments& arguments);
void whatif_options(CLI::App& command, Arguments& arguments);
void evaluate_options(CLI::App& command, Arguments& arguments);
void sweep_options(CLI::App& command, Arguments& arguments);
void import_options(CLI::App& command, Arguments& arguments);
void check_options(CLI::App& command, Arguments& arguments);
void report_options(CLI::App& command, Arguments& arguments);
void calibrate_options(CLI::App& command, Arguments& arguments);
void data_options(CLI::App& command, Arguments& arguments);
void serve_options(CLI::App& command, Arguments& arguments);
void describe_options(CLI::App& command, Arguments& arguments);
void new_options(CLI::App& command, Arguments& arguments);
void examples_options(CLI::App& command, Arguments& arguments);

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
