// The step graph of a profile as a table.
#include "models/protocol/registry.h"
#include "reports/show/terminal/tables.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("step table: a profile shows milliseconds where others show operations") {
  Training training;
  training.protocol = &protocol_called("sync");
  training.batch_size = 32;
  training.network = std::make_shared<const Network>(
      NetworkProfile{{{"conv", 1'000, 1e-3, 3e-3}, {"dense", 1'000, 2e-3, 4e-3}}, 32});
  training.optimizer = make_optimizer({});
  training.layout = std::make_shared<const Layout>(make_layout(2'000, Bytes{4'000}, 1));
  training.numerics = false;
  const std::string table = step_table("two", training);
  INFO(table);
  CHECK(
      table.starts_with("two: a gradient over 32 examples took 10 ms; its 0.008 MB of parameters"));
  for (const char* part : {"parameters      ms   read  write", "forward 0 conv   ", "4.000",
                           "activations, which are not in a profile."}) {
    CAPTURE(part);
    CHECK(table.find(part) != std::string::npos);
  }
  CHECK(table.find("MFLOP") == std::string::npos);
}

}  // namespace
}  // namespace foretrain
