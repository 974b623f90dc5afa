// Helpers that create elements, or format numbers.

/** `children`: elements or texts. */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Four significant digits at least, thousands grouped. */
export function figure(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '-';
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(3);
  if (Math.abs(value) >= 1e3) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(4)));
}

const kUnits = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'us']];

/** `12.5 ms`, `1.25 h`. */
export function time(seconds) {
  if (seconds === null || seconds === undefined) return '-';
  if (seconds === 0) return '0 s';
  const [unit, name] = kUnits.find(([length]) => Math.abs(seconds) >= length) ?? [1e-9, 'ns'];
  return `${figure(seconds / unit)} ${name}`;
}

export function percent(share) {
  return share === null || share === undefined ? '-' : `${figure(Math.round(share * 1000) / 10)} %`;
}

/** Relative change such as `+12 %`; empty if a value is missing. */
export function change(before, after) {
  if (!before || after === null || after === undefined) return '';
  const share = Math.round((after / before - 1) * 1000) / 10;
  return `${share > 0 ? '+' : ''}${share} %`;
}

/** `3 min ago`. */
export function ago(seconds) {
  return seconds < 5 ? 'now' : `${time(Math.round(seconds)).replace(/\.\d+/, '')} ago`;
}
