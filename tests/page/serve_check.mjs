// Asks questions by the served page in Chromium, compares its answers with the command line's:
// node serve_check.mjs MODULES ADDRESS OUT PROGRAM FOLDER CHROMIUM [slow]. Fails at the first that differs.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {checkNames, checkTheme, kNarrow, kWide, lookAt} from './browser.mjs';

const [modules, address, out, program, folder, chromiumPath, slow] = process.argv.slice(2);

/** Until there is a whole answer, to another command than `before`. */
async function answered(page, before) {
  await page.waitForFunction((command) => {
    const {shown, ended} = window.foretrain.page;
    return ended && shown && shown.command !== command;
  }, before);
}

function commandOf(page) {
  return page.evaluate(() => window.foretrain.page.shown.command);
}

/** What a command prints that the page shows. */
function printed(command, more = '--out out/compared') {
  assert.match(command, /^foretrain simulate /);
  const words = command.replace(/^foretrain/, `'${program}'`);
  return execFileSync('sh', ['-c', `${words} ${more} --quiet --force`],
    {cwd: folder, encoding: 'utf8', env: {...process.env, XDG_CACHE_HOME: 'cache'}});
}

/**
 * The headline is the sentence with which the command begins. With a sanitizer all steps may take
 * longer than the page waits; then it is what limits the first ones.
 */
async function checkHeadline(page, command, more) {
  if (slow && command.includes('training.steps=')) {
    const shown = await page.evaluate(() => window.foretrain.page.shown);
    return assert.equal(await page.locator('#sentence').textContent(), shown.limit.sentence);
  }
  const text = printed(command, more).replace(/\s+/g, ' ');
  const headline = await page.locator('#sentence').textContent();
  assert.ok(text.startsWith(headline), `${headline}: not in ${text}`);
}

/** Every figure that is shown of a record is the one that simulate prints. */
async function checkFigures(page) {
  const record = JSON.parse(printed(await commandOf(page), '--out out/compared --json'));
  await checkHeadline(page, await commandOf(page));
  const shown = await page.locator('#forecast [data-key]').evaluateAll((cells) =>
    cells.map((cell) => [cell.dataset.key, Number(cell.dataset.value)]));
  const of = new Map(shown);
  for (const key of ['step_time_s_median', 'gradients_per_s', 'examples_per_s', 'updates_per_s']) {
    assert.equal(of.get(key), record[key], key);
  }
  for (const [key, value] of Object.entries(record.phases)) assert.equal(of.get(key), value, key);
  const shares = shown.filter(([key]) => key.startsWith('path:')).map(([, value]) => value);
  const sum = shares.reduce((all, share) => all + share, 0);
  assert.ok(Math.abs(sum - 1) < 0.01, `the critical path adds up to ${sum}`);
  assert.match(await page.locator('#forecast').textContent(), /limits it, \d+ % of the critical path/);
  return record;
}

/** Moves something; waits for the answer; compares. */
async function moved(page, action) {
  const before = await commandOf(page);
  await action();
  await answered(page, before);
  return checkFigures(page);
}

async function checkSliders(page) {
  const first = await checkFigures(page);
  const more = await moved(page, () => page.locator('#slide-workers').press('ArrowRight'));
  assert.match(await commandOf(page), /training\.workers=4/);
  assert.equal(more.nodes.length, first.nodes.length + 1);
  assert.match(await page.locator('#work').textContent(), /1\.333 x the examples/);
  await page.locator('#workers').fill('0');
  await page.locator('#workers').press('Tab');
  assert.equal(await page.locator('#workers').inputValue(), '4', 'what is in force');
  await moved(page, async () => {
    await page.locator('#nic_gbps').fill('0.25');
    await page.locator('#nic_gbps').press('Tab');
  });
  assert.match(await commandOf(page), /cluster\.hosts\[0\]\.nic=0\.25 Gbps/);
  await moved(page, () => page.locator('#strategy').selectOption('all_reduce'));
  assert.ok(await page.locator('#slide-servers').isDisabled());
  assert.match(await page.locator('#controls').innerText(), /none, since all_reduce has no servers/);
  await moved(page, () => page.locator('#slide-straggling').press('End'));
  await moved(page, () => page.locator('#host').selectOption('p3.16xlarge'));
  assert.match(await commandOf(page), /like: p3\.16xlarge/);
  await moved(page, () => page.getByRole('button', {name: 'Reset to the scenario'}).click());
  assert.doesNotMatch(await commandOf(page), /workers=4/);
}

