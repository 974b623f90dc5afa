// Profiles from text: their layers, their errors.
#include "scenarios/resolve/layer_profile.h"

#include "models/networks/network.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <fstream>
#include <utility>

using namespace foretrain;

namespace {

const std::string kTitles = "layer,parameter_bytes,forward_ms,backward_ms\n";

std::string layers_error(const std::string& text) {
  return error_of([&] { parse_profile(text, "p.csv", 1); });
}

}  // namespace

TEST_CASE("layer profile: rows become layers in order") {
  const NetworkProfile profile =
      parse_profile(kTitles + "conv1,37632,1.92,3.8\npool,0,0.1,0\n", "p.csv", 32);
  REQUIRE(profile.layers.size() == 2);
  CHECK(profile.batch_size == 32);
  CHECK(profile.layers[0] == LayerTimes{"conv1", 9'408, 1.92e-3, 3.8e-3});
  CHECK(profile.layers[1] == LayerTimes{"pool", 0, 0.1e-3, 0});
}

TEST_CASE("layer profile: columns may be in any order with comments and blanks between rows") {
  const NetworkProfile profile = parse_profile(
      "# measured on a GPU\r\n\r\nbackward_ms, layer ,forward_ms,parameter_bytes\r\n"
      "  3 ,\"conv(3, 64), \"\"same\"\"\" , 1e0 ,8\r\n# the end\r\n",
      "p.csv", 1);
  REQUIRE(profile.layers.size() == 1);
  CHECK(profile.layers[0] == LayerTimes{"conv(3, 64), \"same\"", 2, 1e-3, 3e-3});
}

TEST_CASE("layer profile: a column that is missing or unknown or twice there is told") {
  CHECK(layers_error("layer,parameter_bytes,forward_ms\na,4,1\n") ==
        "p.csv:1:1: there is no column backward_ms; the first line names the columns: "
        "layer,parameter_bytes,forward_ms,backward_ms");
  CHECK(layers_error("layer,parameter_bytes,forward_ms,backwards_ms\n") ==
        "p.csv:1:34: 'backwards_ms' is no column of a profile; did you mean backward_ms?");
  CHECK(layers_error("layer,parameter_bytes,forward_ms,backward_ms,device\n") ==
        "p.csv:1:46: 'device' is no column of a profile; they are layer, parameter_bytes, "
        "forward_ms, backward_ms, tensors, update_ms, forward_ms@N, backward_ms@N, parameters, "
        "product_gflop, edge_mflop, attention_gflop, moved_mb, kept_mb");
  CHECK(layers_error("layer,layer,parameter_bytes,forward_ms,backward_ms\n") ==
        "p.csv:1:7: a second column layer; keep one");
}

TEST_CASE("layer profile: a cell that is no count or no time is told its place") {
  CHECK(layers_error(kTitles + "a,4,1,1\nb,4,-0.5,1\n") ==
        "p.csv:3:5: forward_ms: -0.5 is negative; write 0 or more");
  CHECK(layers_error(kTitles + "a,4,1,\n") ==
        "p.csv:2:7: backward_ms: missing; write a number, 1.92 for instance");
  CHECK(layers_error(kTitles + "a,4,1 ms,1\n") ==
        "p.csv:2:5: forward_ms: '1 ms' is not a number; write one, 1.92 for instance");
  CHECK(layers_error(kTitles + "a,7,1,1\n") ==
        "p.csv:2:3: parameter_bytes: 7 bytes are neither floats of 4 bytes nor halves of 2; write "
        "an even number");
  CHECK(layers_error(kTitles + "a,4.5,1,1\n") ==
        "p.csv:2:3: parameter_bytes: 4.5 bytes are neither floats of 4 bytes nor halves of 2; "
        "write an even number");
  CHECK(layers_error(kTitles + "a,-4,1,1\n") ==
        "p.csv:2:3: parameter_bytes: -4 is negative; write 0 or more");
  CHECK(layers_error(kTitles + "a,4e15,1,1\n") ==
        "p.csv:2:3: parameter_bytes: 4e15 is too large; write up to 1000000000000");
  CHECK(layers_error(kTitles + ",4,1,1\n") == "p.csv:2:1: layer: empty; name the layer");
  CHECK(layers_error(kTitles + "a,4,nan,1\n").find("p.csv:2:5: forward_ms: 'nan' is not") == 0);
  CHECK(layers_error(kTitles + "a,4,1e300,1\n")
            .find("p.csv:2:5: forward_ms: 1e300, so that a gradient takes more than") == 0);
}

TEST_CASE("layer profile: parameters of half precision take two bytes each, whole floats in all") {
  const NetworkProfile profile = parse_profile(kTitles + "a,6,1,1\nb,8,1,1\n", "p.csv", 1);
  CHECK(profile.layers[0].parameters == 2);
  CHECK(profile.layers[1].parameters == 2);
}

TEST_CASE("layer profile: parameters of a layer lie in as many tensors as it says") {
  const std::string titles = "tensors,layer,parameter_bytes,forward_ms,backward_ms\n";
  const NetworkProfile profile = parse_profile(titles + "3,a,40,1,1\n0,relu,0,1,1\n", "p.csv", 1);
  CHECK(profile.layers[0].tensors == 3);
  const Network network(profile);
  REQUIRE(network.blocks().size() == 3);
  for (std::int64_t end = 0; const ParameterBlock& block : network.blocks()) {
    CHECK(block.first == std::exchange(end, block.first + block.count));
    CHECK((block.count == 3 || block.count == 4));
  }
  const auto refused = [&](const std::string& tensors, const std::string& bytes) {
    return layers_error(titles + tensors + ",a," + bytes + ",1,1\n");
  };
  CHECK(refused("11", "40") ==
        "p.csv:2:1: tensors: 11 tensors are not possible with 10 parameters; write 1 to 10");
  CHECK(refused("0", "40").find("p.csv:2:1: tensors: 0 tensors are not possible") == 0);
  CHECK(refused("1.5", "40").find("p.csv:2:1: tensors: 1.5 tensors are not possible") == 0);
  CHECK(refused("1", "0").find("with 0 parameters; write 0 to 0") != std::string::npos);
  CHECK(refused("", "40") == "p.csv:2:1: tensors: missing; write a number, 6 for instance");
}

TEST_CASE("layer profile: two batch sizes give each pass a fixed part and a part for an example") {
  const std::string titles = "layer,parameter_bytes,forward_ms,backward_ms,";
  const NetworkProfile profile = parse_profile(
      titles + "forward_ms@8,backward_ms@8,update_ms\na,4,4,10,1,4,2.5\n", "p.csv", 32);
  CHECK(profile.batch_size == 32);
  CHECK(profile.second_batch == 8);
  const Network network(profile);
  CHECK(network.update_s() == 2.5e-3);
  const Layer& layer = *network.layers().front();
  for (const auto& [batch, forward, backward] :
       {std::tuple{32, 4'000, 10'000}, {8, 1'000, 4'000}, {16, 2'000, 6'000}, {4, 500, 3'000}}) {
    CAPTURE(batch);
    CHECK(layer.forward_cost(batch).measured == Duration{forward * 1'000});
    CHECK(layer.backward_cost(batch, true).measured == Duration{backward * 1'000});
  }
  CHECK(
      layers_error(titles + "forward_ms@8\na,4,1,1,1\n").find("there is no column backward_ms@N") !=
      std::string::npos);
  for (const char* wrong :
       {"forward_ms@1", "forward_ms@0", "forward_ms@", "forward_ms@8,backward_ms@4"}) {
    CAPTURE(wrong);
    CHECK(layers_error(titles + wrong + "\n")
              .find("write one batch size for both passes, other "
                    "than 1, profile_batch") != std::string::npos);
  }
}

TEST_CASE("layer profile: a row of another width or an open quote is told") {
  CHECK(layers_error(kTitles + "a,4,1\n") ==
        "p.csv:2:1: 3 cells under 4 columns; write one for each column");
  CHECK(layers_error(kTitles + "a,4,1,1,\n") ==
        "p.csv:2:1: 5 cells under 4 columns; write one for each column");
  CHECK(layers_error(kTitles + "\"a,4,1,1\n") ==
        "p.csv:2:1: a quoted cell that does not end; write the closing quote");
  CHECK(layers_error(kTitles + "\"a\"b,4,1,1\n") ==
        "p.csv:2:4: text after the closing quote of a cell; write a comma before it");
}

TEST_CASE("layer profile: nothing to learn is refused") {
  for (const std::string& text : {std::string(), std::string("# only this\n"), kTitles}) {
    CHECK(layers_error(text) ==
          "p.csv: there is no layer; write a line layer,parameter_bytes,forward_ms,backward_ms, "
          "then one for each layer");
  }
  CHECK(layers_error(kTitles + "relu,0,1,1\n") ==
        "p.csv: no layer has parameters; nothing would be learned, check parameter_bytes");
}

TEST_CASE("layer profile: a file that is missing or too long is told") {
  CHECK(error_of([] { read_profile({"nowhere/p.csv"}, 1); }) ==
        "nowhere/p.csv: no such file; check the path");
  const TempFolder folder;
  std::ofstream(folder / "long.csv") << kTitles << std::string(1'000'000, '#');
  CHECK(error_of([&] { read_profile({folder / "long.csv"}, 1); }) ==
        folder / "long.csv: the file is longer than 1 MB; is this a profile?");
}

namespace {

const std::string kWork =
    "layer,parameters,tensors,product_gflop,edge_mflop,attention_gflop,moved_mb,kept_mb\n";

}  // namespace

TEST_CASE("layer profile: a table of work has work in place of times") {
  const NetworkProfile profile =
      parse_profile(kWork + "block,1000,2,1.5,2.5,3.5,4.5,5.5\nrelu,0,0,0,0,0,1,1\n", "p.csv", 16);
  CHECK(profile.layers.empty());
  CHECK(profile.batch_size == 16);
  REQUIRE(profile.work.size() == 2);
  LayerWork block{.layer = "block", .parameters = 1'000, .tensors = 2};
  block.products = 1.5e9;
  block.edges = 2.5e6;
  block.attention = 3.5e9;
  block.moved = 4.5e6;
  block.kept = 5.5e6;
  block.kernels = 1;
  CHECK(profile.work[0] == block);
}

TEST_CASE("layer profile: a table of work needs all its columns") {
  CHECK(layers_error("layer,parameters,tensors,product_gflop,edge_mflop,moved_mb,kept_mb\n") ==
        "p.csv:1:1: there is no column attention_gflop; the first line names the columns: "
        "layer,tensors,parameters,product_gflop,edge_mflop,attention_gflop,moved_mb,kept_mb");
  CHECK_THAT(layers_error("layer,parameters,tensors,edge_mflop,attention_gflop,moved_mb,kept_mb\n"),
             Catch::Matchers::StartsWith("p.csv:1:1: there is no column product_gflop; "));
  CHECK(layers_error("layer,parameters,tensors,product_gflops\n") ==
        "p.csv:1:26: 'product_gflops' is no column of a profile; did you mean product_gflop?");
  CHECK(layers_error("layer,forward_ms," + kWork.substr(6) + "a,1,1,1,1,1,1,1,1\n") ==
        "p.csv:1:7: forward_ms: a table of work does not have it; remove it");
}

TEST_CASE("layer profile: a cell of a table of work is told its place") {
  CHECK(layers_error(kWork + "a,1.5,1,1,1,1,1,1\n") ==
        "p.csv:2:3: parameters: 1.5; write a whole number up to 1000000000000");
  CHECK(layers_error(kWork + "a,1e13,1,1,1,1,1,1\n") ==
        "p.csv:2:3: parameters: 1e13; write a whole number up to 1000000000000");
  CHECK(layers_error(kWork + "a,10,11,1,1,1,1,1\n") ==
        "p.csv:2:6: tensors: 11 tensors are not possible with 10 parameters; write 1 to 10");
  CHECK(layers_error(kWork + "a,10,1,x,1,1,1,1\n") ==
        "p.csv:2:8: product_gflop: 'x' is not a number; write one, 1.92 for instance");
  CHECK(layers_error(kWork + "a,10,1,1,1,-1,1,1\n") ==
        "p.csv:2:12: attention_gflop: -1 is negative; write 0 or more");
  CHECK(layers_error(kWork + "a,10,1,1,1,1,1,\n") ==
        "p.csv:2:16: kept_mb: missing; write a number, 1.92 for instance");
  CHECK(layers_error(kWork + ",10,1,1,1,1,1,1\n") == "p.csv:2:1: layer: empty; name the layer");
  CHECK(layers_error(kWork + "relu,0,0,1,1,1,1,1\n") ==
        "p.csv: no layer has parameters; nothing would be learned, check parameters");
  CHECK(layers_error(kWork).find("p.csv: there is no layer; write a line ") == 0);
}
