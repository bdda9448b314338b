import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { isAllowed, LockedPackage, problemsOfLock } from './lock.js';

const ROOT = resolve(import.meta.dirname, '../..');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const Lock = z.object({ packages: z.record(z.string(), LockedPackage) });
const Manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) });
const OldLicense = z.object({ licenses: z.tuple([z.object({ type: z.string() })]) });

const { packages } = Lock.parse(readJson('package-lock.json'));
const { allowScripts } = Manifest.parse(readJson('package.json'));
const licenseInstalled = (path: string): string | undefined =>
  OldLicense.safeParse(readJson(join(path, 'package.json'))).data?.licenses[0].type;

const problemsWith = (path: string, planted: LockedPackage): readonly string[] =>
  problemsOfLock({
    packages: { ...packages, [path]: planted },
    allowScripts,
    licenseInstalled: (each) => (each === path ? undefined : licenseInstalled(each)),
  });

describe('locked packages', () => {
  it('have allowed licences, known install scripts, and a hash of what the registry has', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(problemsOfLock({ packages, allowScripts, licenseInstalled })).toEqual([]);
  });

  const good = { version: '1.0.0', integrity: 'sha512-AA==', license: 'MIT' };
  it.each<[string, LockedPackage, string]>([
    ['a copyleft licence', { ...good, license: 'GPL-3.0-only' }, 'the licence GPL-3.0-only is not allowed'],
    [
      'the licence of a tool in what users install',
      { ...good, license: 'MPL-2.0' },
      'the licence MPL-2.0 is not allowed',
    ],
    [
      'a copyleft licence of a tool',
      { ...good, license: 'AGPL-3.0-only', dev: true },
      'the licence AGPL-3.0-only is not allowed',
    ],
    ['no licence', { version: '1.0.0', integrity: good.integrity }, 'the licence none is not allowed'],
    [
      'an install script',
      { ...good, hasInstallScript: true },
      'has an install script, and allowScripts does not name it',
    ],
    [
      'a repository as its source',
      { ...good, resolved: 'git+ssh://git@example.com/a/b.git#0123' },
      'is not of the registry: git+ssh://git@example.com/a/b.git#0123',
    ],
    [
      'another server as its source',
      { ...good, resolved: 'https://registry.npmjs.org.example.com/a.tgz' },
      'is not of the registry: https://registry.npmjs.org.example.com/a.tgz',
    ],
    ['a folder as its source', { ...good, link: true }, 'is not of the registry: a link'],
    ['no hash', { version: '1.0.0', license: 'MIT' }, 'has no sha512 hash'],
    ['a weak hash', { ...good, integrity: 'sha1-AA==' }, 'has no sha512 hash'],
  ])('are refused with %s', (_what, planted, problem) => {
    const path = 'node_modules/graphql/node_modules/@planted/bad';
    expect(problemsWith(path, planted)).toEqual([`${path}: ${problem}`]);
    expect(problemsWith(path, good)).toEqual([]);
  });

  it('are all that allowScripts names', () => {
    const named = { ...allowScripts, 'gone-package': false };
    expect(problemsOfLock({ packages, allowScripts: named, licenseInstalled })).toEqual([
      'gone-package: is in allowScripts and has no install script',
    ]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR CC0-1.0)', true],
    ['GPL-2.0-only OR MIT', true],
    ['(MIT AND GPL-2.0-only)', false],
    ['MIT OR GPL-2.0-only AND ISC', true],
    ['(MIT OR GPL-2.0-only) AND GPL-3.0-only', false],
    ['((GPL-3.0-only OR ISC) AND MIT)', true],
    ['()', false],
    ['yes', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['UNLICENSED', false],
  ])('with the licence %s: %s', (license, expected) => {
    expect(isAllowed(license, ['MIT', 'ISC'])).toBe(expected);
  });
});
