import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { shippedPackages } from '../../.config/shipped-packages.js';

const ROOT = resolve(import.meta.dirname, '../..');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** A package of `package-lock.json`, as npm writes it. */
const Package = z.object({
  /** Absent for packages of the registry. */
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  /** An SPDX expression; absent where the package has none, or has it in the old form. */
  license: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  /** Whether only development needs it. */
  dev: z.boolean().optional(),
});
type Package = z.infer<typeof Package>;

const { packages } = z
  .object({ packages: z.record(z.string(), Package) })
  .parse(readJson('package-lock.json'));
/** Names of packages with install scripts that were looked at, each with whether its scripts may run. */
const { allowScripts } = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(readJson('package.json'));
/** This repository, and its folder that has clones install a Node. */
const OWN = ['', '.config/node', 'node_modules/terminal-gateway-node'];
const shipped = shippedPackages();
const OldLicense = z.object({ licenses: z.tuple([z.object({ type: z.string() })]) });

/** Licences without conditions on the programs that use the package. */
const FOR_USERS = [
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 AND MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  '(MIT AND BSD-3-Clause)',
  '(MIT OR Apache-2.0)',
];
/** Licences also allowed for development tools, which users do not get. */
const FOR_DEVELOPMENT = [...FOR_USERS, 'CC-BY-3.0', 'CC-BY-4.0', 'CC0-1.0', 'MPL-2.0', 'Python-2.0'];
const REGISTRY = 'https://registry.npmjs.org/';

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The licence that an installed package states in the old form `licenses`. */
function oldLicense(path: string): string | undefined {
  return OldLicense.safeParse(readJson(join(path, 'package.json'))).data?.licenses[0].type;
}

/** Problems of a locked package, one line each. */
function problemsOf(path: string, each: Package, licence = each.license ?? 'none'): readonly string[] {
  const allowed = each.dev === true && !shipped.has(path) ? FOR_DEVELOPMENT : FOR_USERS;
  return [
    ...(allowed.includes(licence) ? [] : [`the licence ${licence} is not allowed`]),
    ...(each.hasInstallScript === true && !Object.hasOwn(allowScripts, nameOf(path))
      ? ['has an install script, and allowScripts does not name it']
      : []),
    ...(each.link === true || each.resolved?.startsWith(REGISTRY) === false
      ? [`is not of the registry: ${each.resolved ?? 'a link'}`]
      : []),
    ...(each.integrity?.startsWith('sha512-') === true ? [] : ['has no sha512 hash']),
  ];
}

describe('locked packages', () => {
  const locked = Object.entries(packages).filter(([path]) => !OWN.includes(path));

  it('have allowed licences, known install scripts, and a hash of what the registry has', () => {
    expect(locked.length).toBeGreaterThan(100);
    const problems = locked.map(([path, each]) => [
      path,
      problemsOf(path, each, each.license ?? oldLicense(path)),
    ]);
    expect(problems.filter(([, found]) => found?.length !== 0)).toEqual([]);
  });

  it('are not in this repository, but for the folder of the Node of a clone', () => {
    const links = Object.values(packages).filter(({ link }) => link === true);
    expect(links).toEqual([{ resolved: '.config/node', link: true }]);
  });

  it('are those that users get, as far as modules import them, and what they depend on', () => {
    const installed = locked.filter(([, { dev }]) => dev !== true).map(([path]) => path);
    const joined = ['kysely', 'pg-pool', 'react', 'wonka'].map((name) => `node_modules/${name}`);
    expect([...shipped]).toEqual(expect.arrayContaining([...installed, ...joined]));
    expect([...shipped]).not.toContain('node_modules/vitest');
  });

  it('have install scripts where allowScripts names them', () => {
    const withScripts = locked.filter(([, each]) => each.hasInstallScript === true);
    const names = new Set(withScripts.map(([path]) => nameOf(path)));
    expect(Object.keys(allowScripts).filter((name) => !names.has(name))).toEqual([]);
  });

  const good = { integrity: 'sha512-AA==', license: 'MIT' };
  const licence = (name: string): string => `the licence ${name} is not allowed`;
  const elsewhere = 'git+ssh://git@example.com/a/b.git#0123';
  const other = `${REGISTRY.slice(0, -1)}.example.com/a.tgz`;
  const script = 'has an install script, and allowScripts does not name it';
  it.each<[string, Package, string]>([
    ['a copyleft licence', { ...good, license: 'GPL-3.0-only' }, licence('GPL-3.0-only')],
    ['the licence of a tool', { ...good, license: 'MPL-2.0' }, licence('MPL-2.0')],
    ['copyleft of a tool', { ...good, license: 'AGPL-3.0-only', dev: true }, licence('AGPL-3.0-only')],
    ['no licence', { integrity: good.integrity }, licence('none')],
    ['an install script', { ...good, hasInstallScript: true }, script],
    ['a repository as its source', { ...good, resolved: elsewhere }, `is not of the registry: ${elsewhere}`],
    ['another server as its source', { ...good, resolved: other }, `is not of the registry: ${other}`],
    ['a folder as its source', { ...good, link: true }, 'is not of the registry: a link'],
    ['no hash', { license: 'MIT' }, 'has no sha512 hash'],
    ['a weak hash', { ...good, integrity: 'sha1-AA==' }, 'has no sha512 hash'],
  ])('are refused with %s', (_what, planted, problem) => {
    const path = 'node_modules/graphql/node_modules/@planted/bad';
    expect([problemsOf(path, planted), problemsOf(path, good)]).toEqual([[problem], []]);
  });
});
