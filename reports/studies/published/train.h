// The accuracy side of the published studies, trained for real.
#pragma once

#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

struct PublishedTraining {
  std::filesystem::path
      folder;        ///< what is trained is kept here as it comes (studies/sweep/journal.h)
  std::string data;  ///< folder with the four IDX files of MNIST
  std::string date;  ///< of today, 2026-11-22
  int seeds = 3;
  int threads = 1;  ///< simulations at a time; runs go one at a time
  /// Simulates a case with numerics: the gradients are real, the weights those of a run.
  std::function<Record(const Case&)> simulate;
  std::function<Record(const Case&)> run;
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
};

/// Trains every case from which an accuracy or a loss is read, once a seed (1, 2, ...), then runs
/// what claims ask of the executor, as often. What is the same training is done once; one that was
/// killed goes on where it was. Returns the rows of measured.csv: of the studies that
/// were not asked for (`study` empty: all) those that `library` has. @throws NotDone, InputError
std::vector<Measured> train_published(const PublishedLibrary& library,
                                      const std::vector<Claim>& claims, const std::string& study,
                                      const PublishedTraining& training);

}  // namespace foretrain
