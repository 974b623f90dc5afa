// The program's questions, asked by hand in a browser.
#pragma once

#include "reports/serve/measuring.h"
#include "reports/serve/runs.h"
#include "reports/studies/whatif/forecaster.h"

#include <filesystem>
#include <string>

namespace foretrain::serve {

struct Options {
  std::string address = "127.0.0.1";  ///< where it listens
  int port = 8080;                    ///< 0: any that is free
  std::string scenario;               ///< a file that the page begins with; empty: the library's
  std::string machine;                ///< the file behind --machine; empty: this machine
  std::filesystem::path out;          ///< folder of records; empty: `out`
  Forecaster forecaster;
  Measure measure;
  Processes processes;
};

/// Prints the page's address on standard output, then serves it until a signal comes
/// (Interruption); runs that it has started end with it. Threads: one for the server, which starts
/// runs; one that simulates; one that measures this machine; one that reads records, asks runs for
/// metrics. @throws InputError where it cannot listen there, the scenario is not there
void serve_page(Options options);

}  // namespace foretrain::serve
