// Draws a log of advertisements with labels clicked or not.
#pragma once

#include "models/base/quantity.h"
#include "models/data/dataset.h"

#include <cstdint>

namespace foretrain {

/// The parameters of the draw.
struct ClicksSpec {
  int hash_bits = 20;  ///< 2^hash_bits features, 1 to 30
  std::int64_t train_count = 10'000;
  std::int64_t test_count = 2'000;
  std::uint64_t seed = 1;
};

/// Sparse examples like those of an advertising log after hashing (models/data/criteo.h): 13 counts
/// as orders of magnitude, 26 categories of 3 to 65,535 values; each field becomes one feature of
/// value 1, hashed together with the number of its field. Label 1: clicked, about one in three.
///
///     count     P(value >= v) = 2^-v, v up to 15: the magnitude of a count whose tail is Pareto's
///     category  P(value) = 1 / (b 2^k) for the 2^k values of octave k, k below b: the power law
///               1 / value, in steps, over a vocabulary of 2^b - 1 values
///     label     P(1) = 1 / (1 + exp(-z)), z = bias + the sum of w(field, value)
///
/// Every w is uniform about 0, then centred on its field, so the share of clicks is the same for
/// all seeds. They come from the streams `data.clicks.weights.<field>`.
///
/// Realism: the number of features in a batch grows with its size as in a real log, since few
/// values are in every batch and most in hardly any. Fields are independent here, and z is linear
/// in the features: logistic regression is the true model, limited by values too rare to learn and
/// by the random label. 10,000 examples reach an area under the ROC curve of 0.77 to 0.83, by seed.
///
/// Example i of the training examples is a function of (seed, i) alone: it comes from the stream
/// `data.clicks.train.<i>`, so a smaller draw is the beginning of a larger one; test examples come
/// from `data.clicks.test.<i>`. The bytes are the same on every machine: only whole numbers, exact
/// operations of double and the portable exponential are used. Held in memory.
/// @throws DataError if the numbers of `spec` are out of range
DataSplit draw_clicks(const ClicksSpec& spec);

/// Memory of `draw_clicks` besides the examples until they are drawn: the weights of all values.
Bytes clicks_drawing();

/// The shape of the examples that `draw_clicks` draws. @throws DataError as there
InputShape clicks_shape(const ClicksSpec& spec);

}  // namespace foretrain
