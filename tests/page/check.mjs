// Opens a page of a report in Chromium, sees what a reader would: node check.mjs MODULES PAGE OUT.
// PAGE.expected.json says what has to be there. Fails with the first thing that is not.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

import {checkNames, checkTheme, kNarrow, kWide, lookAt} from './browser.mjs';

const [modules, file, out, chromiumPath] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(file.replace(/html$/, 'expected.json'), 'utf8'));
const address = pathToFileURL(file).href;

const drawn = (page) =>
  page.waitForFunction(() => document.documentElement.dataset.drawn === 'all');

/** Shows every figure once that is chosen from a list. */
async function showAll(page) {
  for (const select of await page.locator('.choice select').all()) {
    const options = await select.locator('option').count();
    for (let i = options - 1; i >= 0; --i) {
      await select.selectOption(String(i));
      await page.waitForFunction((title) => window.foretrain.views.some(
        (v) => v.place.closest('figure').dataset.choice === title && v.visible() && v.drawn),
        await select.locator('option').nth(i).textContent());
    }
  }
}

/** Items of each mark in the scene of every chart: {figure: [{hover: 12, bars: 3}]}. */
function marks(page) {
  return page.evaluate(() => {
    const count = (item, counts) => {
      for (const child of item.items ?? []) {
        if (item.marktype !== 'group' && item.name) {
          const name = item.name.replace(/_marks$/, '');
          counts[name] = (counts[name] ?? 0) + 1;
        }
        if (child.items) count(child, counts);
      }
      return counts;
    };
    const all = {};
    for (const {figure, charts} of window.foretrain.views) {
      all[figure.name] = charts.map(({view}) => (view ? count(view.scenegraph().root, {}) : null));
    }
    return all;
  });
}

async function checkMarks(page) {
  const found = await marks(page);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort(), 'figures of the page');
  for (const [name, panels] of Object.entries(expected)) {
    for (const [i, wanted] of panels.entries()) {
      assert.ok(found[name][i], `${name}, chart ${i}: is not drawn`);
      for (const [mark, count] of Object.entries(wanted)) {
        assert.equal(found[name][i][mark] ?? 0, count, `${name}, chart ${i}: ${mark}`);
      }
    }
  }
}

/** No chart is empty paper: something of it is seen. */
async function checkSeen(page) {
  const sizes = await page.locator('.canvas').evaluateAll((all) => all
    .filter((c) => c.offsetParent !== null)
    .map((c) => c.firstElementChild?.getBoundingClientRect().width ?? 0));
  assert.ok(sizes.length > 0 && sizes.every((width) => width > 200), `widths of charts: ${sizes}`);
}

/** Where the first mark called `name` of a figure's chart is on the screen. */
async function place(page, figure, chart, name) {
  const at = await page.evaluate(([wanted, index, mark]) => {
    const {charts} = window.foretrain.views.find((v) => v.figure.name === wanted);
    const {view, place: box} = charts[index];
    box.scrollIntoView({block: 'center', behavior: 'instant'});
    const find = (item) => {
      if (item.name === `${mark}_marks`) return item.items[0];
      for (const child of item.items ?? []) {
        const found = find(child);
        if (found) return found;
      }
      return null;
    };
    const {bounds} = find(view.scenegraph().root);
    const {left, top} = view.padding();
    const [begins, above] = view.origin();
    const {x, y} = box.getBoundingClientRect();
    // A mark at the edge of the chart: a little inside of it.
    const inside = (at, size) => Math.min(Math.max(at, 5), size - 5);
    return {x: x + left + begins + inside((bounds.x1 + bounds.x2) / 2, view.width()),
            y: y + top + above + inside((bounds.y1 + bounds.y2) / 2, view.height())};
  }, [figure, chart, name]);
  return at;
}

async function tooltipAt(page, at) {
  await page.mouse.move(at.x - 3, at.y);
  await page.mouse.move(at.x, at.y, {steps: 3});
  const tooltip = page.locator('#tooltip');
  await tooltip.waitFor({state: 'visible', timeout: 15_000});
  const text = await tooltip.innerText();
  await page.mouse.move(2, 2);
  return text;
}

async function checkTooltips(page) {
  const line = await tooltipAt(page, await place(page, 'learning_curves', 0, 'points'));
  assert.match(line, /series\s+sync run/);
  assert.match(line, /time \[s\]\s+0\.01/);
  const bar = await tooltipAt(page, await place(page, 'phases', 0, 'bars'));
  assert.match(bar, /compute/);
  assert.match(bar, /time \[ms\]\s+11/);
  const cell = await tooltipAt(page, await place(page, 'sweep_map', 0, 'cells'));
  assert.match(cell, /workers 1, batch_size 32/);
  const forecast = await tooltipAt(page, await place(page, 'accuracy', 0, 'points'));
  assert.match(forecast, /predicted \[ms\]/);
  const message = await tooltipAt(page, await place(page, 'timeline_1', 0, 'heads'));
  assert.match(message, /gradient of step 0, worker0 to server0/);
  assert.match(message, /arrived, time \[ms\]\s+5/);
}

