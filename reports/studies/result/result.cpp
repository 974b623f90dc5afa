#include "reports/studies/result/result.h"

#include "reports/record/json_object.h"
#include "reports/record/record_csv.h"
#include "reports/record/wrapped_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string_view>

namespace foretrain {
namespace {

/// A column of words accepts any value; other columns need a number.
ResultValue value_in(const JsonObject& object, const std::string& name, ResultColumn::Kind kind) {
  using Kind = ResultColumn::Kind;
  const auto dot = name.find('.');
  const std::string key = name.substr(0, dot);
  if (!object.has(key.c_str())) return {};
  if (dot != std::string::npos)
    return value_in(object.object(key.c_str()), name.substr(dot + 1), kind);
  const nlohmann::ordered_json& value = object.at(key.c_str());
  if (kind != Kind::words && kind != Kind::comment && kind != Kind::note) {
    return object.number(key.c_str());
  }
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return value.get<double>();
  return object.text(key.c_str());
}

}  // namespace

ResultValue result_value(std::optional<double> number) {
  return number ? ResultValue(*number) : ResultValue();
}

void add_row(ResultTable& table, const JsonObject& object, const char* good) {
  ResultRow& row = table.rows.emplace_back();
  for (const ResultColumn& column : table.columns) {
    row.values.push_back(value_in(object, column.name, column.kind));
  }
  const ResultValue judged =
      good == nullptr ? ResultValue() : value_in(object, good, ResultColumn::Kind::words);
  if (const auto* words = std::get_if<std::string>(&judged)) row.good = *words == "yes";
}

void add_rows(ResultTable& table, const std::vector<JsonObject>& objects) {
  for (const JsonObject& object : objects) add_row(table, object);
}

std::string time_text(double time_s) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (time_s >= kHour) return figure(time_s / kHour) + " h";
  return time_s >= kMinute ? figure(time_s / kMinute) + " min" : figure(time_s) + " s";
}

std::string cell_text(const ResultValue& value, ResultColumn::Kind kind) {
  constexpr double kPerCent = 100;
  if (const auto* words = std::get_if<std::string>(&value)) return words->empty() ? "-" : *words;
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return "-";
  if (kind == ResultColumn::Kind::count) return grouped(static_cast<std::int64_t>(*number));
  if (kind == ResultColumn::Kind::share) return fmt::format("{:.1f} %", *number * kPerCent);
  if (kind == ResultColumn::Kind::change) return signed_percent(*number);
  if (kind == ResultColumn::Kind::time) return time_text(*number);
  return figure(*number);
}

std::string to_csv(const ResultTable& table) {
  std::vector<std::string_view> names;
  names.reserve(table.columns.size());
  for (const ResultColumn& column : table.columns) names.emplace_back(column.name);
  CsvWriter csv(names);
  for (const ResultRow& row : table.rows) {
    for (const ResultValue& value : row.values) {
      if (const auto* words = std::get_if<std::string>(&value)) {
        csv.text(*words);
      } else if (const auto* number = std::get_if<double>(&value)) {
        csv.number(*number);
      } else {
        csv.empty();
      }
    }
    csv.end_row();
  }
  return std::string(csv.written());
}

nlohmann::ordered_json to_json(const Result& result) {
  using Json = nlohmann::ordered_json;
  Json json{{"sentence", result.sentence}, {"stands_on", result.stands_on}};
  if (!result.notes.empty()) json["notes"] = result.notes;
  for (const ResultTable& table : result.tables) {
    Json& rows = json[table.name] = Json::array();
    for (const ResultRow& row : table.rows) {
      Json& object = rows.emplace_back(Json::object());
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto set = [&](const auto& value) { object[table.columns[i].name] = value; };
        const ResultValue& value = row.values.at(i);
        if (const auto* words = std::get_if<std::string>(&value)) {
          set(*words);
        } else if (const auto* number = std::get_if<double>(&value)) {
          const bool counts = table.columns[i].kind == ResultColumn::Kind::count;
          counts ? set(static_cast<std::int64_t>(*number)) : set(*number);
        } else {
          set(nullptr);
        }
      }
    }
  }
  return json;
}

}  // namespace foretrain
