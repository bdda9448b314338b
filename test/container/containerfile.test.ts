import { existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { readDocument, ROOT } from '../documents/markdown.js';
import { containerfileProblems, parseContainerfile } from './containerfile.js';

const FOLDER = '.config/container';
const TEXT = readDocument(`${FOLDER}/Containerfile`);
const problemsOf = (text: string): string[] => containerfileProblems(text, (path) => existsSync(ROOT + path));

/** The Containerfile with one mistake; fails if the text to be replaced is not there. */
function mistake(from: string | RegExp, to: string): string {
  const changed = TEXT.replace(from, to);
  expect(changed).not.toBe(TEXT);
  return changed;
}

describe('.config/container/Containerfile', () => {
  it('has no problem', () => {
    expect(problemsOf(TEXT)).toEqual([]);
  });

  it.each<[string, string | RegExp, string, string]>([
    ['an unknown instruction', 'WORKDIR', 'WORKDR', 'WORKDR is no known instruction'],
    ['a tag that moves', 'debian:trixie-slim', 'debian:latest', 'docker.io/library/debian:latest has no tag'],
    ['an image without a tag', 'debian:trixie-slim', 'debian', 'docker.io/library/debian has no tag'],
    ['a download', 'COPY src src', 'ADD https://example.com/src.tar src', 'ADD can download'],
    ['a source that does not exist', 'COPY src src', 'COPY source src', 'COPY source: not a named path'],
    ['a copy of everything', 'COPY src src', 'COPY . .', 'COPY .: not a named path'],
    [
      'an unknown stage',
      '--from=dependencies',
      '--from=packages',
      'COPY --from=packages: there is no such stage',
    ],
    ['no user', 'USER 10001:10001', '', 'USER must be a number other than 0'],
    ['root', 'USER 10001:10001', 'USER 0', 'USER must be a number other than 0'],
    ['the group of root', 'USER 10001:10001', 'USER 10001:0', 'USER must be a number other than 0'],
    ['a user by name', 'USER 10001:10001', 'USER gateway', 'USER must be a number other than 0'],
    ['root again', 'VOLUME', 'USER 0\nVOLUME', 'USER must be a number other than 0'],
    ['the user after the entry point', /$/, 'USER 10001:10001\n', 'USER comes after ENTRYPOINT'],
    [
      'a shell that keeps signals',
      /^ENTRYPOINT .*$/m,
      'ENTRYPOINT node /app/dist/boot.js',
      'ENTRYPOINT must be',
    ],
    ['no health check', /^HEALTHCHECK [^]*?\n(?=ENTRY)/m, '', 'HEALTHCHECK with a JSON list is missing'],
    ['a variable that is no setting', 'PORT=4000', 'PORTS=4000', 'ENV PORTS is no setting'],
    ['a secret', 'PORT=4000', 'TOKEN_SECRET=0123', 'ENV TOKEN_SECRET stays in the image'],
    ['a secret of the build', 'WORKDIR', 'ARG NPM_TOKEN\nWORKDIR', 'ARG NPM_TOKEN stays in the image'],
    ['no stop signal', 'STOPSIGNAL SIGTERM', '', 'STOPSIGNAL SIGTERM is missing'],
    ['no volume', 'VOLUME /data', '', 'VOLUME /data is missing'],
  ])('with %s has a problem', (_what, from, to, problem) => {
    expect(problemsOf(mistake(from, to)).join('\n')).toContain(problem);
  });
});

/** `a` and `a/b` of `a/b/c`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

describe('.dockerignore', () => {
  it('lets through what is copied, and nothing else of this repository', () => {
    const rules = readDocument('.dockerignore')
      .split('\n')
      .filter((line) => /^[^#]/.test(line));
    const copied = parseContainerfile(TEXT)
      .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--from'))
      .flatMap(({ value }) => value.split(/\s+/).slice(0, -1));
    const folders = new Set(copied.flatMap(foldersOf));
    const opened = [...new Set([...copied, ...folders])].map((path) => `!${path}`);
    expect(rules.toSorted()).toEqual(['*', ...[...folders].map((path) => `${path}/*`), ...opened].toSorted());
  });
});

describe('the scripts of .config/container', () => {
  it.each(['build.sh', 'make-database.sh'])('%s can be executed', (name) => {
    expect(statSync(`${ROOT}${FOLDER}/${name}`).mode & 0o111).toBe(0o111);
  });
});
