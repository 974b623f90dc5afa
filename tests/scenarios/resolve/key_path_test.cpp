// Dotted paths: parsing, writing, changing a tree.
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/expand_sweep.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

Value scalar(const std::string& text) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = text;
  return value;
}

// The tree of `hosts: [{nic: a}, {nic: b}]`.
Value tree() {
  Value root;
  Value list;
  list.kind = Value::Kind::list;
  list.items.resize(2);
  lay_over(root, {"hosts"}, {}, list);
  lay_over(root, {"hosts", "0", "nic"}, {}, scalar("a"));
  lay_over(root, {"hosts", "1", "nic"}, {}, scalar("b"));
  return root;
}

std::string at(Value& root, const std::string& host) {
  return root.find("hosts")->value.items.at(std::stoul(host)).find("nic")->value.text;
}

TEST_CASE("key path: brackets and dots mean the same and are written in one way") {
  CHECK(parse_key_path("cluster.hosts[0].nic") == KeyPath{"cluster", "hosts", "0", "nic"});
  CHECK(parse_key_path("cluster.hosts.0.nic") == KeyPath{"cluster", "hosts", "0", "nic"});
  CHECK(to_text(parse_key_path("cluster.hosts.0.nic")) == "cluster.hosts[0].nic");
  CHECK(to_text(parse_key_path("a[0][12]")) == "a[0][12]");
}

TEST_CASE("key path: what is no path is refused") {
  for (const std::string text :
       {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a]", "[0]", "a[0]b", "a[-1]", "a.[0]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_key_path(text), BadValue);
  }
}

TEST_CASE("key path: mappings are made on the way, items of lists are not") {
  Value root = tree();
  lay_over(root, {"hosts", "1", "nic"}, {}, scalar("c"));
  CHECK(at(root, "0") == "a");
  CHECK(at(root, "1") == "c");
  lay_over(root, {"training", "optimizer", "name"}, {}, scalar("adam"));
  CHECK(root.find("training")->value.find("optimizer")->value.find("name")->value.text == "adam");
  CHECK_THROWS_WITH(lay_over(root, {"hosts", "2", "nic"}, {}, scalar("d")),
                    Catch::Contains("hosts has the items 0 to 1"));
  CHECK_THROWS_WITH(lay_over(root, {"hosts", "0", "nic", "rate"}, {}, scalar("d")),
                    Catch::Contains("hosts[0].nic is") && Catch::Contains("it has no keys"));
  CHECK_THROWS_WITH(lay_over(root, {"links", "0"}, {}, scalar("d")),
                    Catch::Contains("there is no list links"));
}

TEST_CASE("key path: what is taken out is gone, and what was not there is told") {
  Value root = tree();
  CHECK(remove_from(root, {"hosts", "0"}));
  CHECK(at(root, "0") == "b");
  CHECK(!remove_from(root, {"hosts", "1"}));
  CHECK(!remove_from(root, {"training", "steps"}));
  CHECK(remove_from(root, {"hosts"}));
  CHECK(root.find("hosts") == nullptr);
}

}  // namespace
}  // namespace foretrain
