import { existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { SETTINGS } from '../../src/platform/config/settings.js';
import { readDocument, ROOT } from '../documents/markdown.js';

const FOLDER = '.config/container';

/** Instructions of the Containerfile, with continued lines joined; the last stage is that of the image. */
const stages = readDocument(`${FOLDER}/Containerfile`)
  .replace(/^\s*#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split(/^(?=FROM )/m)
  .filter((stage) => stage.trim() !== '')
  .map((stage) =>
    Array.from(stage.matchAll(/^([A-Z]+) +(.*?) *$/gm), ([, name = '', value = '']) => ({ name, value })),
  );
const all = stages.flat();
const valuesOf = (wanted: string, of = all): string[] =>
  of.flatMap(({ name, value }) => (name === wanted ? [value] : []));

describe('.config/container/Containerfile', () => {
  it('begins with images of fixed versions', () => {
    for (const value of valuesOf('FROM')) expect(value).toMatch(/^\S+:(\d+-)?trixie-slim( AS \w+)?$/);
  });

  it('copies named paths of the repository, and from its own stages; downloads nothing itself', () => {
    const names = valuesOf('FROM').flatMap((value) => / AS (\w+)$/.exec(value)?.slice(1) ?? []);
    for (const value of valuesOf('COPY')) {
      const [first = '', ...others] = value.split(/\s+/);
      if (first.startsWith('--from=')) expect(names).toContain(first.slice('--from='.length));
      else
        for (const source of [first, ...others].slice(0, -1))
          expect(existsSync(ROOT + source), source).toBe(true);
      expect([first, ...others]).not.toContain('.');
    }
    expect(valuesOf('ADD')).toEqual([]);
  });

  it('keeps no secret in the image, and sets only what is a setting', () => {
    expect(valuesOf('ARG')).toEqual([]);
    const known = ['NODE_ENV', ...SETTINGS.map(({ name }) => name)];
    const names = valuesOf('ENV').flatMap((value) =>
      Array.from(value.matchAll(/(\w+)=/g), ([, name]) => name),
    );
    expect(known).toEqual(expect.arrayContaining(names));
    expect(names).not.toContain('TOKEN_SECRET');
  });

  it('runs the program itself, as a user other than root, with a health check', () => {
    const image = stages.at(-1) ?? [];
    const single = ['USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL'].map((name) => valuesOf(name, image));
    expect(single).toEqual([['10001:10001'], ['/data'], ['4000'], ['SIGTERM']]);
    expect(image.findIndex(({ name }) => name === 'USER')).toBeLessThan(image.length - 2);
    expect(image.slice(-2).map(({ name }) => name)).toEqual(['ENTRYPOINT', 'CMD']);
    // JSON lists: a shell would keep signals.
    const [health = ''] = valuesOf('HEALTHCHECK', image);
    for (const list of [...image.slice(-2).map(({ value }) => value), health.replace(/^.* CMD /, '')]) {
      expect(JSON.parse(list)).toEqual(expect.arrayContaining([expect.any(String)]));
    }
  });
});

/** `a` and `a/b` of `a/b/c`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

it('.dockerignore lets through what is copied, and nothing else of this repository', () => {
  const rules = readDocument('.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const copied = valuesOf('COPY')
    .filter((value) => !value.startsWith('--from'))
    .flatMap((value) => value.split(/\s+/).slice(0, -1));
  const folders = new Set(copied.flatMap(foldersOf));
  const opened = [...new Set([...copied, ...folders])].map((path) => `!${path}`);
  expect(rules.toSorted()).toEqual(['*', ...[...folders].map((path) => `${path}/*`), ...opened].toSorted());
});

it.each(['build.sh', 'make-database.sh'])('.config/container/%s can be executed', (name) => {
  expect(statSync(`${ROOT}${FOLDER}/${name}`).mode & 0o111).toBe(0o111);
});
