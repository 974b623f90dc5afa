// The answer to a question: an immediate forecast, then slower results, line by line.
#pragma once

#include "reports/serve/latest_wins_worker.h"
#include "reports/serve/measuring.h"
#include "reports/serve/question.h"
#include "reports/studies/whatif/forecast_source.h"
#include "reports/web/reply.h"
#include "scenarios/resolve/case_data.h"

#include <string>

namespace foretrain::serve {

using web::Reply;

/// Answers questions one at a time. Each line of an answer is an object with an `event`:
///
///     asked     the chosen case and the others, the state of the controls, the `yaml` of all cases
///     measuring progress (`what`) of a calibration of this machine that this or an earlier case
///               needs
///     stopped   the calibration was stopped
///     forecast  the first steps, without numerics: `record` (as `simulate --json` prints it),
///               `limit`, `path`, the `command` that prints that record, a `sentence`; the
///               estimated time and cost of the whole training; `work`, its examples over those
///               before controls were moved
///     whole     the record of all steps, if simulated within two seconds, with its `command` and
///               the `sentence` that this prints
///     ways      time and cost by strategy and number of workers; repeated with further results
///     learning  loss and accuracy over time, from numerics: progress (`done` of `all` steps),
///               intermediate results after two seconds, eight, ..., the final result like `whole`
///     answer    of a sweep: progress (`done` of `all` cases), then the `sentence` of all cases,
///               their table as `text`, the `command` that prints both
///     error     an error, with `line` and `column` in the text if they are known
///     dropped   a newer question replaced this one
///     end       the answer is complete
class Answerer {
 public:
  /// `machine`: the file given by --machine; may be empty. `measuring` must outlive this object.
  Answerer(Forecaster forecaster, std::string machine, Measuring& measuring)
      : forecaster_(std::move(forecaster)), machine_(std::move(machine)), measuring_(measuring) {}

  /// Sends the whole answer and ends the reply. To be called from one thread.
  void answer(Question question, Reply& reply, const LatestWinsWorker::Dropped& dropped);

 private:
  friend class Answer;

  Forecaster forecaster_;
  std::string machine_;
  Measuring& measuring_;
  DataSets data_sets_;
};

}  // namespace foretrain::serve
