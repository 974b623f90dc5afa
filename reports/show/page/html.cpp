// The HTML of a page: content that needs no script, then data, then the script.
#include "reports/show/figures/downsample.h"
#include "reports/show/figures/vega_lite.h"
#include "reports/show/page/assets.h"
#include "reports/show/page/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSortedRows = 6;  // longer tables can be sorted by a click

std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr std::array kEscapes{"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string out;
  for (const char c : text) {
    const auto special = kSpecial.find(c);
    out += special == std::string_view::npos ? std::string(1, c) : kEscapes[special];
  }
  return out;
}

/// Words of the field, explained where they head a column or a row.
constexpr auto kGlossary = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"staleness", "updates of the parameters between the pull and the push of a gradient"},
     {"critical path", "the chain of work and waiting that the training takes as long as"},
     {"statistical efficiency", "what an example contributes to learning"},
     {"speed-up", "rate, relative to the fewest workers"},
     {"efficiency", "speed-up, relative to the number of workers; 1 if none waits"},
     {"straggling", "being slower than other workers"}});

/// A heading as HTML; a word of the glossary shows its meaning if pointed at or focused.
std::string heading(std::string_view text) {
  for (const auto& [word, meaning] : kGlossary) {
    const auto at = text.find(word);
    if (at == std::string_view::npos) continue;
    return fmt::format("{}<abbr title=\"{}\" tabindex=\"0\">{}</abbr>{}",
                       escaped(text.substr(0, at)), meaning, word,
                       escaped(text.substr(at + word.size())));
  }
  return escaped(text);
}

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock appends a zero byte
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  out.pop_back();
  return out;
}

std::string source_line(std::string_view source) {
  if (source.empty()) return {};
  return fmt::format("<span class=\"source\">{}</span>", escaped(source));
}

std::string class_of(const Table::Column& column, Cell::Tone tone) {
  std::vector<std::string_view> names;
  if (column.number) names.emplace_back("number");
  if (column.wide) names.emplace_back("wide");
  if (tone == Cell::Tone::good) names.emplace_back("good");
  if (tone == Cell::Tone::bad) names.emplace_back("bad");
  return names.empty() ? "" : fmt::format(" class=\"{}\"", fmt::join(names, " "));
}

std::string table_html(const Table& table) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table{}>\n"
      "<caption>{}{}</caption>\n<thead><tr>",
      escaped(table.title), table.rows.size() > kSortedRows ? " class=\"sortable\"" : "",
      escaped(table.title), source_line(table.source));
  for (const Table::Column& column : table.columns) {
    text += fmt::format("<th scope=\"col\"{}>{}</th>", class_of(column, Cell::Tone::plain),
                        heading(column.name));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view name = i == 0 ? "th" : "td";
      text += fmt::format("<{0}{1}{2}>{3}</{0}>", name, i == 0 ? " scope=\"row\"" : "",
                          class_of(table.columns.at(i), row[i].tone),
                          i == 0 ? heading(row[i].text) : escaped(row[i].text));
    }
    text += "</tr>\n";
  }
  text += "</tbody>\n</table>\n</div>\n";
  if (!table.folded) return text;
  return fmt::format("<details class=\"folded\"><summary>{} ({} rows)</summary>\n{}</details>\n",
                     escaped(table.title), table.rows.size(), text);
}

/// A numbered list; the space for an answer is of bordered lines, since backgrounds are not
/// printed.
std::string questions_html(const std::vector<WrittenQuestion>& questions) {
  std::string text = "<ol class=\"questions\">\n";
  for (const WrittenQuestion& each : questions) {
    text += fmt::format("<li>{}", escaped(each.text));
    if (!each.answer.empty()) text += fmt::format("<p>{}</p>", escaped(each.answer));
    for (int line = each.answer.empty() ? each.lines : 0; line > 0; --line) text += "<hr>";
    text += "</li>\n";
  }
  return text + "</ol>\n";
}

/// Writes sections; collects their figures in order.
class Writer {
 public:
  Writer(const Pictures& pictures, std::size_t lines_share, bool moving)
      : pictures_(pictures), lines_share_(lines_share), moving_(moving) {}

  std::string section(const Section& section) {
    std::string text = fmt::format(
        "<section id=\"{0}\"{2} aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
        escaped(section.id), escaped(section.title),
        section.questions.empty() ? "" : " class=\"sheet\"");
    if (!section.text.empty()) text += fmt::format("<p>{}</p>\n", escaped(section.text));
    for (const Figure& each : section.figures) text += figure(each, "");
    for (const Alternatives& choice : section.choices) {
      text += fmt::format("<div data-choices=\"{}\">\n", escaped(choice.of));
      for (std::size_t i = 0; i < choice.figures.size(); ++i) {
        text += figure(choice.figures[i], choice.titles.at(i));
      }
      text += "</div>\n";
    }
    for (const Table& table : section.tables) text += table_html(table);
    if (!section.questions.empty()) text += questions_html(section.questions);
    return text + "</section>\n";
  }

