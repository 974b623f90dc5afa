// Scalars of a file: reading, writing, schema.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/protocol/checkpoint_rule.h"
#include "scenarios/language/field.h"
#include "scenarios/language/money.h"
#include "scenarios/language/value.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A number of steps, `100`, or of examples, `5000 examples`.
struct StepsOrExamples {
  std::int64_t count = 0;
  bool examples = false;

  bool operator==(const StepsOrExamples&) const = default;
};

// Reads `value`, checked against `rule`. Each throws BadValue (scenarios/language/input_error.h).

void read_value(const Field& rule, const Value& value, bool& member);
void read_value(const Field& rule, const Value& value, int& member);
void read_value(const Field& rule, const Value& value, std::int64_t& member);
void read_value(const Field& rule, const Value& value, std::uint64_t& member);
void read_value(const Field& rule, const Value& value, double& member);
void read_value(const Field& rule, const Value& value, std::string& member);
void read_value(const Field& rule, const Value& value, Bytes& member);
void read_value(const Field& rule, const Value& value, BytesPerSecond& member);
void read_value(const Field& rule, const Value& value, Price& member);
void read_value(const Field& rule, const Value& value, Duration& member);
void read_value(const Field& rule, const Value& value, std::optional<Duration>& member);
void read_value(const Field& rule, const Value& value, std::vector<std::string>& member);
void read_value(const Field& rule, const Value& value, CheckpointRule& member);
void read_value(const Field& rule, const Value& value, StepsOrExamples& member);
/// Reads indices; empty means `all`.
void read_value(const Field& rule, const Value& value, std::vector<int>& member);

// Writes a value as in a file.

Value write_value(const Field& rule, bool member);
Value write_value(const Field& rule, int member);
Value write_value(const Field& rule, std::int64_t member);
Value write_value(const Field& rule, std::uint64_t member);
Value write_value(const Field& rule, double member);
Value write_value(const Field& rule, const std::string& member);
Value write_value(const Field& rule, Bytes member);
Value write_value(const Field& rule, BytesPerSecond member);
Value write_value(const Field& rule, const Price& member);
Value write_value(const Field& rule, Duration member);
Value write_value(const Field& rule, const std::optional<Duration>& member);
Value write_value(const Field& rule, const CheckpointRule& member);
Value write_value(const Field& rule, const StepsOrExamples& member);
Value write_value(const Field& rule, const std::vector<std::string>& member);
Value write_value(const Field& rule, const std::vector<int>& member);

// The JSON schema of a value, for editors.

using Schema = nlohmann::ordered_json;

Schema schema_of(const Field& rule, bool);
Schema schema_of(const Field& rule, int);
Schema schema_of(const Field& rule, std::int64_t);
Schema schema_of(const Field& rule, std::uint64_t);
Schema schema_of(const Field& rule, double);
Schema schema_of(const Field& rule, const std::string&);
Schema schema_of(const Field& rule, Bytes);
Schema schema_of(const Field& rule, BytesPerSecond);
Schema schema_of(const Field& rule, const Price&);
Schema schema_of(const Field& rule, Duration);
Schema schema_of(const Field& rule, const std::optional<Duration>&);
Schema schema_of(const Field& rule, const CheckpointRule&);
Schema schema_of(const Field& rule, const StepsOrExamples&);
Schema schema_of(const Field& rule, const std::vector<std::string>&);
Schema schema_of(const Field& rule, const std::vector<int>&);

}  // namespace foretrain
