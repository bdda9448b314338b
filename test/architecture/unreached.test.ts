import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { removeFolder, scratchFolder } from '../support/scratch.js';
import { Uses } from './uses.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DOMAIN = /[/]src[/]domain[/].+[.](model|rules|repository|service)[.]ts$/;

/** `path name` of each function of the domain that neither a command nor a request can reach. */
function unreachedIn(root: string, config: string): readonly string[] {
  const inSource = (file: string): boolean => file.startsWith(`${join(root, 'src')}/`);
  const uses = new Uses({
    config: join(root, config),
    // Uses in the demo do not count: no client can reach them.
    isPart: (file) => inSource(file) && !file.startsWith(`${join(root, 'src/demo')}/`),
    isDomain: (file) => DOMAIN.test(file),
  });
  return uses
    .unreached()
    .map((declared) => relative(root, declared))
    .sort();
}

const folder = scratchFolder();
afterAll(() => removeFolder(folder));

/** A small program: `main.ts` serves the device's REST routes; the demo uses more than that. */
const PROGRAM = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }',
  'package.json': '{ "type": "module" }',
  'src/main.ts': `
    import { routes } from './domain/fleet/device/device.rest.js';
    import { fill } from './demo/demo.js';
    export { orphan } from './domain/fleet/device/device.service.js';
    routes.forEach((route) => route(1)); fill();`,
  'src/demo/demo.ts': `
    import { report } from '../domain/fleet/device/device.service.js';
    export const fill = () => report(1);`,
  'src/domain/fleet/device/device.rest.ts': `
    import { getDevice, tokens, Store } from '../device/device.service.js';
    const { renew } = tokens();
    export const routes = [getDevice, (id: number) => renew(id) + new Store().count(id)];`,
  'src/domain/fleet/device/device.service.ts': `
    import { readRow, writeRow } from './device.repository.js';
    export interface Tokens { renew(id: number): number; revoke(id: number): number }
    export function tokens(): Tokens {
      return { renew: (id) => readRow(id), revoke: (id) => revoked(id) };
    }
    function revoked(id: number): number { return writeRow(id); }
    export class Store {
      readonly count = (id: number) => this.#sum(id);
      clear(): void { cleared(); }
      #sum(id: number) { return id; }
    }
    function cleared(): void {}
    const all = { get: (id: number) => readRow(id), report: (id: number) => writeRow(id) };
    export const { get: getDevice, report } = all;
    export function orphan(): void { helperOfOrphan(); }
    export function helperOfOrphan(): void {}`,
  'src/domain/fleet/device/device.repository.ts': `
    export const readRow = (id: number) => id;
    export function writeRow(id: number) { return id; }`,
};

describe('functions of the domain', () => {
  it('are each reached from the program: REST, GraphQL, the command line or a background task', () => {
    const unreached = unreachedIn(ROOT, '.config/tsconfig.build.json');
    expect(unreached).toEqual([]);
  });

  it('are reported when only the demo, a test or another unreached function uses them', () => {
    for (const [path, text] of Object.entries(PROGRAM)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const service = 'src/domain/fleet/device/device.service.ts';
    expect(unreachedIn(folder, 'tsconfig.json')).toEqual(
      ['revoke', 'revoked', 'clear', 'cleared', 'report', 'orphan', 'helperOfOrphan']
        .map((name) => `${service} ${name}`)
        .sort(),
    );
  });
});
