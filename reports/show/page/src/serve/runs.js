// Real trainings: started, monitored by their Prometheus metrics, stopped.
import {get, post} from './api.js';
import {byId, element, figure, percent, time} from './element.js';
import {linkTo} from './records.js';

const kApart = 1000;  // ms between two polls
const kEnds = {'exited with status 0': 'done', 'exited with status 130': 'stopped'};

/** The sum over the samples of a metric; null if there are none. */
function metric(text, name) {
  let sum = null;
  for (const line of (text ?? '').split('\n')) {
    if (!line.startsWith(name) || !/^[{ ]/.test(line.slice(name.length))) continue;
    sum = (sum ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return sum;
}

function sayings(text) {
  const of = (name) => metric(text, `foretrain_${name}`);
  const done = of('gradients_total');
  const all = of('steps_planned');
  if (done === null) return ['starting'];
  const [, name] = /case="([^"]*)"/.exec(text) ?? [];
  const said = [`${name}: ${figure(done)} of ${figure(all)} gradients, ${percent(all ? done / all : 0)}`,
                `after ${time(of('training_seconds'))}`];
  const loss = of('test_loss');
  const accuracy = of('test_accuracy');
  if (loss !== null) said.push(`test loss ${figure(loss)}`);
  if (accuracy !== null) said.push(`test accuracy ${percent(accuracy)}`);
  return said;
}

function progress(text) {
  const made = element('progress');
  made.max = metric(text, 'foretrain_steps_planned') || 1;
  made.value = metric(text, 'foretrain_gradients_total') ?? 0;
  made.setAttribute('aria-label', 'gradients done');
  return made;
}

export class Runs {
  /** `ended` is called after a run wrote its record; `trouble` is called with errors. */
  constructor(ended, trouble) {
    this.ended = ended;
    this.trouble = trouble;
    this.boxes = new Map();
    this.watched = new Set();
  }

  async start(question) {
    const {id} = await post('/runs', question);
    await this.watch(id);
  }

  /** Shows the runs that exist already. */
  async all() {
    for (const run of (await get('/runs')).reverse()) {
      if (run.running) this.watch(run.id);
      else this.show(run);
    }
  }

  box(id) {
    if (!this.boxes.has(id)) {
      this.boxes.set(id, element('div', 'run'));
      byId('runs').prepend(this.boxes.get(id));
    }
    return this.boxes.get(id);
  }

  show(run) {
    const command = element('pre', 'command', run.command);
    command.tabIndex = 0;
    const box = this.box(run.id);
    box.dataset.running = String(run.running);
    if (!run.running) {
      const how = kEnds[run.how] ?? `${run.how}; the terminal says why`;
      box.replaceChildren(
        element('p', '', `run ${run.id}: ${how}`),
        element('p', '', linkTo(run.folder, `report of ${run.folder}`)), command);
      return;
    }
    const stop = box.querySelector('button') ?? element('button', '', 'Stop it');
    stop.type = 'button';
    stop.onclick = () => {
      stop.disabled = true;
      stop.textContent = 'Stopping, to keep its record';
      post(`/runs/${run.id}/stop`, {}).catch(this.trouble);
    };
    const said = element('p', '', `run ${run.id}: ${sayings(run.metrics).join(', ')}`);
    said.setAttribute('role', 'status');
    if (box.contains(stop)) {  // the button must not move under a finger
      box.querySelector('p').replaceWith(said);
      box.querySelector('progress').replaceWith(progress(run.metrics));
    } else {
      box.replaceChildren(said, progress(run.metrics), element('p', 'buttons', stop), command);
    }
  }

  async watch(id) {
    if (this.watched.has(id)) return;
    this.watched.add(id);
    try {
      for (;;) {
        const run = await get(`/runs/${id}`);
        this.show(run);
        if (!run.running) break;
        await new Promise((resolve) => setTimeout(resolve, kApart));
      }
      this.ended();
    } catch (error) {
      this.trouble(error);
    }
    this.watched.delete(id);
  }
}
