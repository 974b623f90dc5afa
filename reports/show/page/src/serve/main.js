// The served page: sends questions, shows the events of their answers.
import {themeButton} from '../theme.js';
import {ask, get, post} from './api.js';
import {Controls} from './controls.js';
import {Editor} from './editor.js';
import {byId, element, figure, time} from './element.js';
import {clearFigure, drawnFigures, redrawFigures, showFigure} from './figures.js';
import {showForecast} from './forecast.js';
import {showRecords} from './records.js';
import {Runs} from './runs.js';

const kTyping = 300;    // ms after the last key until a text is sent
const kPatience = 1500;  // ms until a note that the answer takes longer
const kMeasured = 'This machine is being measured, once for each model; scenarios that describe ' +
  'their hosts are answered meanwhile. ';

const page = {shelf: null, editor: null, controls: null, runs: null, file: '', chosen: '',
              shown: null, yaml: '', pinned: null, saved: '', asking: null, later: 0, asked: 0, answered: 0, ended: false};

function trouble(error) {
  byId('trouble').textContent = error ? error.message : '';
}

function question() {
  return {file: page.file, text: page.editor.text, case: page.chosen, controls: page.controls.values()};
}

function say(text) {
  byId('state').textContent = text;
}

function showMistake({line, message}) {
  page.editor.showMistake(line ?? 0, message);
  const box = byId('mistake');
  box.hidden = Boolean(line);
  box.textContent = message;
  say('The scenario has an error; below is the previous answer.');
}

function forgetMistake() {
  if (page.editor.wrong > 0) page.editor.showMistake(0, '');
  byId('mistake').hidden = true;
}

function showCases(cases, chosen) {
  byId('case-row').hidden = cases.length < 2;
  const select = byId('case');
  const known = [...select.options].map((each) => each.value);
  if (known.join('\n') !== cases.join('\n')) {
    select.replaceChildren(...cases.map((label) => element('option', '', label)));
  }
  select.value = chosen;
}

function show() {
  if (!page.shown) return;
  showForecast(page.shown, page.pinned);
  byId('sentence').textContent = page.shown.sentence;
  byId('command').textContent = page.shown.command;
  byId('use').hidden = false;
  byId('pin').textContent = page.pinned ? 'Stop comparing' : 'Keep for comparison';
}

/** Shows the record of all steps instead of the first ones. */
function complete({record, command, sentence}, how) {
  const took = record.startup_s + record.time_s;
  const {cost, whole_time_s: expected} = page.shown;
  Object.assign(page.shown, {record, command, sentence, whole_time_s: took,
                             cost: cost && (cost * took) / expected});
  show();
  say(`All ${record.steps} steps simulated, ${how}.${page.saved}`);
}

const kEvents = {
  asked(said) {
    forgetMistake();
    byId('question').textContent = said.question || said.name;
    page.chosen = said.case || page.chosen;
    showCases(said.cases, said.case);
    page.controls.show(said.controls);
    page.saved = said.unsaved ? ` Save the text as ${said.source} before you use the commands.` : '';
    page.yaml = said.yaml;
    byId('cases').textContent = '';
    byId('start').hidden = false;
    byId('run-command').textContent = said.run;
    byId('learning-section').hidden = !said.controls.numerics;
    say('computing');
  },
  measuring(said) {
    byId('measuring').hidden = false;
    byId('measuring-what').textContent = kMeasured + said.what.trim();
    if (!page.answered) say('The forecast follows after this measurement.');
  },
  stopped() {
    byId('measuring').hidden = true;
    page.ended = true;
    say('Measuring was stopped; change something to start it again.');
  },
  forecast(said) {
    byId('measuring').hidden = true;
    page.shown = {...said, title: titleOf(said)};
    page.answered = performance.now() - page.asked;
    byId('work').textContent = said.work === 1 ? ''
      : `Changed so, it trains on ${figure(said.work)} x the examples; the chart compares equal numbers.`;
    show();
    const steps = said.whole ? 'All steps' : `The first ${said.record.steps} steps of all workers`;
    say(`${steps} simulated, times only, in ${time(page.answered / 1000)}.${page.saved}`);
  },
  whole(said) {
    complete(said, 'times only');
  },
  answer(said) {
    byId('measuring').hidden = true;
    if (!said.sentence) return say(`The other cases are simulated: ${said.done} of ${said.all} done.`);
    Object.assign(page.shown, {sentence: said.sentence, command: said.command});
    // Only tables, which are indented, need the width of a terminal.
    byId('cases').replaceChildren(...said.text.replace(/^\n+/, '').split(/\n\n+/).map((block) =>
      element(block.startsWith(' ') ? 'pre' : 'p', '', block)));
    show();
    return say(`All ${said.all} cases simulated; the figures below are those of ${page.chosen}.${page.saved}`);
  },
  ways(said) {
    byId('measuring').hidden = true;
    byId('ways-section').hidden = false;
    byId('ways').classList.remove('stale');
    byId('ways-state').textContent = said.done < said.all
      ? `${said.done} of ${said.all} simulated, each on the same number of examples.`
      : 'All train on the same number of examples, but strategies learn differently from them; ' +
        'times are without evaluations.';
    showFigure(byId('ways'), said.figure).catch(trouble);
    const not = new Map(said.rows.filter((row) => row.why_not).map((row) => [row.strategy, row]));
    byId('ways-not').replaceChildren(...[...not.values()].map((row) =>
      element('li', '', `${row.strategy}, ${row.workers} workers: ${row.why_not}`)));
  },
  learning(said) {
    const bar = byId('learning-progress');
    bar.hidden = said.whole === true;
    if (said.all) bar.value = said.done / said.all;
    if (said.whole === undefined) {
      byId('learning-state').textContent = 'Computing the gradients.';
      return;
    }
    byId('learning-state').textContent = said.whole ? ''
      : 'These are the first steps; the rest is being computed.';
    if (said.whole) complete(said, 'with their gradients');
    if (said.figure) showFigure(byId('learning'), said.figure).catch(trouble);
    else if (said.whole) byId('learning-state').textContent = 'The scenario has no evaluations.';
  },
  error: showMistake,
  dropped() {
    say('Another window asked something else; change something here to continue.');
  },
  end() {
    page.ended = true;
  },
};

