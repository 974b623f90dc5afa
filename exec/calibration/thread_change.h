// What a job takes longer on a thread beside the event loop.
#pragma once

namespace foretrain::exec {

/// How much longer a job takes on a core where it is handed to a thread that computes and the event
/// loop is told of its end (models/protocol/job_placement.h), than where it runs on the loop:
/// seconds. Of jobs that do nothing, one after another, which a driver of a node carries out.
double measure_thread_change(int core);

}  // namespace foretrain::exec
