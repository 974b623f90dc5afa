#include "reports/commands/help.h"

#include "reports/terminal/text.h"

#include <CLI/CLI.hpp>

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

}  // namespace foretrain
