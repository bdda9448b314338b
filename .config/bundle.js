/**
 * A part of the build: joins the modules that tsc has compiled to dist/.modules, and those of the packages that they use,
 * into few files in dist/. A start then opens some 90 files instead of some 2,000.
 */
import { build } from 'esbuild';
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const modules = `${dist}/.modules`;
const packages = realpathSync(fileURLToPath(new URL('../node_modules', import.meta.url)));

const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * Packages that are not joined. Those of `dependencies` are installed with the program, since they have compiled code or few
 * starts use them; each start uses the API of OpenTelemetry. Nothing here uses what asks for the last three.
 */
const SEPARATE = [
  ...Object.keys(dependencies).filter((name) => name !== '@opentelemetry/api'),
  '@apollo/usage-reporting-protobuf',
  'class-validator',
  'pg-native',
];

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
 * The text of a module in a file with others. Classes keep their names, which are those of GraphQL types and errors, where
 * the file has another name like theirs. `import.meta.url` becomes the URL that our module would have in dist/.
 */
function joinable(path) {
  const text = readFileSync(path, 'utf8').replaceAll(
    /\bclass (\w+)(?: extends [\w.]+)? \{/g,
    (start, name) => `${start} static name = '${name}';`,
  );
  if (!path.startsWith(modules) || ENTRIES.includes(path) || !text.includes('import.meta.url')) return text;
  located.add(path);
  const url = `new URL('./${relative(modules, path)}', import.meta.url).href`;
  return text.replaceAll('import.meta.url', url);
}

/** Says where an import leads that esbuild would resolve otherwise. */
function resolveImport({ path, kind }) {
  // Packages use it as ES modules and CommonJS, and it works as one copy only.
  if (/^graphql(\/|$)/.test(path)) {
    return { path: `${packages}/${path === 'graphql' ? 'graphql/index' : path.replace(/\.js$/, '')}.mjs` };
  }
  if (SEPARATE.some((name) => path === name || path.startsWith(`${name}/`))) return { path, external: true };
  if (!isBuiltin(path)) return undefined;
  // An import of `http` reads everything that it exports, for which Node loads its client of WebSocket.
  const isRequired = kind === 'require-call' || /^(?:node:)?http$/.test(path);
  return isRequired ? { path, namespace: 'builtin' } : { path, external: true };
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
      name: 'modules of this program and its packages',
      setup({ onLoad, onResolve }) {
        onResolve({ filter: /^[^./]/ }, resolveImport);
        onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
          contents: `module.exports = process.getBuiltinModule('${path}')`,
        }));
        onLoad({ filter: /\.m?js$/ }, ({ path }) => ({ contents: joinable(path) }));
      },
    },
  ],
});

for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
  const wrong = Object.keys(inputs).find((input) => located.has(resolve(input)));
  if (wrong !== undefined && dirname(resolve(output)) !== dist)
    throw new Error(`${wrong} uses import.meta.url, and is not in a file in dist/ itself`);
}

/** The licence of a package, which most keep in a file of that name, and otherwise in a field of package.json. */
function licenceOf(name) {
  const folder = `${packages}/${name}`;
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  return file === undefined
    ? `Licence: ${JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).license}`
    : readFileSync(`${folder}/${file}`, 'utf8');
}

const joined = Object.keys(metafile.inputs).map(
  (input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1],
);
const names = [...new Set(joined.filter((name) => name !== undefined))].sort();
writeFileSync(`${dist}/LICENSES`, names.map((name) => `${name}\n\n${licenceOf(name)}`).join('\n'));
rmSync(modules, { recursive: true });
