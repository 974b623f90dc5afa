// Bundles each source with its imports into one file: node bundle.mjs SOURCE OUT [SOURCE OUT].
import {build} from 'esbuild';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The package folder of a bundled file. */
function packageOf(path) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  return found?.[1];
}

/** Each licence text once, with the names of its packages. */
function licences(inputs) {
  const packages = new Set(inputs.map(packageOf).filter(Boolean));
  const byText = new Map();
  for (const folder of [...packages].sort()) {
    const {name, version, license} = JSON.parse(readFileSync(join(here, folder, 'package.json')));
    const file = readdirSync(join(here, folder)).find((f) => /^licen[cs]e/i.test(f));
    const text = file ? readFileSync(join(here, folder, file), 'utf8').trim() : license;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}`).join('\n\n---\n\n');
}

async function bundle(source, out) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [source],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',  // licences() has the complete texts
    metafile: true,
    write: false,
  });
  const contained = Object.entries(result.metafile.outputs)[0][1].inputs;
  const used = Object.keys(contained).filter((path) => contained[path].bytesInOutput > 0);
  const notice = licences(used).replaceAll('*/', '* /').replaceAll('</', '< /');
  const code = result.outputFiles[0].text;
  if (code.includes('</script')) throw new Error('the bundle would end the script that holds it');
  writeFileSync(resolve(out), `/*! Contains:\n\n${notice}\n*/\n${code}`);
}

const pairs = process.argv.slice(2);
for (let i = 0; i + 1 < pairs.length; i += 2) await bundle(pairs[i], pairs[i + 1]);
