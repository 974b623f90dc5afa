// The check of a file's version.
#include "scenarios/language/version.h"

#include "scenarios/language/decimal.h"
#include "scenarios/language/reader.h"

#include <fmt/format.h>

#include <string>

namespace foretrain {

void check_version(const Value& root, std::string_view key, std::string_view other,
                   std::string_view advice) {
  const std::string path(key);
  const Entry* entry = root.find(key);
  if (entry == nullptr) {
    std::string what = fmt::format("missing; begin the file with {}: 1", key);
    if (root.find(other) != nullptr) what = fmt::format("missing; {}", advice);
    if (root.kind != Value::Kind::map) {
      what = fmt::format("{} where keys should be; begin the file with {}: 1", kind_name(root.kind),
                         key);
    }
    fail_at(to_text(root.mark), path, what);
  }
  const Value& version = entry->value;
  if (version.text != "1") {
    const std::string found = to_flow(version);
    fail_at(to_text(version.mark), path,
            parse_decimal(found)
                ? fmt::format("this program reads version 1, not {}; use a foretrain that reads "
                              "it, or write the file in version 1",
                              found)
                : fmt::format("'{}' is no version; write {}: 1", found, key));
  }
}

}  // namespace foretrain
