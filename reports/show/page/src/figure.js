// A figure: its charts, their shared state, the buttons around them.
import {Chart} from './chart.js';
import {csvOf, dataTable, download} from './table.js';
import {Range, zoomByKeys, zoomByPointer} from './zoom.js';

const kHelp = 'Drag to zoom in, double-click to see all. With the keyboard: arrows move, ' +
  'plus and minus zoom, zero shows all.';

const kGlyphs = {circle: '\u25cf', square: '\u25a0', 'triangle-up': '\u25b2', diamond: '\u25c6',
  'triangle-down': '\u25bc', cross: '\u271a', 'triangle-right': '\u25b6'};

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(text, label, action) {
  const made = element('button', '', text);
  made.type = 'button';
  if (label) {
    made.setAttribute('aria-label', label);
    made.title = label;
  }
  made.addEventListener('click', action);
  return made;
}

/** Whether the x axis of a panel is linear and numeric, so that it can be zoomed. */
function zoomable({spec, series}) {
  const names = spec.params.find((p) => p.name === 'columns').value.length > 0;
  const logarithmic = spec.encoding.x.scale.type === 'log';
  const marks = new Set(series.map((s) => s.mark));
  return !names && !logarithmic && !marks.has('bar') && !marks.has('cell');
}

function firstRange({spec, extent}) {
  const at = (name) => spec.params.find((p) => p.name === name).value;
  return new Range(extent, [at('x_from'), at('x_to')]);
}

export class FigureView {
  constructor(place, figure) {
    this.place = place;
    this.figure = figure;
    this.drawn = false;
    this.charts = [];
    this.ranges = new Map();
    place.classList.add(figure.stacked ? 'stacked' : 'beside');
    if (figure.panels.length === 1) place.classList.add('single');
    for (const panel of figure.panels) this.addPanel(panel);
    place.after(this.legend(), this.tools());
  }

  visible() {
    return this.place.offsetParent !== null;
  }

  /** Panels with the same x label share a range. */
  rangeOf(panel) {
    if (!zoomable(panel)) return null;
    const known = this.ranges.get(panel.x_label);
    if (!known) {
      this.ranges.set(panel.x_label, firstRange(panel));
      return this.ranges.get(panel.x_label);
    }
    known.extent = [Math.min(known.extent[0], panel.extent[0]),
                    Math.max(known.extent[1], panel.extent[1])];
    const first = firstRange(panel).first;
    known.shown = [Math.min(known.shown[0], first[0]), Math.max(known.shown[1], first[1])];
    return known;
  }

  addPanel(panel) {
    const box = element('div', 'panel');
    const title = element('h4', '', panel.title);
    const unit = panel.y_label.startsWith(panel.title) ? panel.y_label.slice(panel.title.length)
                                                       : panel.y_label;
    const note = unit.replace(/^, /, '') + panel.y_note;
    if (note) title.append(' ', element('span', 'unit', note));
    const chart = element('div', 'chart');
    chart.setAttribute('role', 'group');
    chart.setAttribute('aria-roledescription', 'chart');
    const range = this.rangeOf(panel);
    chart.setAttribute('aria-label', `${panel.spec.description}.${range ? ` ${kHelp}` : ''}`);
    const canvas = element('div', 'canvas');
    chart.append(canvas);
    box.append(title, chart);
    this.place.append(box);
    const drawing = new Chart(canvas, panel, range);
    if (range) {
      chart.tabIndex = 0;
      chart.classList.add('zoomable');
      zoomByKeys(chart, range);
      zoomByPointer(chart, range, () => drawing.view);
    }
    this.charts.push(drawing);
  }

  /** Buttons that hide a series, one per title; no legend if the panels' titles suffice. */
  legend() {
    const list = element('ul', 'legend');
    const seen = new Set();
    const hidden = new Set();
    const kinds = this.figure.panels.flatMap((p) => p.series).filter((s) => s.mark !== 'cell');
    for (const series of kinds) {
      if (seen.has(series.title)) continue;
      seen.add(series.title);
      const sample = element('span', `sample ${series.mark}${series.dashed ? ' dashed' : ''}`);
      sample.ariaHidden = 'true';
      if (/line|trace|points/.test(series.mark)) sample.dataset.shape = kGlyphs[series.shape];
      sample.style.setProperty('--colour', series.colour);
      const toggle = button('', '', () => {
        const hide = !hidden.delete(series.title);
        if (hide) hidden.add(series.title);
        toggle.setAttribute('aria-pressed', String(!hide));
        for (const chart of this.charts) chart.setHidden([...hidden]);
      });
      toggle.append(sample, series.title);
      toggle.setAttribute('aria-pressed', 'true');
      toggle.title = 'show or hide';
      const item = element('li');
      item.append(toggle);
      list.append(item);
    }
    const named = this.figure.panels.every(
      ({title, series}) => series.length === 1 && series[0].title === title);
    list.hidden = seen.size === 0 || named;
    return list;
  }

  tools() {
    const bar = element('div', 'tools');
    const each = (action) => () => {
      for (const range of this.ranges.values()) action(range);
    };
    if (this.ranges.size > 0) {
      const group = element('span', 'zoom');
      group.setAttribute('role', 'group');
      group.setAttribute('aria-label', 'zoom');
      group.append(button('\u2190', 'move left', each((r) => r.move(-0.25))),
                   button('+', 'zoom in', each((r) => r.scale(0.5))),
                   button('\u2212', 'zoom out', each((r) => r.scale(2))),
                   button('\u2192', 'move right', each((r) => r.move(0.25))),
                   button('all', 'show all', each((r) => r.all())));
      bar.append(group);
    }
    const name = this.figure.name;
    const numbered = (i) => (this.charts.length > 1 ? `${name}_${i + 1}` : name);
    bar.append(button('SVG', 'save as SVG', async () => {
      for (const [i, chart] of this.charts.entries()) {
        download(`${numbered(i)}.svg`, 'image/svg+xml', await chart.svg());
      }
    }));
    bar.append(button('CSV', 'save the data as CSV', () => {
      for (const [i, chart] of this.charts.entries()) {
        download(`${numbered(i)}.csv`, 'text/csv', csvOf(chart.panel));
      }
    }));
    const details = element('details', 'data');
    details.append(element('summary', '', 'as a table'));
    details.addEventListener('toggle', () => {
      if (!details.open || details.children.length > 1) return;
      for (const {panel} of this.charts) {
        const scroll = element('div', 'scroll');
        scroll.tabIndex = 0;
        scroll.append(dataTable(panel));
        details.append(scroll);
      }
    });
    bar.append(details);
    return bar;
  }

  async draw() {
    this.drawn = true;
    for (const chart of this.charts) await chart.draw();
  }

  async redraw() {
    if (this.drawn) await this.draw();
  }
}

/** A list of figures of which one is shown. */
export class Choice {
  constructor(place, views) {
    const figures = [...place.querySelectorAll('figure')];
    if (figures.length < 2) return;
    const label = element('label', 'choice', `${place.dataset.choices}: `);
    const select = element('select');
    for (const [i, figure] of figures.entries()) {
      const option = element('option', '', figure.dataset.choice);
      option.value = String(i);
      select.append(option);
      figure.hidden = i > 0;
    }
    select.addEventListener('change', async () => {
      for (const [i, figure] of figures.entries()) figure.hidden = String(i) !== select.value;
      const shown = views.get(figures[Number(select.value)].querySelector('[data-figure]'));
      await shown.draw();
    });
    label.append(select);
    place.prepend(label);
  }
}
