// Makes the page of a report interactive; its content is in the page already.
import {Choice, FigureView} from './figure.js';
import {sortableTables} from './table.js';
import {themeButton} from './theme.js';

const root = document.documentElement;

/** Lets the browser handle events before the next chart is drawn. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

async function start() {
  const {figures} = JSON.parse(document.getElementById('drawn-figures').textContent);
  const views = new Map();
  for (const place of document.querySelectorAll('[data-figure]')) {
    views.set(place, new FigureView(place, figures[place.dataset.figure]));
  }
  for (const place of document.querySelectorAll('[data-choices]')) {
    new Choice(place, views);
  }
  sortableTables();
  themeButton(async () => {
    for (const view of views.values()) await view.redraw();
  });
  for (const view of views.values()) {
    await pause();
    if (view.visible()) await view.draw();
  }
  root.dataset.drawn = 'all';
  window.foretrain = {views: [...views.values()]};
}

start().catch((error) => {
  console.error(error);
  document.getElementById('trouble').textContent = `The charts cannot be drawn: ${error.message}`;
});
