// The keys of a machine's message costs.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/model_cost_fields.h"

namespace foretrain {

template <class Visitor, Described<TransportCost> T>
void describe(Visitor& visit, T& transport) {
  visit.section({.key = "send", .doc = "CPU time to send a message, by bytes", .required = true},
                transport.send);
  visit.section(
      {.key = "receive", .doc = "CPU time to receive a message, by bytes", .required = true},
      transport.receive);
  visit.field({.key = "one_core_byte",
               .doc = "CPU time of a byte between nodes of one core, of both together; left out: "
                      "as between two cores",
               .least = 0,
               .most = 1,
               .written = transport.one_core_byte_s > 0,
               .seconds = true},
              transport.one_core_byte_s);
  visit.field({.key = "first_bytes",
               .doc = "cost of a byte of the first 32 KB of a message, relative to a later byte",
               .above = 0,
               .most = 1,
               .written = transport.short_message_factor < 1},
              transport.short_message_factor);
  visit.field({.key = "one_core_first_bytes",
               .doc = "the same between nodes of one core",
               .above = 0,
               .most = 1,
               .written = transport.one_core_short_message_factor < 1},
              transport.one_core_short_message_factor);
  visit.field({.key = "handoff",
               .doc = "delay from the end of a send until a polling receiver begins to receive; "
                      "left out: none",
               .least = 0,
               .most = 1e3,
               .written = transport.handoff.ns > 0},
              transport.handoff);
  visit.field({.key = "wake",
               .doc = "the same delay for a receiver that sleeps on an idle core",
               .least = 0,
               .most = 1e3,
               .required = true},
              transport.wake);
  visit.field({.key = "preempt",
               .doc = "the same delay for a receiver that sleeps on a core that computes",
               .least = 0,
               .most = 1e3},
              transport.preempt);
  visit.field(
      {.key = "poll",
       .doc = "how long a receiver polls before it sleeps; left out: as nodes of this program do",
       .least = 0,
       .most = 1e3,
       .written = transport.poll != kPoll},
      transport.poll);
}

template <class Visitor, Described<EmulatedCost> T>
void describe(Visitor& visit, T& emulated) {
  visit.section({.key = "send", .doc = "CPU time to send a message, by bytes", .required = true},
                emulated.send);
  visit.section(
      {.key = "receive", .doc = "CPU time to receive a message, by bytes", .required = true},
      emulated.receive);
}

}  // namespace foretrain
