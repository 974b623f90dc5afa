// The part of the x axis that charts show together, set by pointer or keys.
const kSmallest = 1e-6;  // minimal share of the extent that can be shown
const kClick = 6;        // pixels of movement up to which a press is a click

/** A part of an axis; calls its listeners after each change. */
export class Range {
  constructor(extent, first) {
    this.extent = extent;
    this.first = first;
    this.shown = first;
    this.listeners = [];
  }

  set([from, to]) {
    const [least, most] = this.extent;
    const length = Math.min(Math.max(to - from, (most - least) * kSmallest), most - least);
    const begin = Math.min(Math.max(from, least), most - length);
    this.shown = length < most - least ? [begin, begin + length] : [least, most];
    for (const listener of this.listeners) listener(this.shown);
  }

  /** Shows `factor` times as much, around the middle. */
  scale(factor) {
    const [from, to] = this.shown;
    const middle = (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    this.set([middle - half, middle + half]);
  }

  /** Moves by a share of the visible length. */
  move(share) {
    const [from, to] = this.shown;
    this.set([from + (to - from) * share, to + (to - from) * share]);
  }

  all() {
    this.set(this.extent);
  }
}

const kKeys = {
  ArrowLeft: (range) => range.move(-0.25),
  ArrowRight: (range) => range.move(0.25),
  '+': (range) => range.scale(0.5),
  '=': (range) => range.scale(0.5),
  '-': (range) => range.scale(2),
  0: (range) => range.all(),
};

/** Handles arrows, plus, minus, zero if the chart has the focus. */
export function zoomByKeys(chart, range) {
  chart.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = kKeys[event.key];
    if (!action) return;
    event.preventDefault();
    action(range);
  });
}

/** Dragging across a chart zooms to that part; a double click shows all. */
export function zoomByPointer(chart, range, viewOf) {
  let begin = null;
  const band = document.createElement('div');
  band.className = 'band';
  const place = (event) => {
    const view = viewOf();
    const left = view.origin()[0];
    const box = chart.getBoundingClientRect();
    const at = Math.min(Math.max(event.clientX - box.left - left, 0), view.width());
    return {pixel: at + left, value: view.scale('x').invert(at)};
  };
  chart.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !viewOf()) return;
    begin = place(event);
  });
  chart.addEventListener('pointermove', (event) => {
    if (!begin) return;
    const now = place(event);
    if (Math.abs(now.pixel - begin.pixel) < kClick) return;
    if (!chart.hasPointerCapture(event.pointerId)) chart.setPointerCapture(event.pointerId);
    if (!band.isConnected) chart.append(band);
    band.style.left = `${Math.min(now.pixel, begin.pixel)}px`;
    band.style.width = `${Math.abs(now.pixel - begin.pixel)}px`;
  });
  const end = (event) => {
    if (!begin) return;
    const from = begin;
    begin = null;
    band.remove();
    if (event.type === 'pointercancel') return;
    const to = place(event);
    if (Math.abs(to.pixel - from.pixel) < kClick) return;
    range.set([Math.min(from.value, to.value), Math.max(from.value, to.value)]);
  };
  chart.addEventListener('pointerup', end);
  chart.addEventListener('pointercancel', end);
  chart.addEventListener('dblclick', () => range.all());
}
