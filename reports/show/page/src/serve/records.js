// The list of records, with links to their reports.
import {addressOf, get} from './api.js';
import {ago, byId, element} from './element.js';

const kShown = 40;

function row({folder, kind, age_s: age}) {
  const link = element('a', '', folder);
  link.href = addressOf(`/records/${folder.split('/').map(encodeURIComponent).join('/')}`);
  link.target = '_blank';
  link.rel = 'noopener';
  const name = element('th', '', link);
  name.scope = 'row';
  return element('tr', '', name, element('td', '', kind), element('td', '', ago(age)));
}

function tableOf(records) {
  const table = element('table');
  const head = table.createTHead().insertRow();
  for (const name of ['folder', 'what it is', 'written']) {
    const column = element('th', '', name);
    column.scope = 'col';
    head.append(column);
  }
  table.createTBody().append(...records.map(row));
  return element('div', 'scroll', table);
}

export async function showRecords() {
  const records = await get('/records');
  const box = byId('records');
  if (records.length === 0) {
    box.replaceChildren(element('p', 'computing', 'None yet: run, simulate, validate and sweep write them here.'));
    return;
  }
  box.replaceChildren(tableOf(records.slice(0, kShown)));
  if (records.length > kShown) {
    const rest = element('details', '', element('summary', '', `${records.length - kShown} older ones`),
      tableOf(records.slice(kShown)));
    box.append(rest);
  }
}
