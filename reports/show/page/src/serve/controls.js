// Sliders, lists: only those that were moved are sent, the others show the scenario.
import {byId, element, figure} from './element.js';

/** Slider stops for numbers of nodes. */
const kNodes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256];
const kSliders = [
  {key: 'workers', name: 'workers', stops: kNodes, whole: true, least: 1},
  {key: 'servers', name: 'servers', stops: kNodes.slice(0, 15), whole: true, least: 1},
  {key: 'batch_size', name: 'batch', whole: true, least: 1, about: 'examples of a gradient of one worker',
   stops: [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096]},
  {key: 'hosts', name: 'hosts', stops: kNodes, whole: true, least: 1},
  {key: 'nic_gbps', name: 'NIC', unit: 'Gbps', least: 0.001,
   stops: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 40, 50, 100, 200, 400, 800]},
  {key: 'latency_us', name: 'latency', unit: 'us', least: 0, about: 'one way from a host to the switch',
   stops: [0, 1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 5000, 20000, 50000]},
  {key: 'straggling', name: 'straggling', unit: '\u03c3', least: 0,
   about: 'every gradient takes a lognormal factor of its time, with this sigma; 0: none',
   stops: [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2]},
];

/** Index of the stop nearest to a value. */
function nearest(stops, value) {
  let best = 0;
  for (const [i, stop] of stops.entries()) {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i;
  }
  return best;
}

/** A slider over stops, with a field for any other value. */
class Slider {
  constructor({key, name, unit, stops, whole, least, about}, moved) {
    this.stops = stops;
    this.why = element('span', 'why');
    this.unit = unit ?? '';
    this.range = element('input');
    Object.assign(this.range, {type: 'range', min: 0, max: stops.length - 1, step: 1, id: `slide-${key}`});
    this.range.setAttribute('aria-label', name);
    this.field = element('input');
    Object.assign(this.field, {type: 'number', min: least, step: whole ? 1 : 'any', id: key});
    this.field.setAttribute('aria-label', `${name}${unit ? ` [${unit}]` : ''}, exactly`);
    this.row = element('div', 'row', element('span', '', name),
      element('div', 'slider', this.range, this.field, element('span', 'unit', this.unit)), this.why);
    this.row.title = about ?? '';
    const take = (value) => {
      if (!(value >= least)) return this.show(this.value);  // what was typed is not in force
      this.show(whole ? Math.round(value) : value);
      return moved(key, this.value);
    };
    this.range.addEventListener('input', () => take(this.stops[this.range.valueAsNumber]));
    this.field.addEventListener('change', () => take(this.field.valueAsNumber));
  }

  show(value) {
    this.value = value;
    this.field.value = value === null ? '' : String(value);
    this.range.value = String(value === null ? 0 : nearest(this.stops, value));
    this.range.setAttribute('aria-valuetext', `${this.field.value || 'not set'} ${this.unit}`);
  }

  /** A control without effect is replaced by the reason, `why`; empty: it has one. */
  explain(why) {
    this.range.disabled = this.field.disabled = Boolean(why);
    this.row.classList.toggle('off', Boolean(why));
    this.why.textContent = why;
  }
}

function list(key, name, moved) {
  const select = element('select');
  select.id = key;
  select.addEventListener('change', () => moved(key, select.value || null));
  return {select, row: element('label', 'row', element('span', '', name), select)};
}

function option(value, text) {
  const made = element('option', '', text);
  made.value = value;
  return made;
}

export class Controls {
  /** `shelf`: the catalog of the server; `changed` is called after a control was moved. */
  constructor(shelf, changed) {
    this.moved = new Map();
    const moved = (key, value) => {
      if (value === null) this.moved.delete(key);
      else this.moved.set(key, value);
      if (key === 'host') this.moved.delete('hosts');
      this.mark();
      changed();
    };
    this.strategy = list('strategy', 'strategy', moved);
    this.strategy.select.append(...shelf.strategies.map((s) => option(s.name, `${s.name}: ${s.doc}`)));
    this.host = list('host', 'hosts like', moved);
    this.host.select.append(option('', 'as in the scenario'), ...shelf.hosts.map((h) =>
      option(h.name, [h.name, h.devices ? `${h.devices} devices` : '', h.nic, h.price ?? '']
        .filter(Boolean).join(', '))));
    this.sliders = new Map(kSliders.map((each) => [each.key, new Slider(each, moved)]));
    const rows = [...this.sliders.values()].map((slider) => slider.row);
    byId('controls').append(this.strategy.row, ...rows.slice(0, 3), this.host.row, ...rows.slice(3));
  }

  /** The moved controls, as the server reads them. */
  values() {
    const set = byId('set').value.split('\n').map((line) => line.trim()).filter(Boolean);
    return {...Object.fromEntries(this.moved), ...(set.length > 0 ? {set} : {})};
  }

  /** Resets all controls to the scenario. */
  reset() {
    this.moved.clear();
    byId('set').value = '';
    this.host.select.value = '';
    this.mark();
  }

  /** Shows the values of the answer, except in the field that is being edited. */
  show(stand) {
    this.strategy.select.value = stand.strategy;
    for (const [key, slider] of this.sliders) {
      if (document.activeElement !== slider.field) slider.show(stand[key]);
    }
    const here = stand.hosts > 0 ? '' : 'as on this machine, since no hosts are described';
    const explain = (key, why) => this.sliders.get(key).explain(why);
    explain('workers', stand.several_workers ? '' : `1, since ${stand.strategy} has one worker`);
    explain('servers', stand.has_servers ? '' : `none, since ${stand.strategy} has no servers`);
    explain('hosts', here ? 'this machine; choose others above'
      : stand.kinds_of_hosts > 1 ? `${stand.hosts} of ${stand.kinds_of_hosts} kinds; change them in the text` : '');
    explain('nic_gbps', here);
    explain('latency_us', here);
    explain('straggling', stand.straggling === null ? 'as the scenario describes it' : '');
  }

  mark() {
    const rows = [['strategy', this.strategy.row], ['host', this.host.row],
                  ...[...this.sliders].map(([key, slider]) => [key, slider.row])];
    for (const [key, row] of rows) row.classList.toggle('moved', this.moved.has(key));
  }

  /** The moved controls, in words. */
  text() {
    const words = [...this.moved].map(([key, value]) =>
      `${key.replace(/_.*/, '')} ${typeof value === 'number' ? figure(value) : value}`);
    return [...words, ...(this.values().set ?? [])].join(', ');
  }
}
