// Builds our tree from yaml-cpp's events within fixed bounds.
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/value.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <sstream>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kDepthMax = 50;
constexpr std::size_t kValuesMax = 10'000;
constexpr std::size_t kTextMax = 4'000'000;  // bytes of scalars after the expansion of aliases

/// The size of a tree, as the bounds count it.
struct Size {
  std::size_t values = 0;
  std::size_t text = 0;
  std::size_t depth = 0;
};

Size size_of(const Value& value) {
  Size size{1, value.text.size(), 0};
  const auto add = [&](const Value& child) {
    const Size inner = size_of(child);
    size.values += inner.values;
    size.text += inner.text;
    size.depth = std::max(size.depth, inner.depth + 1);
  };
  for (const Value& item : value.items) add(item);
  for (const Entry& entry : value.entries) {
    add(entry.value);
    size.text += entry.key.size();
  }
  return size;
}

/// Builds the tree from yaml-cpp's events. An alias copies the value of its anchor after counting
/// its size, so an alias bomb fails at the first alias that exceeds the bounds.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const std::string> source) : source_(std::move(source)) {}

  Value take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a second YAML document begins here; keep one in a file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (key_is_next()) fail(mark, "an empty key; name it, or remove the line");
    count({1, 0, 0}, mark);
    add(make(Value::Kind::null, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (key_is_next()) fail(mark, "an alias as a key; write the key out");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside its own anchor; write the value out");
    count(found->second.second, mark);
    add(Value(found->second.first), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(mark, tag);
    count({key_is_next() ? 0u : 1u, text.size(), 0}, mark);
    const std::string key = key_is_waiting() ? open_.back().value.entries.back().key + ": " : "";
    refuse_controls(text, fmt::format("{}: {}", to_text(mark_of(mark)), key),
                    key_is_next() ? "" : kLayout);
    // The parser returns the escapes \N and \_ as a single byte each.
    if (!is_utf8(text)) {
      fail(mark, "an escape that is no UTF-8; write the character, or \\u and its code");
    }
    if (key_is_next()) return add_key(mark, text);
    Value scalar = make(Value::Kind::scalar, mark);
    scalar.text = text;
    add(std::move(scalar), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check_tag(mark, tag);
    open(Value::Kind::list, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check_tag(mark, tag);
    open(Value::Kind::map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map that is not complete.
  struct Open {
    Value value;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;              // a map's last entry has no value yet
    std::map<std::string, int> lines;  // line of each key of a map
  };

  [[nodiscard]] TextMark mark_of(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1};
  }
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", to_text(mark_of(mark)), what));
  }
  // `?`: no tag; `!`: a quoted scalar.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, fmt::format("a tag, {}: tags are not used here; remove it", tag));
  }
  [[nodiscard]] Value make(Value::Kind kind, const YAML::Mark& mark) const {
    Value value;
    value.kind = kind;
    value.mark = mark_of(mark);
    return value;
  }
  /// Whether a map's last entry has a key but no value yet.
  [[nodiscard]] bool key_is_waiting() const { return !open_.empty() && open_.back().has_key; }
  [[nodiscard]] bool key_is_next() const {
    return !open_.empty() && open_.back().value.kind == Value::Kind::map && !open_.back().has_key;
  }

  void count(const Size& size, const YAML::Mark& mark) {
    values_ += size.values;
    text_ += size.text;
    if (values_ > kValuesMax) {
      fail(mark, fmt::format("more than {} values, aliases expanded; write less", kValuesMax));
    }
    if (text_ > kTextMax) {
      fail(mark, fmt::format("more than {} MB of text, aliases expanded; write less",
                             kTextMax / 1'000'000));
    }
    if (open_.size() + size.depth > kDepthMax) {
      fail(mark, fmt::format("nested more than {} deep; write it flatter", kDepthMax));
    }
  }

  void add_key(const YAML::Mark& mark, const std::string& key) {
    Open& map = open_.back();
    const auto [first, fresh] = map.lines.emplace(key, mark.line + 1);
    if (!fresh) {
      fail(mark, fmt::format("{}: given a second time, first in line {}; remove one", key,
                             first->second));
    }
    map.value.entries.push_back({key, mark_of(mark), {}});
    map.has_key = true;
  }

  void open(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count({1, 0, 1}, mark);
    open_.push_back({make(kind, mark), anchor, false, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    // Checked at the end, because the parser reports a missing bracket better.
    if (key_is_next()) {
      throw InputError(fmt::format("{}: a key that is a list or a mapping; write a word",
                                   to_text(done.value.mark)));
    }
    add(std::move(done.value), done.anchor);
  }

  void add(Value value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {value, size_of(value)};
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.kind == Value::Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else {
      parent.value.entries.back().value = std::move(value);
      parent.has_key = false;
    }
  }

  std::shared_ptr<const std::string> source_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<Value, Size>> anchors_;
  Value root_;
  std::size_t values_ = 0;
  std::size_t text_ = 0;
  int documents_ = 0;
};

void forget_lines(Value& value) {
  value.mark.line = 0;
  for (Value& item : value.items) forget_lines(item);
  for (Entry& entry : value.entries) {
    entry.mark.line = 0;
    forget_lines(entry.value);
  }
}

/// The documents of `text`, possibly none; yaml-cpp's exceptions pass through.
Value build(std::string_view text, const std::string& source, bool& empty) {
  std::istringstream in{std::string(text)};
  YAML::Parser parser(in);
  TreeBuilder builder(std::make_shared<const std::string>(source));
  empty = !parser.HandleNextDocument(builder);
  while (parser.HandleNextDocument(builder)) {
  }
  return builder.take_root();
}

}  // namespace

Value parse_yaml(std::string_view text, const std::string& source) {
  check_text(text, source);
  bool empty = false;
  Value root;
  try {
    root = build(text, source, empty);
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}:{}:{}: not YAML: {}; correct the line", source,
                                 error.mark.line + 1, error.mark.column + 1, error.msg));
  }
  if (empty) throw InputError(source + ":1:1: the file is empty; is this a scenario file?");
  return root;
}

Value load_yaml(const std::string& path) { return parse_yaml(read_text(path), path); }

Value parse_yaml_value(std::string_view text, const std::string& source) {
  check_text(text, source);
  bool empty = false;
  try {
    Value value = build(text, source, empty);
    if (empty) value.mark.source = std::make_shared<const std::string>(source);
    forget_lines(value);
    return value;
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}: not YAML: {}; quote the value", source, error.msg));
  }
}

}  // namespace foretrain
