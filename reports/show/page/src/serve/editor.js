// The scenario as text, with line numbers, an error message at its line.
import {byId, element} from './element.js';

const kLineHeight = 20;  // pixels, as in serve.css
const kPadding = 6;

export class Editor {
  /** `changed` is called after the text was edited. */
  constructor(changed) {
    this.area = byId('editor');
    this.lines = byId('lines');
    this.mistake = byId('mistake-at-line');
    this.wrong = 0;  // line of the error; 0: none
    this.area.addEventListener('input', () => {
      this.number();
      changed();
    });
    this.area.addEventListener('scroll', () => this.follow());
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.number();
  }

  number() {
    const count = this.text.split('\n').length;
    const numbers = [];
    for (let line = 1; line <= count; ++line) {
      numbers.push(element('span', line === this.wrong ? 'wrong' : '', `${line}\n`));
    }
    this.lines.replaceChildren(...numbers);
    this.follow();
  }

  /** Scrolls line numbers and error message with the text. */
  follow() {
    this.lines.scrollTop = this.area.scrollTop;
    const below = kPadding + this.wrong * kLineHeight - this.area.scrollTop;
    this.mistake.style.top = `${Math.max(0, below)}px`;
  }

  /** Shows an error; `line` 0 hides it. */
  showMistake(line, message) {
    this.wrong = line;
    this.mistake.hidden = line === 0;
    this.mistake.textContent = line === 0 ? '' : `line ${line}: ${message}`;
    this.number();
    if (line === 0) return;
    byId('text').open = true;
    const top = (line - 1) * kLineHeight;
    const seen = this.area.scrollTop;
    if (top < seen || top + 3 * kLineHeight > seen + this.area.clientHeight) {
      this.area.scrollTop = Math.max(0, top - 2 * kLineHeight);
    }
    this.follow();
  }
}
