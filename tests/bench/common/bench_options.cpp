#include "tests/bench/common/bench_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

namespace foretrain::bench {
namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

template <class Number>
Number above_zero(const std::string& option, const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && number > Number{}) return number;
  throw std::runtime_error(fmt::format("{} {}: not a{} number above zero", option, text,
                                       std::is_integral_v<Number> ? " whole" : ""));
}

void check_only(const std::vector<std::string>& only, const std::vector<std::string>& names) {
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw std::runtime_error(fmt::format("--only {}: there are {}", name, fmt::join(names, ", ")));
  }
}

void set_value(Options& options, const std::string& option, const std::string& value) {
  if (option == "--only") {
    options.only = split_at_commas(value);
  } else if (option == "--threads") {
    options.threads.clear();
    for (const std::string& number : split_at_commas(value)) {
      options.threads.push_back(above_zero<int>(option, number));
    }
  } else if (option == "--rounds") {
    options.rounds = above_zero<int>(option, value);
  } else if (option == "--seconds") {
    options.seconds = above_zero<double>(option, value);
  } else if (option == "--workers") {
    options.workers = above_zero<int>(option, value);
  } else {
    throw std::logic_error(option + ": a part says that it takes it, nobody reads it");
  }
}

}  // namespace

bool Options::wants(std::string_view name) const {
  return only.empty() || std::ranges::find(only, name) != only.end();
}

Options read_options(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& known, const std::vector<std::string>& names,
                     Options begin) {
  Options options = std::move(begin);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (std::ranges::find(known, option) == known.end()) {
      throw std::runtime_error(
          fmt::format("{}: no such option; there are {}", option, fmt::join(known, ", ")));
    }
    if (option == "--smoke") {
      options.smoke = true;
    } else if (option == "--peer") {
      options.peer = true;
    } else if (i + 1 == arguments.size()) {
      throw std::runtime_error(option + " needs a value");
    } else {
      set_value(options, option, arguments[++i]);
    }
  }
  check_only(options.only, names);
  if (options.smoke) options.rounds = 1;
  return options;
}

}  // namespace foretrain::bench