function titleOf({record}) {
  return [record.name, byId('case').value, page.controls.text()].filter(Boolean).join(', ');
}

/** Cancels the previous question, clears its results. */
function begin() {
  page.asking?.abort();
  page.asking = new AbortController();
  clearTimeout(page.later);
  page.asked = performance.now();
  page.answered = 0;
  page.ended = false;
  byId('measuring').hidden = true;
  byId('ways-state').textContent = byId('learning-state').textContent = '';
  byId('learning-progress').hidden = true;
  byId('ways').classList.add('stale');
  clearFigure(byId('learning'));
  const {signal} = page.asking;
  const late = setTimeout(() => say('Still computing.'), kPatience);
  return {signal, late};
}

async function askNow() {
  const {signal, late} = begin();
  try {
    await ask(question(), (said) => {
      if (said.event !== 'asked') clearTimeout(late);
      trouble(null);
      kEvents[said.event]?.(said);
    }, signal);
  } catch (error) {
    if (!signal.aborted) trouble(error);
  } finally {
    clearTimeout(late);
  }
}

/** Sends one question for several moves in quick succession. */
function askSoon(delay = 0) {
  clearTimeout(page.later);
  page.later = setTimeout(askNow, delay);
}

function choose(file) {
  const found = page.shelf.scenarios.find((each) => each.file === file);
  page.file = file;
  page.chosen = '';
  page.editor.text = found?.text ?? '';
  page.controls.reset();
  if (found) return askSoon();
  byId('text').open = true;
  byId('editor').focus();
  return null;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    byId('copied').textContent = 'copied';
  } catch {
    byId('copied').textContent = 'This browser cannot copy; select the text below.';
    byId('command').textContent = text;
  }
  setTimeout(() => { byId('copied').textContent = ''; }, 3000);
}

function addListeners() {
  byId('scenario').addEventListener('change', (event) => choose(event.target.value));
  byId('case').addEventListener('change', (event) => {
    page.chosen = event.target.value;
    askSoon();
  });
  byId('set').addEventListener('input', () => askSoon(kTyping));
  byId('reset').addEventListener('click', () => {
    page.controls.reset();
    askSoon();
  });
  byId('ask').addEventListener('submit', (event) => event.preventDefault());
  byId('pin').addEventListener('click', () => {
    page.pinned = page.pinned ? null : {...page.shown};
    show();
  });
  byId('copy-command').addEventListener('click', () => copy(page.shown.command));
  byId('copy-yaml').addEventListener('click', () => copy(page.yaml));
  byId('stop-measuring').addEventListener('click', () => post('/measuring/stop', {}).catch(trouble));
  byId('run').addEventListener('click', () => page.runs.start(question()).catch(trouble));
  byId('look').addEventListener('click', () => showRecords().catch(trouble));
}

async function start() {
  themeButton(redrawFigures);
  page.shelf = await get('/library');
  page.editor = new Editor(() => askSoon(kTyping));
  page.controls = new Controls(page.shelf, () => askSoon());
  page.runs = new Runs(() => showRecords().catch(trouble), trouble);
  for (const {file, question: text} of page.shelf.scenarios) {
    const made = element('option', '', text ? `${file}: ${text}` : file);
    made.value = file;
    byId('scenario').append(made);
  }
  byId('scenario').append(element('option', '', 'paste your own'));
  byId('scenario').lastChild.value = '';
  addListeners();
  byId('scenario').value = page.shelf.first;
  choose(page.shelf.first);
  await Promise.all([showRecords(), page.runs.all()]);
}

window.foretrain = {page, drawnFigures};
start().catch(trouble);
