// The web page of `foretrain serve`.
#pragma once

#include "reports/serve/measuring.h"
#include "reports/serve/runs.h"
#include "reports/studies/whatif/forecast_source.h"

#include <filesystem>
#include <string>

namespace foretrain::serve {

struct Options {
  std::string address = "127.0.0.1";  ///< listening address
  int port = 8080;                    ///< 0: any free port
  std::string scenario;               ///< file shown at first; empty: the library's quickstart
  std::string machine;                ///< file given by --machine; empty: this machine
  std::filesystem::path out;          ///< folder of records; default `out`
  Forecaster forecaster;
  Measure measure;
  Processes processes;
};

/// Prints the page's address on standard output, serves it until a signal (Interruption), then ends
/// the runs that it started. Threads: the server, which also starts runs; the simulation; the
/// calibration; one that reads records and queries runs for metrics. @throws InputError if it
/// cannot listen, or the scenario is missing
void serve_page(Options options);

}  // namespace foretrain::serve
