/**
 * A part of the build: joins the modules that tsc has compiled to dist/.modules into few files in dist/, with those of
 * the packages in JOINED. A start then opens some 50 files of ours instead of some 1,000.
 */
import { build } from 'esbuild';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const modules = `${dist}/.modules`;
const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/** ES modules in hundreds of small files, of which no other package uses a second copy. */
const JOINED = ['kysely', 'zod'];

/** Programs and threads, which are started by their paths. */
const ENTRIES = [
  'boot.js',
  'main.js',
  'database/sqlite/file/whole-file-process.js',
  'database/sqlite/checkpoint-thread.js',
  'database/sqlite/examining/thread.js',
].map((path) => `${modules}/${path}`);

/** Modules whose own path stands in their text. */
const located = new Set();

/**
 * The text of a module in a file with others. `import.meta.url` becomes the URL that the module would have in dist/.
 * Classes keep their names, which are those of GraphQL types, where the file has another name like theirs.
 */
function joinable(path) {
  const text = readFileSync(path, 'utf8').replaceAll(
    /\bclass (\w+)(?: extends [\w.]+)? \{/g,
    (start, name) => `${start} static name = '${name}';`,
  );
  if (ENTRIES.includes(path) || !text.includes('import.meta.url')) return text;
  located.add(path);
  const url = `new URL('./${relative(modules, path)}', import.meta.url).href`;
  return text.replaceAll('import.meta.url', url);
}

const { metafile } = await build({
  entryPoints: ENTRIES,
  outbase: modules,
  outdir: dist,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [
    {
      name: 'modules of this program',
      setup({ onLoad, onResolve }) {
        onResolve({ filter: /^[^./]/ }, ({ path }) =>
          JOINED.includes(path.split('/')[0]) ? undefined : { path, external: true },
        );
        onLoad({ filter: /\/dist\/\.modules\/.*\.js$/ }, ({ path }) => ({ contents: joinable(path) }));
      },
    },
  ],
});

for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
  const wrong = Object.keys(inputs).find((input) => located.has(resolve(input)));
  if (wrong !== undefined && dirname(resolve(output)) !== dist)
    throw new Error(`${wrong} uses import.meta.url, and is not in a file in dist/ itself`);
}

const licences = JOINED.map((name) => `${name}\n\n${readFileSync(`${packages}/${name}/LICENSE`, 'utf8')}`);
writeFileSync(`${dist}/LICENSES`, licences.join('\n'));
rmSync(modules, { recursive: true });