  [[nodiscard]] const Json& figures() const { return figures_; }

 private:
  std::string figure(const Figure& figure, const std::string& choice) {
    std::string text = "<figure";
    if (!choice.empty()) text += fmt::format(" data-choice=\"{}\"", escaped(choice));
    text += fmt::format(">\n<figcaption><strong>{}</strong>{}</figcaption>\n",
                        escaped(figure.title), source_line(figure.source));
    text += moving_ ? fmt::format("<div class=\"panels\" data-figure=\"{}\"></div>\n", add(figure))
                    : picture(figure);
    return text + "</figure>\n";
  }

  std::size_t add(const Figure& figure) {
    figures_.push_back(vega_lite(thinned(figure, lines_share_)));
    return figures_.size() - 1;
  }

  std::string picture(const Figure& figure) const {
    std::vector<std::string> panels;
    panels.reserve(figure.panels.size());
    for (const Panel& panel : figure.panels) {
      panels.push_back(fmt::format("{}: {} against {}", panel.title, panel.y_label, panel.x_label));
    }
    const auto found = pictures_.find(figure.name);
    if (found == pictures_.end()) {
      return fmt::format("<p>{} is not drawn: gnuplot was not installed.</p>\n",
                         escaped(figure.name));
    }
    return fmt::format("<img class=\"static\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n",
                       escaped(fmt::format("{}", fmt::join(panels, "; "))), base64(found->second));
  }

  const Pictures& pictures_;
  std::size_t lines_share_;
  bool moving_;
  Json figures_ = Json::array();
};

/// JSON without `<`, so that it cannot end the script element around it.
std::string script_json(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

std::string head_html(const Page& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"generator\" content=\"foretrain {}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "<style id=\"dark\" media=\"screen and (prefers-color-scheme: "
      "dark)\">\n{}</style>\n</head>\n",
      FORETRAIN_VERSION, escaped(page.title), page_style(), page_dark_style());
}

std::string opening_html(const Page& page, const std::vector<const Section*>& sections) {
  std::string text = fmt::format(
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
      "<div class=\"page has-nav\">\n<header>\n<div>\n<h1>{}</h1>\n",
      escaped(page.title));
  if (!page.question.empty()) {
    text += fmt::format("<p class=\"question\">{}</p>\n", escaped(page.question));
  }
  if (!page.sentence.empty()) {
    text += fmt::format("<p class=\"sentence\">{}</p>\n", escaped(page.sentence));
  }
  text +=
      "</div>\n<button type=\"button\" id=\"theme\" hidden>Dark</button>\n</header>\n"
      "<p id=\"trouble\" role=\"alert\"></p>\n<div class=\"body\">\n"
      "<nav aria-label=\"Sections\"><ul>\n";
  for (const Section* section : sections) {
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(section->id),
                        escaped(section->title));
  }
  return text + "</ul></nav>\n<main id=\"main\">\n";
}

}  // namespace

void Table::drop_empty_columns() {
  for (std::size_t i = columns.size(); i-- > 1;) {
    const auto says_nothing = [&](const std::vector<Cell>& row) {
      return row.at(i).text.empty() || row.at(i).text == "-";
    };
    if (!std::ranges::all_of(rows, says_nothing)) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    columns.erase(columns.begin() + place);
    for (auto& row : rows) row.erase(row.begin() + place);
  }
}

bool Section::empty() const { return tables.empty() && figures.empty() && choices.empty(); }

bool page_is_interactive() { return !page_script().empty(); }

std::size_t line_share(std::size_t figures) {
  constexpr std::size_t kFewest = 200;
  return std::max(kFewest, kMostPagePoints / std::max<std::size_t>(1, figures));
}

std::vector<Figure> figures_of(const Page& page) {
  std::vector<Figure> figures;
  for (const Section& section : page.sections) {
    std::ranges::copy(section.figures, std::back_inserter(figures));
    for (const Alternatives& choice : section.choices) {
      std::ranges::copy(choice.figures, std::back_inserter(figures));
    }
  }
  return figures;
}

std::string page_html(const Page& page, const Pictures& pictures) {
  return page_html(page, pictures, page_script());
}

std::string page_html(const Page& page, const Pictures& pictures, std::string_view script) {
  const bool moving = !script.empty();
  Writer writer(pictures, line_share(figures_of(page).size()), moving);
  std::vector<const Section*> sections;
  std::string body;
  for (const Section& section : page.sections) {
    if (section.empty()) continue;
    sections.push_back(&section);
    body += writer.section(section);
  }
  std::string text = head_html(page) + opening_html(page, sections) + body;
  text += fmt::format(
      "</main>\n</div>\n<footer>Written by foretrain {}. The page is a single file and needs "
      "no network.</footer>\n</div>\n",
      FORETRAIN_VERSION);
  if (moving) {
    text += fmt::format(
        "<script type=\"application/json\" id=\"drawn-figures\">{}</script>\n<script>\n",
        script_json({{"figures", writer.figures()}}));
    text += script;
    text += "</script>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace foretrain
