import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

import { removeFolder, scratchFolder } from '../support/scratch.js';

interface Layer {
  readonly name: string;
  readonly files: string;
  readonly example: string;
  readonly src?: readonly string[];
  readonly own?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
}

const root = resolve(import.meta.dirname, '../..');
const { layers } = createRequire(import.meta.url)('../../.config/layers.cjs') as { layers: readonly Layer[] };
const PACKAGES = [...new Set(layers.flatMap(({ packages = [] }) => packages))];

const folder = scratchFolder();
afterAll(() => removeFolder(folder));

/** Another file of the same layer, in a folder of the same resource: `foreign` asks for one of another resource. */
function sibling({ example }: Layer, name: string, foreign = false): string {
  const resource = foreign ? 'other' : 'example';
  return example
    .replace(/^src\/domain\/fleet\/[^/]+\//, `src/domain/fleet/${resource}/`)
    .replace(/[^/]+?(\.[a-z]+)?\.ts$/, `${name}$1.ts`);
}

const isSingleFile = ({ files }: Layer): boolean => files.endsWith('[.]ts$') && !files.includes('+');

/** A file that imports what `specifier` names; the file of a layer that has only one is that file itself. */
function plant(file: string, specifiers: readonly string[]): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const lines = specifiers.map((specifier, n) => `import * as x${n} from '${specifier}';\nexport { x${n} };`);
  writeFileSync(path, `${lines.join('\n')}\nexport const planted = 1;\n`);
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

interface Dependency {
  readonly resolved: string;
  readonly valid: boolean;
}

/** The imports of each planted file, and of each folder, that the rules refuse. */
async function refused(): Promise<ReadonlyMap<string, readonly string[]>> {
  for (const name of ['dependency-cruiser.cjs', 'layers.cjs']) {
    mkdirSync(join(folder, '.config'), { recursive: true });
    copyFileSync(join(root, '.config', name), join(folder, '.config', name));
  }
  copyFileSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tool = join(root, 'node_modules/.bin/depcruise');
  const args = [tool, '-c', '.config/dependency-cruiser.cjs', 'src', '--output-type', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 28 });
  const { modules, folders } = JSON.parse(stdout) as {
    modules: { source: string; dependencies: Dependency[] }[];
    folders: { name: string; dependencies: { name: string; valid: boolean }[] }[];
  };
  return new Map([
    ...modules.map(({ source, dependencies }): [string, string[]] => [
      source,
      dependencies.filter(({ valid }) => !valid).map(({ resolved }) => resolved),
    ]),
    ...folders.map(({ name, dependencies }): [string, string[]] => [
      name,
      dependencies.filter(({ valid }) => !valid).map((each) => each.name),
    ]),
  ]);
}

const forbiddenLayers = (layer: Layer): readonly Layer[] =>
  layers.filter(
    ({ name }) => !layer.src?.includes(name) && !layer.own?.includes(name) && name !== layer.name,
  );
const forbiddenPackages = ({ packages = [] }: Layer): readonly string[] =>
  PACKAGES.filter((name) => !packages.includes(name));
const FORBIDDEN_NODE = ['child_process', 'dns', 'worker_threads'];

describe('the import rules', () => {
  it('refuse every import that no list of its layer names, and take those that one names', async () => {
    const expected = new Map<string, number>();
    for (const layer of layers) {
      plant(layer.example, []);
      if (layer.name.startsWith('re') || layer.name === 'rules') plant(sibling(layer, 'other', true), []);
    }
    for (const layer of layers.filter((each) => !isSingleFile(each))) {
      const bad = sibling(layer, 'planted-bad');
      const wrong = [
        ...forbiddenLayers(layer).map(({ example }) => relative(bad, example)),
        ...forbiddenPackages(layer),
        ...FORBIDDEN_NODE.filter((name) => !layer.node?.includes(name)).map((name) => `node:${name}`),
      ];
      plant(bad, wrong);
      expected.set(bad, wrong.length);
      const good = sibling(layer, 'planted-good');
      const named = layers.filter(({ name }) => layer.src?.includes(name) === true && name !== layer.name);
      plant(good, [
        ...named.map(({ example }) => relative(good, example)),
        ...(layer.packages ?? []),
        ...(layer.node ?? []).map((name) => `node:${name}`),
      ]);
      expected.set(good, 0);
    }
    const service = layers.find(({ name }) => name === 'service');
    const stranger = 'src/domain/fleet/example/planted-stranger.service.ts';
    plant(stranger, ['../other/other.repository.js', '../other/other.rules.js']);
    expected.set(stranger, service?.own?.length ?? 0);
    plant('src/unknown/planted.ts', ['../platform/example.js', 'node:path']);
    expected.set('src/unknown/planted.ts', 2);
    // A wing may import those below it only, and must be listed.
    plant('src/domain/people/planted/up.service.ts', ['../../fleet/example/example.service.js']);
    expected.set('src/domain/people/planted/up.service.ts', 1);
    plant('src/domain/unknown/planted/lost.service.ts', ['../../../platform/example.js']);
    expected.set('src/domain/unknown/planted/lost.service.ts', 1);
    // Two resources import each other, though none of their files do.
    plant('src/domain/fleet/one/low.model.ts', []);
    plant('src/domain/fleet/one/high.service.ts', ['../two/low.model.js']);
    plant('src/domain/fleet/two/low.model.ts', []);
    plant('src/domain/fleet/two/high.service.ts', ['../one/low.model.js']);
    expected.set('src/domain/fleet/one', 1);
    expected.set('src/domain/fleet/two', 1);
    expected.set('src/domain/fleet/example', 0);

    const found = await refused();
    const counts = [...expected.keys()].map((file) => [file, found.get(file)?.length]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(expected));
  });
});
