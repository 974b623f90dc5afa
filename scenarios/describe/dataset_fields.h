// The keys of a data set.
#pragma once

#include "models/data/open_data.h"
#include "scenarios/describe/field.h"
#include "scenarios/scenario.h"

namespace foretrain {

template <class Visitor, Described<DatasetSpec> T>
void describe(Visitor& visit, T& dataset) {
  visit.field({.key = "format",
               .doc = "digits, images: drawn by the program; the others: read from path",
               .choices = data_formats()},
              dataset.format);
  const bool images = dataset.format == "images";
  const bool drawn = images || dataset.format == "digits";
  const bool text = dataset.format == "libsvm" || dataset.format == "criteo";
  visit.field({.key = "path",
               .doc = "of what is read: the folder with its files",
               .required = true,
               .used = !drawn,
               .unused_because = "this format is drawn, not read"},
              dataset.path);
  visit.field({.key = "take",
               .doc = "training examples used; 0: all (drawn: 10000)",
               .least = 0,
               .most = kCountMax},
              dataset.take);
  visit.field({.key = "test_take",
               .doc = "test examples used; 0: all (drawn: 2000)",
               .least = 0,
               .most = kCountMax},
              dataset.test_take);
  visit.field({.key = "seed",
               .doc = "of what is drawn",
               .used = drawn,
               .unused_because = "this format is read, not drawn"},
              dataset.seed);
  const auto of_images = [&](std::string_view key, std::string_view doc) {
    return Field{.key = key,
                 .doc = doc,
                 .used = !text,
                 .unused_because = "the examples of this format are no images"};
  };
  Field crop = of_images("crop", "side of the square cut out of an image; 0: the whole image");
  crop.least = 0;
  crop.most = 4096;
  visit.field(crop, dataset.image.crop);
  visit.field(of_images("flip", "training: mirror images by a coin"), dataset.image.flip);
  visit.field(of_images("standardise", "each image to mean 0, deviation 1; off: 0 to 1"),
              dataset.image.standardise);
  const auto of_drawn = [&](std::string_view key, std::string_view doc, double least, double most) {
    return Field{.key = key,
                 .doc = doc,
                 .least = least,
                 .most = most,
                 .used = images,
                 .unused_because = "only format images is drawn at any size"};
  };
  visit.field(of_drawn("side", "images: height, width, pixels", 8, 512), dataset.side);
  visit.field(of_drawn("channels", "images: 1 (grey) or 3 (colour)", 1, 3), dataset.channels);
  visit.field(of_drawn("classes", "images: how many there are", 2, 65536), dataset.classes);
  visit.field({.key = "memory_limit",
               .doc = "a file that takes more memory is read as it is used",
               .least = 0,
               .most = 1e15,
               .used = !drawn,
               .unused_because = "this format is drawn, not read"},
              dataset.memory_limit);
}

}  // namespace foretrain
