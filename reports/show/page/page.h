// A report as one HTML file that needs nothing else.
#pragma once

#include "reports/show/figures/figure.h"

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
    bool number = false;  ///< stands at the right
    bool wide = false;    ///< sentences, which may be broken
  };
  std::string title;
  std::string source;  ///< mode, machine, calibration, where the section does not say so
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< the first cell of each is its head
  bool folded = false;                  ///< shown when it is asked for

  /// Leaves out the columns of which no cell says anything (empty, `-`).
  void drop_empty_columns();
};

/// Figures of one kind, of which a reader looks at one at a time.
struct Alternatives {
  std::string of;                   ///< what is chosen: `record`
  std::vector<std::string> titles;  ///< one a figure
  std::vector<Figure> figures;
};

struct Section {
  std::string id;  ///< letters; of the link to it
  std::string title;
  std::string text;  ///< how to read it; may be empty
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<Alternatives> choices{};

  [[nodiscard]] bool empty() const;
};

struct Page {
  std::string title;
  std::string question;  ///< of the scenario; may be empty
  std::string sentence;  ///< the one that matters
  std::vector<Section> sections;
};

/// The lines of a page share so many points, so that ten thousand steps fit into 2 MB.
inline constexpr std::size_t kMostPagePoints = 24'000;

/// Whether this program was built with the charts that move (npm was there).
bool page_is_interactive();

/// Pictures of figures by name, as SVG, for a page whose charts do not move.
using Pictures = std::map<std::string, std::string>;

/// How many points each figure of a page may have, of so many figures (thinned).
std::size_t line_share(std::size_t figures);

/// Every figure of a page.
std::vector<Figure> figures_of(const Page& page);

/// The file. Charts move where the program has them (page_is_interactive); else `pictures` stand
/// in their places, and a figure without one says how to get it. The bytes depend on nothing but
/// the arguments. Nothing in it leaves the file: no address is fetched, and its own policy forbids
/// it.
std::string page_html(const Page& page, const Pictures& pictures = {});

/// As page_html, with a script of somebody's choice, or with none: an empty one makes the page
/// whose charts do not move.
std::string page_html(const Page& page, const Pictures& pictures, std::string_view script);

}  // namespace foretrain
