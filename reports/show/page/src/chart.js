// One panel of a figure, drawn by Vega from its Vega-Lite specification.
import {Error as Errors, parse, View, Warn} from 'vega';
import {compile} from 'vega-lite';

import {chartConfig, coloured} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';

const kMostSvgRows = 1500;  // larger charts use a canvas, since a large SVG is slow
const kMarks = 40;  // at most, of a line

/** The rows for the specification, from the columns in the page. */
function rowsOf({columns, series}) {
  const names = Object.keys(columns);
  const counts = series.map((_, k) => columns.k.filter((each) => each === k).length);
  const seen = series.map(() => 0);
  return columns.x.map((_, i) => {
    const k = columns.k[i];
    const every = series[k].mark === 'points' ? 1 : Math.ceil(counts[k] / kMarks);
    const row = {series: series[k].title, marked: seen[k]++ % every === 0};
    for (const name of names) row[name] = columns[name][i];
    return row;
  });
}

export class Chart {
  /** `place`: the element to draw into; `range`: the shared part of the x axis, or null. */
  constructor(place, panel, range) {
    this.place = place;
    this.panel = panel;
    this.range = range;
    this.hidden = [];
    this.view = null;
    range?.listeners.push(() => this.show());
  }

  async draw() {
    this.view?.finalize();
    this.place.replaceChildren();
    const specification = coloured({...this.panel.spec, config: chartConfig()});
    const {spec} = compile(specification);
    const rows = rowsOf(this.panel);
    this.view = new View(parse(spec), {
      container: this.place,
      renderer: rows.length > kMostSvgRows ? 'canvas' : 'svg',
      hover: true,
      logLevel: Warn,
    });
    this.view.tooltip((_, event, item, value) =>
      value ? showTooltip(event, value) : hideTooltip());
    this.view.data('rows', rows);
    this.setSignals();
    await this.view.runAsync();
    // Screen readers use the label of the chart, and the table below it, instead.
    for (const drawing of this.place.querySelectorAll('svg, canvas')) {
      drawing.setAttribute('aria-hidden', 'true');
    }
  }

  setSignals() {
    if (this.range) {
      this.view.signal('x_from', this.range.shown[0]).signal('x_to', this.range.shown[1]);
    }
    this.view.signal('hidden', this.hidden);
    // A hidden series leaves a layer without data, about which Vega would warn.
    this.view.logLevel(this.hidden.length > 0 ? Errors : Warn);
  }

  /** Redraws after a change of the range or the hidden series. */
  show() {
    if (!this.view) return;
    this.setSignals();
    this.view.runAsync();
  }

  setHidden(titles) {
    this.hidden = titles;
    this.show();
  }

  async svg() {
    return this.view.toSVG();
  }
}
