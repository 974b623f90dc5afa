#include "exec/calibration/cluster/orders.h"

#include <nlohmann/json.hpp>

namespace foretrain::exec {

nlohmann::json to_json(const LinkPlace& place) {
  return {{"rank", place.rank},
          {"address", place.endpoint.address().to_string()},
          {"port", place.endpoint.port()}};
}

LinkPlace link_place_of(const nlohmann::json& json) {
  return {json.at("rank"),
          {boost::asio::ip::make_address(json.at("address").get<std::string>()), json.at("port")}};
}

nlohmann::json to_json(const LinkLoad& load) {
  return {{"number", load.number}, {"connections", load.connections}};
}

LinkLoad link_load_of(const nlohmann::json& json) {
  return {json.at("number"), json.at("connections")};
}

nlohmann::json to_json(const Processor& processor) {
  return {{"name", processor.name},   {"family", processor.family}, {"model", processor.model},
          {"cores", processor.cores}, {"l1d", processor.l1d.value}, {"l2", processor.l2.value},
          {"l3", processor.l3.value}};
}

Processor processor_of(const nlohmann::json& json) {
  return {json.at("name"),  json.at("family"), json.at("model"), json.at("cores"),
          {json.at("l1d")}, {json.at("l2")},   {json.at("l3")}};
}

}  // namespace foretrain::exec
