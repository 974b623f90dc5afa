// What there is to know about a key of a file besides its value.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace foretrain {

/// A key with its rules. Bounds are in the base unit of the member's type: bytes, bytes/s, s.
///
/// A struct's keys are listed once, in `describe(visitor, struct)`, with a Field each, followed by
/// the member. Reading, writing, the schema, the reference are visitors of that list:
///
///     visit.field(Field, member)     a scalar, or a list of scalars
///     visit.section(Field, member)   a struct that is described itself
///     visit.list(Field, member)      a std::vector of such structs
///     visit.table(Field, member)     a std::map from names of the file's choice to such structs
///
/// A rule may look at members that were visited before: when a file is read, they are set.
struct Field {
  std::string_view key;
  std::string_view doc;                  ///< what it is, for editors; one line
  std::optional<double> least{};         ///< the value is this or more
  std::optional<double> above{};         ///< the value is more than this
  std::optional<double> most{};          ///< the value is this or less
  std::vector<std::string> choices{};    ///< empty: any text
  bool required = false;                 ///< where it is used, the file must give it
  bool used = true;                      ///< false: a file may give its default only
  std::string_view unused_because = {};  ///< why, for the message
  bool written = true;                   ///< false: left out of resolved YAML (it was not given)
  bool seconds = false;                  ///< a double that is a time, written with its unit
  bool lines = false;                    ///< a text that may have several lines
  bool share = false;                    ///< a double that is a share, in per cent
  std::string_view zero = {};            ///< of a size: the word that stands for 0
  bool indices = true;                   ///< a list of integers names things once each, or all of
                                         ///< them; else it is numbers in their order
  /// A section, or an item of a list, that may be a scalar instead: what this key of it is.
  std::string_view shorthand = {};
  /// A section that may be a list instead: what this key of it is.
  std::string_view list_shorthand = {};
  /// A list: the folder of the library that an item may begin as a file of, `like: NAME`
  /// (library.h).
  std::string_view library = {};
};

// What keys are that are no members: of a scenario; of an item of a list (Field::library).
inline constexpr std::string_view kVersionDoc = "version of the scenario language";
inline constexpr std::string_view kSweepDoc =
    "key path -> values to try, or a list of cases, each key path -> value, or with grid: key path "
    "-> values, all combinations";
inline constexpr std::string_view kLikeDoc =
    "begins as what the library has by this name; what stands beside it wins";

/// More of anything is a typing mistake rather than a study.
constexpr int kNodesMax = 100'000;
constexpr double kCountMax = 1e12;

/// T is U, or const U where it is only written out.
template <class T, class U>
concept Described = std::same_as<std::remove_const_t<T>, U>;

}  // namespace foretrain
