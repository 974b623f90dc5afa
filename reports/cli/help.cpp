#include "reports/cli/help.h"

#include "models/base/check.h"
#include "reports/cli/completion.h"
#include "reports/cli/man_page.h"
#include "reports/record/text.h"
#include "reports/show/terminal/hardware_table.h"
#include "scenarios/hardware.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace foretrain {
namespace {

/// CLI11's own help, its long lines broken.
class Narrow : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return hang(CLI::Formatter::make_help(app, std::move(name), mode), get_column_width());
  }
};

}  // namespace

void fit_help(CLI::App& app) { app.formatter(std::make_shared<Narrow>()); }

int describe(const Arguments& arguments) {
  FT_CHECK(arguments.program != nullptr);
  const auto commands = describe_commands(*arguments.program);
  std::string text = man_page(commands, FORETRAIN_VERSION);
  if (arguments.form == "bash") text = bash_completion(commands);
  if (arguments.form == "zsh") text = zsh_completion(commands);
  if (arguments.form == "fish") text = fish_completion(commands);
  if (arguments.form == "hardware") text = hardware_table(library_hosts());
  fmt::print("{}", text);
  return kDone;
}

}  // namespace foretrain
