// ResNet-50 on many devices of alike hosts, as a plan for a training asks for it.
#pragma once

#include "scenarios/resolve/read.h"
#include "tests/support/places.h"

#include <fmt/format.h>

namespace foretrain::bench {

/// Five steps of all_reduce in DDP's buckets on p3.16xlarge, 8 devices each; one host stands for
/// all (sim/world/fold.h).
inline Case alike_devices(int devices) {
  return parse_scenario(
             fmt::format("foretrain: 1\nname: alike\nmodel: {{profile: "
                         "{}/scenarios/clusters/layers/resnet50.csv}}\n"
                         "training: {{strategy: all_reduce, workers: {}, batch_size: 32, steps: 5, "
                         "bucket_rule: ddp, bucket_size: 26214400 B}}\n"
                         "cluster: {{hosts: [{{like: p3.16xlarge, count: {}}}]}}\n"
                         "numerics: off\n",
                         source_dir(), devices, devices / 8),
             "alike.yaml")
      .front();
}

}  // namespace foretrain::bench
