// Chromium for the checks of pages: opens them, remembers what they say, looks at what all share.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const kPatience = 120_000;  // ms, on a machine that does other things
export const kNarrow = {width: 400, height: 800};
export const kWide = {width: 1600, height: 1000};

/**
 * Opens the page at `address`; what it says, whom else it asks is remembered. `allowed(url)`: it may
 * ask for that; `ready(page)`: until all is there.
 */
async function open(browser, {address, allowed, ready}, viewport, colorScheme) {
  // Reduced motion: it scrolls at once.
  const context = await browser.newContext(
    {viewport, colorScheme, acceptDownloads: true, reducedMotion: 'reduce'});
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  const said = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !allowed(request.url())) {
      said.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  await ready(page);
  return {page, said, context};
}

async function checkWidth(page, width) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= width, `the page is ${wide} pixels wide on ${width}`);
}

/** Every element that `selector` finds has a name that a screen reader says. */
export async function checkNames(page, selector, what) {
  const nameless = await page.locator(selector).evaluateAll((all) =>
    all.filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() ||
                          one.labels?.length)).length);
  assert.equal(nameless, 0, `${what} has a name`);
}

/** The button of the theme changes the paper; a second click brings it back. */
export async function checkTheme(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await paper();
  await page.getByRole('button', {name: 'Use dark colours'}).click();
  assert.notEqual(await paper(), before);
  await page.getByRole('button', {name: 'Use light colours'}).click();
  assert.equal(await paper(), before);
}

/**
 * Opens a page in each of `views`, [viewport, scheme], calls `check`, which is told of both, too;
 * leaves a picture OUT-WIDTH-SCHEME.png. It fits its width; it says nothing, asks for nothing else.
 */
export async function lookAt({modules, chromiumPath, out, views, check, ...what}) {
  const {chromium} = createRequire(join(modules, 'package.json'))('playwright-core');
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  try {
    for (const [viewport, scheme] of views) {
      const {page, said, context} = await open(browser, what, viewport, scheme);
      await check({page, context, viewport, scheme});
      await checkWidth(page, viewport.width);
      await page.evaluate(() => scrollTo({top: 0, behavior: 'instant'}));
      await page.screenshot({path: `${out}-${viewport.width}-${scheme}.png`, fullPage: true});
      assert.deepEqual(said, [], 'what the page said or asked for');
      await context.close();
    }
  } finally {
    await browser.close();
  }
}
