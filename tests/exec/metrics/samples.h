// Reads metrics in the text format of Prometheus.
#pragma once

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace foretrain::testing {

/// Samples, keyed by name with labels.
inline std::map<std::string, double> samples_of(const std::string& text) {
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.rfind(' ');
    samples[line.substr(0, space)] = std::strtod(line.c_str() + space, nullptr);
  }
  return samples;
}

/// The family of a sample; samples of histograms have suffixes.
inline std::string family_of(std::string name) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

}  // namespace foretrain::testing
