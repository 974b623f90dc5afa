// Fuzzes the reader of machine files.
#include "models/base/check.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/spec/machine.h"
#include "tests/fuzz/fuzz.h"

#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_refusal_at_most("machine", [&] {
    const Machine machine = parse_machine(std::string(text_of(data, size)), "machine");
    const std::string written = to_yaml(machine);
    FT_CHECK_OP(to_yaml(parse_machine(written, "written")), ==, written);
    for (const auto& [name, cost] : machine.models) {
      for (const double examples : {1.0, 1e3, 1e7}) cost.gradient_of(examples);
    }
    machine.loopback.send.of(1e9);
  });
  return 0;
}
