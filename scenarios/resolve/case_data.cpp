// Opens the data set of a scenario.
#include "scenarios/resolve/case_data.h"

#include "scenarios/language/reader.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/check_case.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace foretrain {
namespace {

/// The number of examples used, of `there` in the data set.
std::int64_t taken(const Case& c, const std::string& key, std::int64_t asked, std::int64_t there) {
  if (asked <= there) return asked > 0 ? asked : there;
  fail(c, key,
       fmt::format("{} asked for, but the data set has {}; write at most {}, or 0 for all", asked,
                   there, there));
}

/// Reports that the examples do not fit into memory. `size`: of all examples, if known.
[[noreturn]] void fail_memory(const Case& c, const std::string& size) {
  const DatasetSpec& spec = c.scenario.dataset;
  const bool of_test = spec.test_take > spec.take;
  const std::int64_t most = std::max(spec.take, spec.test_take);
  if (most > 0) {
    fail(c, of_test ? "dataset.test_take" : "dataset.take",
         fmt::format("there is not enough memory for {} examples{}; write fewer", most, size));
  }
  const char* key = spec.path.empty() ? "dataset" : "dataset.path";
  fail(c, key,
       fmt::format("there is not enough memory for its examples{}; set dataset.take", size));
}

/// Checks, before minutes of drawing examples, that they fit into this machine's memory: an
/// allocator does not refuse them.
void check_memory(const Case& c, Bytes size) {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const Bytes machine{pages * sysconf(_SC_PAGE_SIZE)};
  if (pages <= 0 || size <= machine) return;
  fail_memory(c,
              fmt::format(", {}, this machine has {}", in_gigabytes(size), in_gigabytes(machine)));
}

/// Calls `read`, which reads files of the data set, and reports errors at the key that names the
/// file. `size`: of what is read, if known.
template <class Read>
auto at_dataset(const Case& c, Read read, Bytes size = {}) {
  try {
    return read();
  } catch (const DataError& error) {
    fail(c, c.scenario.dataset.path.empty() ? "dataset" : "dataset.path", error.what());
  } catch (const std::bad_alloc&) {
    fail_memory(c, size.value > 0 ? ", " + in_gigabytes(size) : "");
  }
}

DataSource source_of(const Scenario& scenario) {
  const DatasetSpec& spec = scenario.dataset;
  DataSource source;
  source.format = spec.format;
  source.path = spec.path;
  // Drawn examples are drawn in the number asked for; of a file, the first ones are used.
  const bool drawn = spec.path.empty();
  if (drawn && spec.take > 0) source.train_count = spec.take;
  if (drawn && spec.test_take > 0) source.test_count = spec.test_take;
  source.seed = spec.seed;
  source.image = spec.image;
  source.side = spec.side;
  source.channels = spec.channels;
  source.classes = spec.format == "images" ? spec.classes : 0;
  source.hash_bits = scenario.model.hash_bits;
  source.memory_limit = spec.memory_limit;
  return source;
}

CaseData of_profile(const Case& c, bool with_examples) {
  if (with_examples) {
    fail(c, "model.profile",
         "a profile has times, no layers to train or to measure; simulate it, with numerics: off");
  }
  const DatasetSpec& spec = c.scenario.dataset;
  const DatasetShape shape{spec.take, spec.test_take, {.image = {0, 0, 0}}, 0};
  return {shape, {{}, shape.train_examples, false, spec.input.held_size}, nullptr};
}

}  // namespace

DataSplit DataSets::open(const DataSource& source) {
  std::shared_future<DataSplit> opened;
  {
    const std::lock_guard lock(mutex_);
    if (!last_.valid() || source != source_) {
      source_ = source;
      // The first caller opens it; the others wait for the result.
      last_ = std::async(std::launch::deferred, [source] { return open_data(source); }).share();
    }
    opened = last_;
  }
  return opened.get();
}

CaseData find_data(const Case& scenario_case, bool with_examples, DataSets& data_sets) {
  const Case& c = scenario_case;
  if (c.scenario.model.profiled()) return of_profile(c, with_examples);
  const DatasetSpec& spec = c.scenario.dataset;
  const DataSource source = source_of(c.scenario);
  const auto summary = at_dataset(c, [&] { return summarize_data(source); });
  // The number of distinct features in a batch is known only from the examples.
  const bool opens = with_examples || !summary || summary->shape.sparse();
  DataSplit data;
  if (opens && summary) check_memory(c, summary->memory);
  const auto open = [&] { return data_sets.open(source); };
  if (opens) data = at_dataset(c, open, summary ? summary->memory : Bytes{});
  CaseData found;
  DatasetShape& shape = found.shape;
  shape.train_examples =
      taken(c, "dataset.take", spec.take, opens ? data.train->examples() : summary->train_examples);
  shape.test_examples = taken(c, "dataset.test_take", spec.test_take,
                              opens ? data.test->examples() : summary->test_examples);
  shape.input = opens ? data.train->shape() : summary->shape;
  const bool sparse = shape.input.sparse();
  if (opens) {
    data.train = take(std::move(data.train), shape.train_examples);
    data.test = take(std::move(data.test), shape.test_examples);
  }
  if (sparse) shape.features_mean = mean_distinct(*data.train, c.scenario.training.batch_size);
  const Bytes held = sparse ? table_bytes(shape.train_examples + shape.test_examples, shape.input)
                            : summary->memory;
  found.memory = {held, shape.train_examples, !sparse && summary->prefetched, spec.input.held_size,
                  summary ? summary->drawing : Bytes{}};
  if (with_examples) found.examples = std::make_shared<const DataSplit>(std::move(data));
  return found;
}

}  // namespace foretrain
