// Machine files from text, to text.
#include "scenarios/machine.h"

#include "scenarios/describe/machine_fields.h"
#include "scenarios/describe/reader.h"
#include "scenarios/describe/version.h"
#include "scenarios/describe/writer.h"
#include "scenarios/schema.h"
#include "scenarios/yaml/text_guard.h"

namespace foretrain {

Machine read_machine(const std::string& path) { return parse_machine(read_text(path), path); }

Machine parse_machine(const std::string& text, const std::string& source) {
  Value root = parse_yaml(text, source);
  check_version(root, "foretrain_machine", "foretrain",
                "this is a scenario; a machine file is what foretrain calibrate writes");
  root.erase("foretrain_machine");
  Reading reading(machine_keys());
  Reader reader(reading, root, "");
  Machine machine;
  describe(reader, machine);
  reader.finish();
  reading.check_all_used();
  return machine;
}

std::string to_yaml(const Machine& machine) {
  Writer writer;
  writer.add("foretrain_machine", write_value({}, 1));
  describe(writer, machine);
  return to_yaml(writer.take());
}

}  // namespace foretrain
