// The answer to a question: a forecast at once, then what takes longer, line by line.
#pragma once

#include "reports/serve/asker.h"
#include "reports/serve/measuring.h"
#include "reports/serve/question.h"
#include "reports/studies/whatif/forecaster.h"
#include "reports/web/reply.h"
#include "scenarios/resolve/case_data.h"

#include <string>

namespace foretrain::serve {

using web::Reply;

/// Answers questions, one at a time. Each line is an object with its `event`:
///
///     asked     which case, of which there are; where the controls stand
///     measuring this machine, first, for a case that stands on it, or for one before: `what`
///     stopped   somebody stopped that
///     forecast  the first steps, without numerics: `record` (what `simulate --json` prints),
///               `limit`, `path`, the `command` that prints that record, its `yaml`; what the whole
///               training takes, costs by them
///     whole     the record of all steps, where that takes a second or two, with its `command`
///     ways      time, cost by every strategy, with ever more workers: again as more are known
///     learning  loss, accuracy against time, of numerics: `done` of `all` steps while it is
///               computed, what is known of it after two seconds, eight, ...
///     error     what is wrong with it, `line`, `column` in the text where they are known
///     dropped   somebody asked another question
///     end       that was all
class Answerer {
 public:
  /// `machine`: the file behind --machine, for commands; may be empty. `measuring` outlives this.
  Answerer(Forecaster forecaster, std::string machine, Measuring& measuring)
      : forecaster_(std::move(forecaster)), machine_(std::move(machine)), measuring_(measuring) {}

  /// All of it, the end of the reply included. From one thread.
  void answer(Question question, Reply& reply, const Asker::Dropped& dropped);

 private:
  friend class Answer;

  Forecaster forecaster_;
  std::string machine_;
  Measuring& measuring_;
  QuestionReader reader_;
  DataSets data_sets_;
};

}  // namespace foretrain::serve
