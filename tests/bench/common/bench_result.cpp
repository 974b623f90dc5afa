#include "tests/bench/common/bench_result.h"

#include "reports/record/statistics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace foretrain::bench {
namespace {

using Object = nlohmann::ordered_json;

constexpr int kFormat = 1;
const char* const kFormatKey = "foretrain_bench";

Object object_of(const Result& result) {
  Object object{{"name", result.name},
                {"unit", result.unit},
                {"better", result.better == Better::more ? "more" : "less"},
                {"median", result.figure},
                {"rounds", result.rounds}};
  if (result.spread) object["spread"] = *result.spread;
  if (result.peer_figure) {
    object["peer"] = result.peer;
    object["peer_median"] = *result.peer_figure;
  }
  if (!result.note.empty()) object["note"] = result.note;
  return object;
}

Better better_of(const std::string& word) {
  if (word == "more") return Better::more;
  if (word == "less") return Better::less;
  throw std::runtime_error("better: " + word + ", which is neither more nor less");
}

Result row_of(const Object& object) {
  Result result;
  result.name = object.at("name").get<std::string>();
  result.unit = object.at("unit").get<std::string>();
  result.better = better_of(object.at("better").get<std::string>());
  result.figure = object.at("median").get<double>();
  result.rounds = object.at("rounds").get<int>();
  if (object.contains("spread")) result.spread = object.at("spread").get<double>();
  if (object.contains("peer")) {
    result.peer = object.at("peer").get<std::string>();
    result.peer_figure = object.at("peer_median").get<double>();
  }
  result.note = object.value("note", "");
  return result;
}

}  // namespace

Result result_of(const std::string& name, const std::string& unit, Better better,
                 const std::vector<double>& figures) {
  Result result;
  result.name = name;
  result.unit = unit;
  result.better = better;
  result.figure = median(figures).value();
  result.rounds = static_cast<int>(figures.size());
  result.spread = relative_spread(figures);
  return result;
}

void set_peer(Result& result, const std::string& peer, const std::vector<double>& figures) {
  if (figures.empty()) return;
  result.peer = peer;
  result.peer_figure = median(figures);
}

double times_better(Better better, double figure, double other) {
  return better == Better::more ? figure / other : other / figure;
}

std::optional<double> ratio_of(const Result& result) {
  if (!result.peer_figure) return {};
  return times_better(result.better, result.figure, *result.peer_figure);
}

std::string figure_text(double figure) {
  const double size = std::abs(figure);
  if (size >= 10'000) return fmt::format("{:.0f}", figure);
  if (size >= 100) return fmt::format("{:.1f}", figure);
  return size >= 1 ? fmt::format("{:.3f}", figure) : fmt::format("{:.4f}", figure);
}

std::string to_json(const Results& results) {
  Object rows = Object::array();
  for (const Result& row : results.rows) rows.push_back(object_of(row));
  const Object all{{kFormatKey, kFormat},
                   {"build", results.program.build},
                   {"date", results.program.date},
                   {"host", results.program.host},
                   {"processor", results.program.processor},
                   {"command", results.program.command},
                   {"kernel_set", results.kernel_set},
                   {"remarks", results.remarks},
                   {"rows", rows}};
  return all.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

Results results_of(const std::string& text, const std::string& place) {
  try {
    const Object all = Object::parse(text);
    if (all.at(kFormatKey).get<int>() != kFormat) throw std::runtime_error("another format");
    Results results;
    results.program = {all.at("build").get<std::string>(), all.at("date").get<std::string>(),
                       all.at("host").get<std::string>(),
                       all.at("command").get<std::vector<std::string>>(),
                       all.at("processor").get<std::string>()};
    results.kernel_set = all.at("kernel_set").get<std::string>();
    results.remarks = all.at("remarks").get<std::vector<std::string>>();
    for (const Object& row : all.at("rows")) results.rows.push_back(row_of(row));
    return results;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: not what --json writes: {}", place, error.what()));
  }
}

Results read_results(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  return results_of({std::istreambuf_iterator<char>(stream), {}}, file);
}

}  // namespace foretrain::bench
