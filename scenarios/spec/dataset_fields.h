// The keys of a data set.
#pragma once

#include "models/data/open_data.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

/// The data set of a profile's training: only its number of examples is known.
struct CountedDataset {
  DatasetSpec spec;

  bool operator==(const CountedDataset&) const = default;
};

template <class Visitor, Described<DatasetSpec> T>
void describe_counts(Visitor& visit, T& dataset) {
  visit.field({.key = "take",
               .doc = "number of training examples; 0: all (generated data: 10000; profile: not "
                      "known)",
               .least = 0,
               .most = kCountMax},
              dataset.take);
  visit.field({.key = "test_take",
               .doc = "number of test examples; 0: all (generated data: 2000; profile: none)",
               .least = 0,
               .most = kCountMax},
              dataset.test_take);
}

/// `read`: the training reads examples.
template <class Visitor, Described<DatasetSpec> T>
void describe_images(Visitor& visit, T& dataset, bool read, std::string_view unread) {
  const bool images = read && dataset.format == "images";
  const bool sparse =
      dataset.format == "clicks" || dataset.format == "libsvm" || dataset.format == "criteo";
  const auto of_images = [&](std::string_view key, std::string_view doc) {
    return Field{.key = key,
                 .doc = doc,
                 .used = read && !sparse,
                 .unused_because = read ? "the examples of this format are no images" : unread};
  };
  Field crop =
      of_images("crop", "side of the square that is cut out of each image; 0: the whole image");
  crop.least = 0;
  crop.most = 4096;
  visit.field(crop, dataset.image.crop);
  Field pad = of_images("pad", "black pixels at each side of an image before it is cropped");
  pad.least = 0;
  pad.most = 4096;
  if (pad.used && dataset.image.crop == 0)
    pad.unused_because = "only crops are cut from padded images";
  pad.used = pad.used && dataset.image.crop > 0;
  pad.written = dataset.image.pad > 0;
  visit.field(pad, dataset.image.pad);
  visit.field(of_images("flip", "in training mirror each image with probability 1/2"),
              dataset.image.flip);
  visit.field(of_images("standardise",
                        "scale each image to mean 0 and standard deviation 1; off: to 0 to 1"),
              dataset.image.standardise);
  const auto of_drawn = [&](std::string_view key, std::string_view doc, double least, double most) {
    return Field{.key = key,
                 .doc = doc,
                 .least = least,
                 .most = most,
                 .used = images,
                 .unused_because = read ? "only format images can have any size" : unread};
  };
  visit.field(of_drawn("side", "images: height, width, pixels", 8, 512), dataset.side);
  visit.field(of_drawn("channels", "images: 1 (grey) or 3 (colour)", 1, 3), dataset.channels);
  visit.field(of_drawn("classes", "images: number of classes", 2, 65536), dataset.classes);
}

/// These keys are written directly among those of the data set.
template <class Visitor, Described<InputSpec> T>
void describe_input(Visitor& visit, T& input) {
  visit.field({.key = "served_by",
               .doc = "simulate: the host that sends each batch to its worker; left out: data is "
                      "local",
               .written = !input.served_by.empty()},
              input.served_by);
  visit.field({.key = "read_rate",
               .doc = "simulate: rate of the disk that examples are read from; left out: no disk",
               .least = 1e6,
               .most = 1e12,
               .written = input.read_rate.value > 0},
              input.read_rate);
  visit.field({.key = "parse",
               .doc = "simulate: CPU time of a worker per example; left out: none",
               .least = 0,
               .most = 1,
               .written = input.parse.ns > 0},
              input.parse);
  const bool moves = !input.served_by.empty() || input.read_rate.value > 0;
  visit.field({.key = "example_size",
               .doc = "simulate: "
                      "size of an example when read or sent; left out: 4 bytes per number",
               .least = 1,
               .most = 1e8,
               .used = moves,
               .unused_because = "only with served_by or read_rate is an example moved",
               .written = input.example_size.value > 0},
              input.example_size);
  visit.field({.key = "prefetch",
               .doc = "simulate: number of batches fetched ahead while others are computed; "
                      "none by clients of another session_host",
               .least = 0,
               .most = 1e6,
               .used = input.costs(),
               .unused_because = "only with served_by, read_rate or parse does input take time",
               .written = input.costs()},
              input.prefetch);
  visit.field(
      {.key = "held_size",
       .doc = "simulate: memory per example of a worker's share, for another program that holds "
              "only its share; left out: each worker holds all examples, as in this program",
       .least = 1,
       .most = 1e8,
       .written = input.held_size.value > 0},
      input.held_size);
}

template <class Visitor, Described<DatasetSpec> T>
void describe_dataset(Visitor& visit, T& dataset, bool read) {
  const std::string_view unread =
      "a profile reads no examples; take and test_take give their number";
  visit.field({.key = "format",
               .doc = "digits, images, clicks: generated by the program; others: read from path",
               .choices = data_formats(),
               .used = read,
               .unused_because = unread},
              dataset.format);
  const bool drawn =
      dataset.format == "digits" || dataset.format == "images" || dataset.format == "clicks";
  visit.field({.key = "path",
               .doc = "folder with the files of the data set",
               .required = true,
               .used = read && !drawn,
               .unused_because = read ? "this format is generated, not read" : unread},
              dataset.path);
  describe_counts(visit, dataset);
  visit.field({.key = "seed",
               .doc = "seed of generated data",
               .used = read && drawn,
               .unused_because = read ? "this format is read, not generated" : unread},
              dataset.seed);
  describe_images(visit, dataset, read, unread);
  visit.field({.key = "memory_limit",
               .doc = "data that needs more memory is read from its file when used",
               .least = 0,
               .most = 1e15,
               .used = read && !drawn,
               .unused_because = read ? "this format is generated, not read" : unread},
              dataset.memory_limit);
  describe_input(visit, dataset.input);
}

template <class Visitor, Described<DatasetSpec> T>
void describe(Visitor& visit, T& dataset) {
  describe_dataset(visit, dataset, true);
}

template <class Visitor, Described<CountedDataset> T>
void describe(Visitor& visit, T& dataset) {
  describe_dataset(visit, dataset.spec, false);
}

}  // namespace foretrain