async function checkPinned(page) {
  await page.getByRole('button', {name: 'Keep for comparison'}).click();
  await moved(page, () => page.locator('#slide-batch_size').press('ArrowRight'));
  const row = page.locator('#forecast tr', {hasText: 'examples/s'});
  assert.equal(await row.locator('.pinned-text').count(), 1);
  assert.match(await row.locator('td').last().textContent(), /^\+\d/);
  await page.getByRole('button', {name: 'Stop comparing'}).click();
  assert.equal(await page.locator('#forecast .pinned-text').count(), 0);
}

async function checkWays(page) {
  assert.deepEqual(await page.evaluate(() => window.foretrain.drawnFigures()), ['ways']);
  assert.ok(await page.locator('#ways .chart').count() === 2, 'time, cost');
  assert.match(await page.locator('#ways-not').textContent(), /single|all_reduce|local_sgd|^$/);
}

async function checkMistake(page) {
  const before = await page.locator('#editor').inputValue();
  await page.locator('#text summary').first().click();
  await page.locator('#editor').fill(before.replace('name: star', 'name: star\nwrkers: 3'));
  await page.locator('#mistake-at-line').waitFor({state: 'visible'});
  assert.match(await page.locator('#mistake-at-line').textContent(), /^line 3: wrkers: unknown key/);
  assert.equal(await page.locator('#lines .wrong').textContent(), '3\n');
  await page.locator('#editor').fill(before);
  await page.locator('#mistake-at-line').waitFor({state: 'hidden'});
  await page.locator('#more summary').click();
  await page.locator('#set').fill('training.steps=none');
  await page.locator('#mistake').waitFor({state: 'visible'});
  await page.locator('#set').fill('');
  await page.locator('#mistake').waitFor({state: 'hidden'});
  await page.waitForFunction(() => window.foretrain.page.ended);
}

/** What is copied of a sweep is all of it: its command prints the headline, the figures shown. */
async function checkCopies(page, context) {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const before = await page.locator('#editor').inputValue();
  const asks = async (text, headline) => {
    await page.locator('#editor').fill(text);
    await page.locator('#sentence', {hasText: headline}).waitFor();
    await page.waitForFunction(() => window.foretrain.page.ended);
  };
  await asks(`${before}sweep: {training.strategy: [sync, async]}\n`, /^Of 2 trainings/);
  const copied = async (name) => {
    await page.getByRole('button', {name}).click();
    await page.locator('#copied', {hasText: 'copied'}).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  writeFileSync(join(folder, 'star.yaml'), await copied('Copy the YAML'));
  const command = await copied('Copy the command');
  assert.doesNotMatch(command, /null/);
  await checkHeadline(page, command, '--out out/copied');
  const {cases} = JSON.parse(printed(command, '--out out/copied --json'));
  assert.deepEqual(cases[0], await page.evaluate(() => window.foretrain.page.shown.record));
  await asks(before, slow ? /^sync(: | simulated)/ : /^sync simulated/);
  writeFileSync(join(folder, 'star.yaml'), before);
}

/** What simulate left opens as its report, kept away from the page. */
async function checkRecords(page, context) {
  await page.getByRole('button', {name: 'Refresh'}).click();
  const entry = page.locator('#records li', {hasText: 'compared'});
  const link = entry.locator('a', {hasText: 'What does the wire cost?'});
  await link.waitFor();
  assert.match(await entry.textContent(), /sync simulated: .*simulate, (now|\d+ s ago)/);
  const [report] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await report.waitForFunction(() => document.documentElement.dataset.drawn === 'all');
  assert.equal(await report.title(), 'star: foretrain report');
  assert.equal(await report.evaluate(() => origin), 'null');
  await report.close();
}

/** What somebody does who asks. */
async function use(page, context) {
  await checkSliders(page);
  await checkWays(page);
  await checkPinned(page);
  await checkMistake(page);
  await checkCopies(page, context);
  await checkTheme(page);
  await checkNames(page, 'button, input, select, textarea', 'everything that can be moved');
  await checkRecords(page, context);
}

await lookAt({
  modules, chromiumPath, out, address,
  views: [[kWide, 'light'], [kNarrow, 'light'], [kWide, 'dark']],
  allowed: (url) => new URL(url).origin === new URL(address).origin,
  ready: answered,
  async check({page, context, viewport, scheme}) {
    if (viewport === kWide && scheme === 'light') await use(page, context);
  },
});
