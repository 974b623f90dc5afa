// Light or dark: as the system has it, until somebody chooses.
const kKey = 'foretrain-theme';

/** What was chosen on an earlier visit; a browser may refuse to remember. */
function remembered() {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // It stays as chosen until the page is closed.
  }
}

/** The value of a custom property of the page. */
export function styleOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** `specification` with every var(--name) replaced by its value: a canvas knows no variables. */
export function coloured(specification) {
  const text = JSON.stringify(specification);
  return JSON.parse(text.replace(/"var\((--[a-z0-9-]+)\)"/g, (_, name) => `"${styleOf(name)}"`));
}

/** What Vega-Lite is told about fonts, axes. */
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

/** The button that changes the theme; `changed` is called when colours are others. */
export function themeButton(changed) {
  const button = document.getElementById('theme');
  const sheet = document.getElementById('dark');
  const system = matchMedia(sheet.media);
  let chosen = remembered();
  const isDark = () => (chosen ? chosen === 'dark' : system.matches);
  const choose = () => {
    if (chosen) sheet.media = isDark() ? 'all' : 'not all';
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
    remember(chosen);
    choose();
    label();
    changed();
  });
  system.addEventListener('change', () => {
    label();
    changed();
  });
}
