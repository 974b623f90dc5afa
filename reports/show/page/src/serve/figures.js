// Charts of the answer: those of reports, drawn anew as more is known.
import {FigureView} from '../figure.js';
import {element} from './element.js';

const views = new Map();  // by the box that a chart is in

export function clearFigure(box) {
  for (const chart of views.get(box)?.charts ?? []) chart.view?.finalize();
  views.delete(box);
  box.replaceChildren();
}

/** `figure`: as the server describes it, or null. */
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

/** In other colours. */
export async function redrawFigures() {
  for (const view of views.values()) await view.redraw();
}

/** What is drawn: for those who test it. */
export function drawnFigures() {
  return [...views.values()].filter((view) => view.drawn).map((view) => view.figure.name);
}
