#include "reports/record/parse_json.h"

#include "scenarios/input_error.h"
#include "scenarios/json_nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

/// Where each key of an object is. The object itself looks for one among all: that is quicker of a
/// few keys, and takes a second of 20,000.
class KeyPlaces {
 public:
  /// The place of `key` in `members`, which gets it at its end where it has none yet.
  std::size_t of(const std::string& key, Json::object_t& members) {
    if (members.size() < kMostLookedThrough) {
      const auto found = std::ranges::find(members, key, &Json::object_t::value_type::first);
      if (found != members.end()) return static_cast<std::size_t>(found - members.begin());
    } else {
      if (places_.empty()) {
        for (const auto& [name, value] : members) places_.emplace(name, places_.size());
      }
      const auto [found, added] = places_.emplace(key, members.size());
      if (!added) return found->second;
    }
    members.emplace_back(key, Json());
    return members.size() - 1;
  }

 private:
  static constexpr std::size_t kMostLookedThrough = 32;
  std::unordered_map<std::string, std::size_t> places_;  // of all keys, or of none
};

/// Makes the value that a parser tells of. Of a key that comes twice the last value counts, at the
/// place of the first, as in the library's own.
class ValueBuilder : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(root_); }
  /// A number was the error.
  [[nodiscard]] bool too_large() const { return too_large_; }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string& /*text*/) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t& value) override { return put(std::move(value)); }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    Open& object = open_.back();
    auto& members = object.value->get_ref<Json::object_t&>();
    const auto place = static_cast<std::ptrdiff_t>(object.keys.of(name, members));
    object.member = &(members.begin() + place)->second;
    return true;
  }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    too_large_ = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    return false;
  }

 private:
  struct Open {
    Json* value;
    Json* member = nullptr;  // of an object: of its last key
    KeyPlaces keys{};
  };

  Json* place() {
    if (open_.empty()) return &root_;
    Open& last = open_.back();
    return last.value->is_array() ? &last.value->emplace_back() : last.member;
  }
  bool put(Json value) {
    *place() = std::move(value);
    return true;
  }
  bool open(Json empty) {
    Json* value = place();
    *value = std::move(empty);
    open_.push_back({.value = value});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Open> open_;  // outermost first; nothing is added to one while another is in it
  bool too_large_ = false;
};

/// At which line the parser stops. Not all of its exceptions say it: a stream does.
std::size_t line_of_error(std::string_view text) {
  std::istringstream stream{std::string(text)};
  if (Json::accept(stream)) return 1;
  const std::streamoff read = stream.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
  const std::streamoff before = std::max<std::streamoff>(read - 1, 0);  // it looks one further
  const auto ends = std::ranges::count(text.substr(0, static_cast<std::size_t>(before)), '\n');
  return 1 + static_cast<std::size_t>(ends);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source, std::string_view verdict) {
  const auto wrong = [&](std::size_t line, const char* what) {
    return InputError(fmt::format("{}:{}: {}; {}", source, line, what, verdict));
  };
  if (const auto line = nested_too_deep(text)) throw wrong(*line, "nested too deep");
  ValueBuilder builder;
  if (Json::sax_parse(text, &builder)) return builder.take();
  throw wrong(line_of_error(text), builder.too_large() ? "a number is too large" : "is not JSON");
}

}  // namespace foretrain
