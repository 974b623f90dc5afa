// The time of a whole training, from a simulation of its first steps.
#pragma once

#include "reports/studies/budget/budget.h"

namespace foretrain {

/// Simulated steps per worker; after the first kBudgetWarmSteps the training is taken to be in a
/// steady state.
inline constexpr int kBudgetSteps = 16;
inline constexpr int kBudgetWarmSteps = 4;
/// Simulated steps if all are equal, as the second and third show.
inline constexpr int kBudgetEvenSteps = 4;

/// Estimated time of the whole training, in seconds. It adds to the recorded time, for each
/// remaining gradient, the mean time of a gradient after the first kBudgetWarmSteps of each worker:
///
///     time of the record + (gradients in all - gradients so far) x
///         (end of the last - end of the warm ones) / (gradients so far - warm ones)
double whole_time_s(const Record& record, std::int64_t gradients);

/// @throws NotDone if the training does not end, or is interrupted; InputError
Record simulated(const Case& scenario_case, const BudgetOptions& options);

/// The price of the offer's hosts for that time.
double cost_of(const Offer& offer, double time_s);
void set_time(Offer& offer, double time_s);

/// The case shortened to `steps` steps, without a target and evaluations.
Case begun_of(Case whole, const BudgetBase& base, int steps);

/// Simulates the first steps of an offer, and sets what is known from them: time, cost, range,
/// shares. @throws as simulated
void time_offer(Offer& offer, const BudgetBase& base, const BudgetOptions& options);

/// Sets the least time and the range of offers with the host and the batch size of the first: a
/// gradient takes at least what a worker alone computes, and what its host has to receive. Not set
/// if workers compute on cores, which they share, if times are drawn, or with a target.
/// @throws as simulated
void set_least_times(const std::vector<Offer*>& offers, const HostSpec& host,
                     const BudgetBase& base, const BudgetOptions& options);

}  // namespace foretrain
