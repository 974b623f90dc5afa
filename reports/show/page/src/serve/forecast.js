// The forecast as tables of figures, phases, critical path, next to a pinned one.
import {byId, change, element, figure, percent, time} from './element.js';

const kPhases = ['compute', 'push', 'wait', 'apply', 'pull', 'evaluate'];

/** The figures of a forecast as rows: name, key, value, formatter. */
function figuresOf({record, whole_time_s: whole, cost, currency}) {
  return [
    ['step time, median', 'step_time_s_median', record.step_time_s_median, time],
    ['gradients/s', 'gradients_per_s', record.gradients_per_s, figure],
    ['examples/s', 'examples_per_s', record.examples_per_s, figure],
    ['updates/s', 'updates_per_s', record.updates_per_s, figure],
    ['staleness, mean', 'staleness_mean', record.staleness_mean, figure],
    ['whole training', 'whole_time_s', whole, time],
    [currency ? `cost, ${currency}` : 'cost', 'cost', cost, figure],
  ].filter(([, , value]) => value !== null && value !== undefined);
}

/** Phases of a mean step: name, seconds. */
function phasesOf({record}) {
  const steps = Math.max(1, record.steps);
  return kPhases.map((name) => [name, record.phases[`${name}_s`] / steps]);
}

function cell(text, className, key, value) {
  const made = element('td', className, text);
  if (key) {
    made.dataset.key = key;
    made.dataset.value = String(value);
  }
  return made;
}

function head(name) {
  const made = element('th', '', name);
  made.scope = 'row';
  return made;
}

function table(title, columns, rows) {
  const made = element('table', '', element('caption', '', title));
  const line = made.createTHead().insertRow();
  for (const [name, className] of columns) {
    const column = element('th', className, name);
    column.scope = 'col';
    line.append(column);
  }
  made.createTBody().append(...rows.map((cells) => element('tr', '', ...cells)));
  return element('div', 'scroll', made);
}

/** A bar of length `share` relative to the longest one; below it that of the pinned forecast. */
function bar(share, pinned, colour) {
  const made = element('td', 'bar');
  made.setAttribute('aria-hidden', 'true');
  for (const [length, className] of [[share, ''], [pinned, 'pinned']]) {
    if (length === undefined) continue;
    const line = element('span', className);
    line.style.width = `${Math.min(100, 100 * length)}%`;
    line.style.setProperty('--colour', `var(--series-${colour % 7})`);
    made.append(line);
  }
  return made;
}

function pinnedColumns(pinned) {
  return pinned ? [['kept', 'number'], ['change', 'number']] : [];
}

function pinnedCells(pinned, value, write, now) {
  if (!pinned) return [];
  return [element('td', 'number pinned-text', write(value)),
          element('td', 'number', change(value, now))];
}

/** The pinned forecast with time and cost scaled to the examples of the shown one. */
function forAsMany(shown, pinned) {
  const factor = shown.examples / pinned.examples;
  return {...pinned, whole_time_s: pinned.whole_time_s * factor, cost: pinned.cost && pinned.cost * factor};
}

function figuresTable(shown, pinned) {
  const compared = pinned ? figuresOf(forAsMany(shown, pinned)) : [];
  const known = new Map(compared.map(([, key, value]) => [key, value]));
  return table('Figures', [['', ''], [pinned ? 'shown' : 'value', 'number'], ...pinnedColumns(pinned)],
    figuresOf(shown).map(([name, key, value, write]) => [
      head(name), cell(write(value), 'number', key, value),
      ...pinnedCells(pinned, known.get(key), write, value)]));
}

function phasesTable(shown, pinned) {
  const phases = phasesOf(shown);
  const before = new Map(pinned ? phasesOf(pinned) : []);
  const longest = Math.max(1e-12, ...phases.map(([, s]) => s), ...before.values());
  return table('Phases of a mean step', [['', ''], ['time', 'number'], ['', ''], ...pinnedColumns(pinned)],
    phases.map(([name, s], i) => [
      head(name), cell(time(s), 'number', `${name}_s`, shown.record.phases[`${name}_s`]),
      bar(s / longest, pinned ? before.get(name) / longest : undefined, i),
      ...pinnedCells(pinned, before.get(name), time, s)]));
}

function pathTable(shown, pinned) {
  const before = new Map((pinned?.path ?? []).map((part) => [part.resource, part.share]));
  const title = `Critical path, ${time(shown.path_s)}${shown.whole ? '' : ' of the first steps'}`;
  return table(title, [['', ''], ['share', 'number'], ['', ''], ...pinnedColumns(pinned).slice(0, 1)],
    shown.path.filter((part) => part.share >= 0.0005).map((part, i) => [
      head(part.whose ? `${part.resource}, most of it ${part.whose}` : part.resource),
      cell(percent(part.share), 'number', `path:${part.resource}`, part.share),
      bar(part.share, pinned ? before.get(part.resource) ?? 0 : undefined, i),
      ...(pinned ? [element('td', 'number pinned-text', percent(before.get(part.resource) ?? 0))] : [])]));
}

/** `shown`: a forecast, whose record may have become that of all steps; `pinned`: one, or null. */
export function showForecast(shown, pinned) {
  const other = pinned && pinned.examples !== shown.examples
    ? `; its time for ${figure(pinned.examples)} examples is scaled to ${figure(shown.examples)}, as many as here` : '';
  const parts = [element('p', '', shown.limit.sentence)];
  if (pinned) parts.push(element('p', 'pinned-text', `kept for comparison: ${pinned.title}${other}`));
  for (const caveat of shown.record.caveats ?? []) parts.push(element('p', 'caveat', `Note: ${caveat}.`));
  parts.push(element('div', 'answers', figuresTable(shown, pinned), phasesTable(shown, pinned),
    pathTable(shown, pinned)));
  parts.push(element('p', 'source', shown.origin));
  byId('forecast').replaceChildren(...parts);
}
