// A report as one self-contained HTML file.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/result/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A cell of a table.
struct Cell {
  std::string text;
  enum class Tone { plain, good, bad } tone = Tone::plain;
};

struct Table {
  struct Column {
    std::string name;     ///< with its unit: `time [s]`
    bool number = false;  ///< aligned right
    bool wide = false;    ///< sentences, which may be wrapped
  };
  std::string title;
  std::string source;  ///< mode, machine, calibration, unless the section has them
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< the first cell is the row's header
  bool folded = false;                  ///< collapsed until the reader opens it

  /// Removes columns whose cells are all empty or `-`, except the first.
  void drop_empty_columns();
};

/// Figures of one kind, of which the page shows one at a time.
struct Alternatives {
  std::string of;                   ///< name of the choice: `record`
  std::vector<std::string> titles;  ///< one per figure
  std::vector<Figure> figures;
};

struct Section {
  std::string id;  ///< letters; anchor of links to it
  std::string title;
  std::string text;  ///< explanation; may be empty
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<Alternatives> choices{};
  std::vector<WrittenQuestion> questions{};  ///< if any, the section begins a page on paper

  [[nodiscard]] bool empty() const;
};

struct Page {
  std::string title;
  std::string question;  ///< of the scenario, or a line for a name; may be empty
  std::string sentence;  ///< the headline
  std::vector<Section> sections;
};

/// Maximum of points of all lines in a page, so that ten thousand steps fit into 2 MB.
inline constexpr std::size_t kMostPagePoints = 24'000;

/// Whether this program was built with npm, so that pages have interactive charts.
bool page_is_interactive();

/// Figures as SVG by name, for a page without interactive charts.
using Pictures = std::map<std::string, std::string>;

/// Maximum of points of each of so many figures of a page (thinned).
std::size_t line_share(std::size_t figures);

/// All figures of a page.
std::vector<Figure> figures_of(const Page& page);

/// The HTML file. Charts are interactive if the program has them (page_is_interactive); else they
/// are `pictures`, and a figure without a picture says how to get it. The bytes depend on the
/// arguments alone. The file loads nothing from any address, and its Content-Security-Policy
/// forbids that.
std::string page_html(const Page& page, const Pictures& pictures = {});

/// As page_html with a given script. An empty script makes a page without interactive charts.
std::string page_html(const Page& page, const Pictures& pictures, std::string_view script);

}  // namespace foretrain
