// The list of records, with links to their reports.
import {addressOf, get} from './api.js';
import {ago, byId, element} from './element.js';

const kShown = 20;

/** A link to the report of a folder. */
export function linkTo(folder, text) {
  const link = element('a', '', text);
  link.href = addressOf(`/records/${folder.split('/').map(encodeURIComponent).join('/')}`);
  link.target = '_blank';
  link.rel = 'noopener';
  return link;
}

function listOf(records) {
  return element('ul', 'results', ...records.map(({folder, kind, age_s: age, question, result}) =>
    element('li', '', linkTo(folder, question || folder), element('div', '', result ?? ''),
      element('span', 'source', `${kind}, ${ago(age)}: ${folder}`))));
}

export async function showRecords() {
  const records = await get('/records');
  const parts = records.length === 0
    ? [element('p', 'computing', 'None yet: run, simulate, validate and sweep write them here.')]
    : [listOf(records.slice(0, kShown))];
  if (records.length > kShown) {
    parts.push(element('details', '', element('summary', '', `${records.length - kShown} older ones`),
      listOf(records.slice(kShown))));
  }
  byId('records').replaceChildren(...parts);
}
