// A step graph as a table or a drawing.
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/tables.h"
#include "tests/models/graph/counted_trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

namespace foretrain {
namespace {

using testing::single_training;
using testing::training_of;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("step table: softmax as people see it") {
  // The scratch memory after this text depends on the width of vectors.
  CHECK(step_table("softmax", *single_training("softmax"))
            .starts_with(
                "softmax: a gradient over 64 examples takes 2.007 MFLOP; its 7,850 parameters are\n"
                "not sent.\n\n"
                "  operation                    output  parameters  MFLOP   read  write  buckets\n"
                "                                                           [MB]   [MB]\n"
                "  gather                      28x28x1                     0.050  0.201\n"
                "  forward 0 dense 784 -> 10        10       7,850  1.004  0.232  0.003        0\n"
                "  loss softmax_cross_entropy       10                     0.003  0.003\n"
                "  backward 0 dense 784 -> 10                7,850  1.004  0.203  0.031        0\n"
                "  apply 0                                   7,850  0.024  0.063  0.031        0\n"
                "  sum                                       7,850  2.031  0.551  0.269\n\n"
                "Read and written in a step: activations 0.412, parameters 0.094, gradients\n"
                "0.063, batch 0.251 MB.\n"
                "Memory of a worker: 0.068 MB = parameters 0.031 + gradients 0.031 + optimizer\n"
                "state 0 + activations 0.005 (outputs 0.003, their gradients 0.003, saved 0); in\n"
                "addition scratch "));
}

TEST_CASE("step table: columns line up in a terminal, long names stand above their figures") {
  const auto training = training_of({.network = "alexnet_cifar", .servers = 2});
  const auto lines = lines_of(step_table("alexnet_cifar", *training));
  std::set<std::size_t> points;  // columns of the decimal point of the last figure of bytes
  std::size_t rows = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(lines[i]);
    CHECK(columns_of(lines[i]) <= kTerminalColumns);
    if (!lines[i].starts_with("  forward") && !lines[i].starts_with("  backward")) continue;
    const bool apart = lines[i].find('.') == std::string::npos;
    points.insert(lines[apart ? i + 1 : i].rfind('.'));
    ++rows;
  }
  CHECK(rows > 10);
  CHECK(points.size() == 1);
  CHECK(std::ranges::count(lines, "  forward 1 max_pool 3x3 stride 2 pad 1 + relu") == 1);
}

TEST_CASE("step table: many buckets take a line for each neighbourhood") {
  const auto training = training_of({.network = "lenet_large", .bucket_size = {4'000}});
  const auto lines = lines_of(step_table("lenet_large", *training));
  CHECK(training->layout->buckets.size() > 3'000);
  CHECK(lines.size() < 60);
}

}  // namespace
}  // namespace foretrain
