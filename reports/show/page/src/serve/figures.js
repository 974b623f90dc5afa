// Charts of the answer, the same as in reports, redrawn as results arrive.
import {FigureView} from '../figure.js';
import {element} from './element.js';

const views = new Map();  // keyed by the element around the chart

export function clearFigure(box) {
  for (const chart of views.get(box)?.charts ?? []) chart.view?.finalize();
  views.delete(box);
  box.replaceChildren();
}

/** `figure`: the server's object, or null. */
export async function showFigure(box, figure) {
  clearFigure(box);
  if (!figure) return;
  const place = element('div', 'panels');
  const made = element('figure', '', element('figcaption', '', element('strong', '', figure.title),
    ...(figure.source ? [element('span', 'source', figure.source)] : [])), place);
  box.append(made);
  const view = new FigureView(place, figure);
  views.set(box, view);
  await view.draw();
}

/** Redraws in the current colours. */
export async function redrawFigures() {
  for (const view of views.values()) await view.redraw();
}

/** Names of the drawn figures, for tests. */
export function drawnFigures() {
  return [...views.values()].filter((view) => view.drawn).map((view) => view.figure.name);
}
