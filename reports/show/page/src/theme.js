// Light or dark theme: the system's, until the reader chooses one.
const kKey = 'foretrain-theme';

/** Remembers a choice, if there is one; returns the last, or null if the browser stores none. */
function remembered(theme) {
  try {
    if (theme) localStorage.setItem(kKey, theme);
    return localStorage.getItem(kKey);
  } catch {
    return null;
  }
}

/** The value of a custom property of the page. */
export function styleOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** `specification` with the value of each var(--name), since a canvas cannot resolve variables. */
export function coloured(specification) {
  const text = JSON.stringify(specification);
  return JSON.parse(text.replace(/"var\((--[a-z0-9-]+)\)"/g, (_, name) => `"${styleOf(name)}"`));
}

/** Vega-Lite's configuration of fonts, axes, legends. */
export function chartConfig() {
  const soft = styleOf('--soft');
  const font = styleOf('--font');
  return {
    background: 'transparent',
    font,
    view: {stroke: null},
    axis: {
      labelColor: soft, titleColor: soft, labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 'normal', domainColor: styleOf('--line-strong'),
      tickColor: styleOf('--line-strong'), gridColor: styleOf('--line'), labelLimit: 170,
      tickSize: 4, labelPadding: 4, titlePadding: 8, labelOverlap: true,
      labelSeparation: 4,
    },
    axisX: {grid: false, tickCount: 6},
    axisY: {domain: false, ticks: false, tickCount: 5},
    legend: {labelColor: soft, titleColor: soft, titleFontWeight: 'normal', labelFontSize: 12,
             titleFontSize: 12},
    text: {font},
  };
}

/** Sets up the theme button; `changed` is called after the colours have changed. */
export function themeButton(changed) {
  const button = document.getElementById('theme');
  const sheet = document.getElementById('dark');
  const system = matchMedia(sheet.media);
  let chosen = remembered();
  const isDark = () => (chosen ? chosen === 'dark' : system.matches);
  const choose = () => {
    if (chosen) sheet.media = isDark() ? 'screen' : 'not all';
  };
  const label = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours');
  };
  choose();
  button.hidden = false;
  label();
  button.addEventListener('click', () => {
    chosen = isDark() ? 'light' : 'dark';
    remembered(chosen);
    choose();
    label();
    changed();
  });
  system.addEventListener('change', () => {
    label();
    changed();
  });
}
