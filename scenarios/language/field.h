// The description of a key of a file.
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
/// `describe(visitor, struct)` lists a struct's keys once, each as a Field followed by the member.
/// The reader, the writer, the schema and the reference are visitors of that list:
///
///     visit.field(Field, member)     a scalar, or a list of scalars
///     visit.section(Field, member)   a struct that is described itself
///     visit.list(Field, member)      a std::vector of such structs
///     visit.table(Field, member)     a std::map from names of the file's choice to such structs
///
/// A rule may use members that were visited before: the reader has set them already.
struct Field {
  std::string_view key;
  std::string_view doc;                  ///< explanation for editors; one line
  std::optional<double> least{};         ///< the value has to be this or more
  std::optional<double> above{};         ///< the value has to be more than this
  std::optional<double> most{};          ///< the value has to be this or less
  std::vector<std::string> choices{};    ///< allowed values; empty: any text
  bool required = false;                 ///< the file has to give it, if it is used
  bool used = true;                      ///< false: a file may give only its default
  std::string_view unused_because = {};  ///< reason for the message
  bool written = true;         ///< false: left out of resolved YAML because it was not given
  bool seconds = false;        ///< a double that is a time, written with its unit
  bool lines = false;          ///< a text that may have several lines
  bool share = false;          ///< a double that is a share, written in per cent
  bool prefixed = false;       ///< an integer that may have a prefix: 100B is 100e9
  std::string_view zero = {};  ///< for a size: the word for 0
  bool indices = true;         ///< a list of integers holds distinct indices, or `all`; false:
                               ///< it holds numbers in any order
  /// For a section or an item of a list: the key that a scalar in its place sets.
  std::string_view shorthand = {};
  /// For a section: the key that a list in its place sets.
  std::string_view list_shorthand = {};
  /// For a list: the library's folder with the files that an item may name by `like: NAME`
  /// (library.h), several of them by `like: N x NAME`. A scalar in place of the list is its item.
  std::string_view library = {};

  /// A plain number from 0 to 1; a file may write it in per cent.
  [[nodiscard]] bool fraction() const { return most == 1 && (least == 0 || above == 0); }
};

// Texts of keys that are not members: of a scenario; of an item of a list (Field::library).
inline constexpr std::string_view kVersionDoc = "version of the scenario language";
inline constexpr std::string_view kSweepDoc =
    "key path -> values to try, or a list of cases, each key path -> value, or with grid: key path "
    "-> values, all combinations";
inline constexpr std::string_view kLikeDoc =
    "starts with the entry of this name in the library; keys beside it override it";

/// Larger numbers are typing mistakes.
constexpr int kNodesMax = 100'000;
constexpr double kCountMax = 1e12;

/// T is U, or const U for visitors that only read the struct.
template <class T, class U>
concept Described = std::same_as<std::remove_const_t<T>, U>;

}  // namespace foretrain
