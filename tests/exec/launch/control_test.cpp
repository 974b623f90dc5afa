// What launcher and nodes tell each other arrives as it was.
#include "exec/launch/control.h"

#include <catch2/catch.hpp>

namespace foretrain::exec {

TEST_CASE("control: the shape of a data set arrives as it was") {
  const DatasetShape images{60'000, 10'000, {.image = {28, 27, 3}, .classes = 10}, 0};
  const DatasetShape rows{7, 3, {{}, std::int64_t{1} << 30, 0.1 + 0.2, 2}, 1e2 / 3};
  for (const DatasetShape& shape : {images, rows}) {
    CHECK(dataset_shape_of(nlohmann::json::parse(to_json(shape).dump())) == shape);
  }
}

}  // namespace foretrain::exec
