// The rules of the house, each a function from text to a list of findings.
#pragma once

#include "tests/house/text.h"

#include <string>
#include <vector>

namespace foretrain::house {

/// A broken rule: where, then what.
struct Finding {
  std::string file;
  int line = 0;
  std::string what;

  bool operator==(const Finding&) const = default;
};

/// `file:line: what`, one a line.
std::string describe(const std::vector<Finding>& findings);

// What may include what ----------------------------------------------------------------------

/// models <- scenarios <- reports <- {sim, exec} <- main.cpp, tests above all. `sim` never includes
/// `exec`, nor the other way round. Within reports: record <- studies <- show <- {serve, cli}; sim
/// knows the first two, exec the first. Ours are quoted, as they are called from the root; each
/// exists.
std::vector<Finding> layer_findings(const std::vector<SourceFile>& tree);

/// A room is a folder inside another one; files that lie beside it are in no room. Rooms of one
/// folder include each other without circles. Reported is, of every two rooms on a circle one of
/// which includes the other, the first such include with the rooms along the circle.
std::vector<Finding> room_findings(const std::vector<SourceFile>& tree);

/// No file of models includes a socket, a thread, a clock or <random>, nor does a file of ours
/// that it includes; <filesystem> only in models/data. Reported where it leaves models.
std::vector<Finding> purity_findings(const std::vector<SourceFile>& tree);

/// No draw that differs between standard libraries; in models no clock or thread by name either; in
/// a driver no policy that the other one has, too.
std::vector<Finding> word_findings(const SourceFile& file);

// How large, how named -----------------------------------------------------------------------

inline constexpr int kHeaderLinesMax = 200;
inline constexpr int kSourceLinesMax = 400;
inline constexpr int kFunctionLinesMax = 70;
inline constexpr int kReadmeLinesMax = 80;
/// The product is no longer than this. It falls with what is removed, and rises by a budget that an
/// issue names.
inline constexpr int kProductLinesMax = 89'000;

/// Lines of a header or a source.
std::vector<Finding> length_findings(const SourceFile& file);

/// Lines of each function, from its signature to its closing brace.
std::vector<Finding> function_findings(const SourceFile& file);

/// The first line is a comment of one sentence without "and".
std::vector<Finding> first_line_findings(const SourceFile& file);

/// A README of a folder is short.
std::vector<Finding> readme_findings(const SourceFile& file);

/// Lines of what users get: headers, sources, pages and scripts of the product's folders.
int product_lines(const std::vector<SourceFile>& tree);

/// Nothing at the root but what belongs there; a README in each folder of code.
std::vector<Finding> layout_findings(const std::vector<std::string>& paths);

}  // namespace foretrain::house
