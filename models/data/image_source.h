// The interface to the bytes of images.
#pragma once

#include "models/data/images.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Images by their number: held in memory, in a mapped file, or drawn on demand.
/// Immutable: every function may be called from several threads at once.
class ImageSource {
 public:
  virtual ~ImageSource() = default;

  [[nodiscard]] virtual std::int64_t examples() const = 0;
  [[nodiscard]] virtual Shape image() const = 0;  ///< shape of each image
  [[nodiscard]] virtual int classes() const = 0;
  [[nodiscard]] virtual int label(std::int64_t index) const = 0;  ///< 0 .. classes - 1

  /// The bytes of one image, [rows][columns][channels]: in place if in memory, else written to
  /// `scratch` and valid until it is used again.
  virtual const std::uint8_t* pixels(std::int64_t index,
                                     std::vector<std::uint8_t>& scratch) const = 0;

  /// This image will be requested soon: a source in memory prefetches it into the cache.
  virtual void coming(std::int64_t /*index*/) const {}

  /// An image costs much more than the copying of its bytes.
  [[nodiscard]] virtual bool slow() const { return false; }
};

/// The training and the test images.
struct ImageSources {
  std::shared_ptr<const ImageSource> train;
  std::shared_ptr<const ImageSource> test;
};

std::shared_ptr<const ImageSource> make_source(Images images);

/// The shape of an image after the crop. @throws DataError if the crop is larger than the padded
/// image, or can miss the image
Shape cropped(Shape image, const ImageOptions& options);
/// The input of a network is each byte of the image divided by 255.
bool only_scaled(Shape image, const ImageOptions& options);

/// The source as a data set. @throws DataError as `cropped`
std::shared_ptr<const Dataset> make_dataset(std::shared_ptr<const ImageSource> source,
                                            const ImageOptions& options);

}  // namespace foretrain
