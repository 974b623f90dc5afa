// Tables that are sorted by a click on a column header; chart data as a table or file.
const kRowsShown = 500;

/** The sort key of a cell: its number and its text. */
function keyOf(row, column) {
  const cell = row.cells[column];
  const text = cell?.dataset.sort ?? cell?.textContent ?? '';
  const number = Number.parseFloat(text.replaceAll(',', '').replace('\u2212', '-'));
  return {number, text};
}

function compare(a, b) {
  const known = Number.isFinite(a.number) - Number.isFinite(b.number);
  if (known !== 0) return -known;
  return Number.isFinite(a.number) && a.number !== b.number ? a.number - b.number
                                                            : a.text.localeCompare(b.text);
}

function sort(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => compare(keyOf(a, column), keyOf(b, column)) * (descending ? -1 : 1));
  body.append(...rows);
}

/** Makes the column headers of long tables buttons. */
export function sortableTables() {
  for (const table of document.querySelectorAll('table.sortable')) {
    const heads = [...table.tHead.rows[0].cells];
    for (const [column, head] of heads.entries()) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      button.querySelector('abbr')?.removeAttribute('tabindex');
      head.append(button);
      button.addEventListener('click', () => {
        const descending = head.getAttribute('aria-sort') === 'ascending';
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        sort(table, column, descending);
      });
    }
  }
}

/** The columns of a panel's data that are shown: `name`, and `at` with the value in row i. */
function columnsOf(panel) {
  const {columns, series, x_label: x, y_label: y} = panel;
  const shown = [{name: 'series', at: (i) => series[columns.k[i]].title}];
  if (columns.name) shown.push({name: 'of', at: (i) => columns.name[i] ?? ''});
  const lying = series.some((s) => s.mark === 'bar');
  if (lying) {
    shown.push({name: x, at: (i) => columns.value[i] ?? ''});
    return shown;
  }
  const named = panel.spec.params.find((p) => p.name === 'rows').value.length > 0;
  shown.push({name: x || 'x', at: (i) => columns.x[i] ?? ''});
  if (columns.x_end) shown.push({name: `${x || 'x'}, end`, at: (i) => columns.x_end[i] ?? ''});
  if (!named) shown.push({name: y, at: (i) => columns.y[i] ?? ''});
  if (columns.value) shown.push({name: 'value', at: (i) => columns.value[i] ?? ''});
  return shown;
}

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The points of a panel as a table. */
export function dataTable(panel) {
  const shown = columnsOf(panel);
  const table = element('table');
  const all = panel.columns.x.length;
  const rows = Math.min(all, kRowsShown);
  const some = rows < all ? ` (the first ${rows} of ${all} rows; the file has all)` : '';
  table.append(element('caption', `${panel.title}${some}`));
  const head = table.createTHead().insertRow();
  for (const column of shown) {
    const cell = element('th', column.name);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = table.createTBody();
  for (let i = 0; i < rows; ++i) {
    const row = body.insertRow();
    for (const column of shown) {
      row.insertCell().textContent =
        column.at(i).toLocaleString('en-US', {maximumSignificantDigits: 10});
    }
  }
  return table;
}

function quoted(cell) {
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The points of a panel as comma-separated values. */
export function csvOf(panel) {
  const shown = columnsOf(panel);
  const lines = [shown.map((c) => quoted(c.name)).join(',')];
  for (let i = 0; i < panel.columns.x.length; ++i) {
    lines.push(shown.map((c) => quoted(c.at(i))).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** Lets the reader save `text` as a file. */
export function download(name, type, text) {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