async function checkLegend(page) {
  const before = (await marks(page)).learning_curves[0].hover;
  const figure = page.locator('figure', {has: page.locator('[data-figure]')})
    .filter({hasText: 'learning against time'});
  const button = figure.getByRole('button', {name: 'sync run', exact: true});
  await button.press('Enter');
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  await page.waitForTimeout(50);
  assert.equal((await marks(page)).learning_curves[0].hover, before - 2);
  await button.press('Enter');
}

function shownBy(page, name) {
  return page.evaluate((wanted) => window.foretrain.views.find((v) => v.figure.name === wanted)
    .charts.map(({view}) => view.scale('x').domain()), name);
}

/** Charts over one axis zoom together: by keys, by the pointer. */
async function checkZoom(page) {
  const name = 'step_by_step';
  const whole = await shownBy(page, name);
  const charts = page.locator('figure').filter({hasText: 'step by step'}).locator('.chart');
  await charts.first().focus();
  await page.keyboard.press('+');
  await page.waitForTimeout(50);
  const half = await shownBy(page, name);
  assert.deepEqual(half[0], half[1], 'both charts show the same steps');
  const length = ([from, to]) => to - from;
  assert.ok(Math.abs(length(half[0]) / length(whole[0]) - 0.5) < 1e-6);
  await page.keyboard.press('0');
  const box = await charts.first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 50, {steps: 4});
  await page.mouse.up();
  await page.waitForTimeout(50);
  const dragged = await shownBy(page, name);
  assert.deepEqual(dragged[0], dragged[1]);
  assert.ok(length(dragged[1]) < length(whole[1]) * 0.4, 'dragging zooms in');
  await page.mouse.dblclick(box.x + box.width * 0.6, box.y + 50);
  await page.waitForTimeout(50);
  assert.deepEqual(await shownBy(page, name), whole, 'two clicks show all');
}

/** What a screen reader says; what a keyboard reaches. */
async function checkAccess(page) {
  const charts = await page.locator('.chart').evaluateAll((all) =>
    all.map((c) => [c.getAttribute('role'), c.getAttribute('aria-label') ?? '']));
  for (const [role, label] of charts) {
    assert.equal(role, 'group');
    assert.ok(label.length > 10, `a chart is called "${label}"`);
  }
  await checkNames(page, 'button', 'every button');
  const details = page.locator('.data').first();
  await details.locator('summary').press('Enter');
  // It is filled when it has opened: the event comes later.
  await details.locator('tbody tr').nth(1).waitFor({state: 'attached', timeout: 15_000});
  await details.locator('summary').press('Enter');
}

/** A click on the head of a column sorts a long table. */
async function checkSorting(page) {
  const table = page.locator('table.sortable', {has: page.locator('caption', {hasText: /^Cases/})});
  const head = table.locator('thead th', {hasText: 'gradients/s'});
  const column = await head.evaluate((cell) => cell.cellIndex);
  const figures = async () => (await table.locator(`tbody tr > :nth-child(${column + 1})`)
    .allTextContents()).map((text) => Number(text.replaceAll(',', ''))).filter(Number.isFinite);
  await head.getByRole('button').click();
  const rising = await figures();
  assert.ok(rising.length > 5);
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  await head.getByRole('button').click();
  assert.deepEqual(await figures(), [...rising].reverse());
}

async function checkDownload(page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('figure').first().getByRole('button', {name: 'save the data as CSV'}).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  assert.match(text, /^series,/);
}

/** What a reader does with the page. */
async function use(page) {
  await checkTooltips(page);
  await checkLegend(page);
  await checkZoom(page);
  await checkTheme(page);
  await page.waitForTimeout(300);  // until the charts have their colours again
  await checkAccess(page);
  await checkSorting(page);
  await checkDownload(page);
}

await lookAt({
  modules, chromiumPath, out, address,
  views: [[kNarrow, 'light'], [kWide, 'light'], [kWide, 'dark']],
  allowed: (url) => url === address,
  ready: drawn,
  async check({page, viewport, scheme}) {
    await showAll(page);
    await checkMarks(page);
    await checkSeen(page);
    if (viewport === kWide && scheme === 'light' && expected.sweep_map) await use(page);
  },
});
