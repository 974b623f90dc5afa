// The house rules, each a function from text to a list of findings.
#pragma once

#include "tests/house/text.h"

#include <string>
#include <vector>

namespace foretrain::house {

/// A broken rule with its place.
struct Finding {
  std::string file;
  int line = 0;
  std::string what;

  bool operator==(const Finding&) const = default;
};

/// `file:line: what`, one per line.
std::string describe(const std::vector<Finding>& findings);

// Rules on includes --------------------------------------------------------------------------

/// models <- scenarios <- reports <- {sim, exec} <- main.cpp, tests above all. `sim` never includes
/// `exec`, nor vice versa. Within reports: record <- studies <- show <- {serve, cli}; sim includes
/// only the first two, exec only the first. Our own includes are quoted, relative to the root, and
/// have to exist.
std::vector<Finding> layer_findings(const std::vector<SourceFile>& tree);

/// A room is a folder inside another one; files beside it are in no room. Includes between rooms of
/// one folder have no circles. For every two rooms on a circle of which one includes the other, the
/// finding reports the first such include with the rooms along the circle.
std::vector<Finding> room_findings(const std::vector<SourceFile>& tree);

/// No file of models includes a socket, a thread, a clock or <random>, not even through other files
/// of ours; <filesystem> is allowed only in models/data. The finding is at the include that leaves
/// models.
std::vector<Finding> purity_findings(const std::vector<SourceFile>& tree);

/// No random draw that differs between standard libraries; in models no clock or thread by name
/// either; in a driver no policy that both drivers need.
std::vector<Finding> word_findings(const SourceFile& file);

// Rules on sizes, names ----------------------------------------------------------------------

inline constexpr int kHeaderLinesMax = 200;
inline constexpr int kSourceLinesMax = 400;
inline constexpr int kFunctionLinesMax = 70;
inline constexpr int kReadmeLinesMax = 80;
/// Upper bound on the lines of the product. It is lowered with removals, and raised by a budget in
/// an issue.
inline constexpr int kProductLinesMax = 93'850;

/// Checks the lines of a header or a source.
std::vector<Finding> length_findings(const SourceFile& file);

/// Checks the lines of each function, from its signature to its closing brace.
std::vector<Finding> function_findings(const SourceFile& file);

/// Checks that the first line is a comment of one sentence without "and".
std::vector<Finding> first_line_findings(const SourceFile& file);

/// Checks that a folder's README is short.
std::vector<Finding> readme_findings(const SourceFile& file);

/// Lines of the product: headers, sources, pages and scripts in its folders.
int product_lines(const std::vector<SourceFile>& tree);

/// Checks that the root has only known files, and each folder of code a README.
std::vector<Finding> layout_findings(const std::vector<std::string>& paths);

}  // namespace foretrain::house
