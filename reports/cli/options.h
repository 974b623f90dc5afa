// The words of each subcommand on the command line.
#pragma once

#include "reports/cli/arguments.h"

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
}

namespace foretrain {

// Each declares the options of one subcommand; parsing then fills `arguments`, which has to live as
// long as `command`.

void run_options(CLI::App& command, Arguments& arguments);
void simulate_options(CLI::App& command, Arguments& arguments);
void validate_options(CLI::App& command, Arguments& arguments);
void whatif_options(CLI::App& command, Arguments& arguments);
void evaluate_options(CLI::App& command, Arguments& arguments);
void ledger_options(CLI::App& command, Arguments& arguments);
void sweep_options(CLI::App& command, Arguments& arguments);
void import_options(CLI::App& command, Arguments& arguments);
void check_options(CLI::App& command, Arguments& arguments);
void report_options(CLI::App& command, Arguments& arguments);
void calibrate_options(CLI::App& command, Arguments& arguments);
void data_options(CLI::App& command, Arguments& arguments);
void serve_options(CLI::App& command, Arguments& arguments);
void describe_options(CLI::App& command, Arguments& arguments);
void examples_options(CLI::App& command, Arguments& arguments);

}  // namespace foretrain
