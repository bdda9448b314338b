import { Ajv, type AnySchemaObject } from 'ajv';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { shippedPackages } from '../../.config/shipped-packages.js';
import { readDocument, ROOT } from '../documents/markdown.js';
import { scratchFolder } from '../support/scratch.js';

const { name, version } = JSON.parse(readDocument('package.json')) as {
  readonly name: string;
  readonly version: string;
};
const NAME = `${name}-${version}`;
/** Databases of released versions. */
const DATABASES = 'test/support/releases/';
const SCHEMAS = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
const [TSX, NODE] = [join(ROOT, 'node_modules/.bin/tsx'), process.execPath];

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** A repository of one commit with the files of this one as they are now, and with its packages. */
function repository(): string {
  const folder = scratchFolder();
  const paths = git(ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate').split(
    '\n',
  );
  for (const path of paths.filter((each) => !each.startsWith('test/') || each.startsWith(DATABASES))) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  git(folder, 'init', '--quiet');
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'All files');
  return folder;
}

/** Commands that a release needs. Another folder of commands leaves out tools for containers, whatever this machine has. */
function toolsFolder(): string {
  const folder = scratchFolder();
  for (const tool of ['bash', 'sh', 'env', 'git', 'sed', 'dirname', 'npm', 'touch']) {
    symlinkSync(
      execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
      join(folder, tool),
    );
  }
  symlinkSync(NODE, join(folder, 'node'));
  return folder;
}

function release(folder: string, args: readonly string[], tools = toolsFolder()) {
  const { status, stdout, stderr } = spawnSync(NODE, [TSX, '.config/release.ts', '--no-tests', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: tools },
  });
  return { status, stdout, stderr };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('npm run release', () => {
  let folder = '';
  beforeAll(() => {
    folder = repository();
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    const { status, stderr } = release(folder, ['--without-image']);
    expect(status, stderr).toBe(0);
  });
  const path = (file: string): string => join(folder, '.release', file);
  const bom = (): Bom => JSON.parse(readFileSync(path(`${NAME}.cdx.json`), 'utf8')) as Bom;

  it('makes package, list of parts, notes and checksums, and nothing that git sees', () => {
    expect(readdirSync(path('')).toSorted()).toEqual([
      'SHA256SUMS',
      'notes.md',
      `${NAME}.cdx.json`,
      `${NAME}.tgz`,
    ]);
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });

  it('packs the program and its guides, and neither sources nor tests', () => {
    const listed = execFileSync('tar', ['tzf', path(`${NAME}.tgz`)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const files = listed.map((file) => file.replace('package/', ''));
    const needed = [
      'LICENSE',
      'README.md',
      'package.json',
      'schema.graphql',
      'dist/boot.js',
      'dist/console/index.html',
    ];
    expect(files).toEqual(
      expect.arrayContaining([...needed, 'src/docs/changelog.md', 'src/rest/CONTRACT.md']),
    );
    const tops = new Set(files.map((file) => file.split('/')[0]));
    expect([...tops].toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
      'schema.graphql',
      'src',
    ]);
    expect(files.filter((file) => /^src\/.*\.(?:ts|tsx)$|^dist\/\.|\.tgz$/.test(file))).toEqual([]);
  });

  it('lists the packages that are installed with the program or joined into it, and no others', () => {
    const { packages } = JSON.parse(readDocument('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>;
    };
    const expected = Array.from(
      shippedPackages(),
      (at) => `${at.replace(/^.*node_modules\//, '')}@${packages[at]?.version}`,
    );
    const listed = partsOf(bom().components);
    expect(new Set(listed)).toEqual(new Set(expected));
    const names = listed.map((part) => part.replace(/@[^@]*$/, ''));
    const used = ['better-sqlite3', 'kysely', 'react', '@graphql-yoga/render-graphiql'];
    expect(names).toEqual(expect.arrayContaining(used));
    expect(names.filter((part) => ['typescript', 'vite', 'vitest', 'oxlint'].includes(part))).toEqual([]);
  });

  it('lists them in the form of CycloneDX', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const schemaIn = (file: string): AnySchemaObject =>
      JSON.parse(readDocument(`${SCHEMAS}/${file}`)) as AnySchemaObject;
    for (const file of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
      ajv.addSchema(schemaIn(file), `http://cyclonedx.org/schema/${file}`);
    }
    const isValid = ajv.compile(schemaIn('bom-1.6.SNAPSHOT.schema.json'));
    expect([isValid(bom()), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...bom(), components: [{ name: 'a part without a type' }] })).toBe(false);
  });

  it('has checksums of all files', () => {
    const lines = readFileSync(path('SHA256SUMS'), 'utf8').trim().split('\n');
    const expected = [`${NAME}.cdx.json`, `${NAME}.tgz`, 'notes.md'].map(
      (file) => `${sha256(readFileSync(path(file)))}  ${file}`,
    );
    expect(lines.toSorted()).toEqual(expected.toSorted());
  });

  it('has the section of the changelog as notes', () => {
    const notes = readFileSync(path('notes.md'), 'utf8');
    expect(readDocument('src/docs/changelog.md')).toContain(notes);
    expect(notes).toMatch(/^\S/);
    expect(notes).not.toMatch(/^## /m);
  });

  it('fails without a tool for containers, and says what is missing', () => {
    const { status, stderr } = release(folder, []);
    expect(status).toBe(1);
    expect(stderr).toContain('There is no podman or buildah here, and no running docker: no image is built.');
    expect(stderr).toContain(`.release/${NAME}-image.tar is missing. Install podman, buildah or docker`);
  });

  it('builds and saves the image with podman', () => {
    const tools = toolsFolder();
    const podman =
      '#!/bin/sh\nfor last; do before=$file file=$last; done\n[ "$1" = build ] || touch "$before"\n';
    writeFileSync(join(tools, 'podman'), podman, { mode: 0o755 });
    const { status, stderr } = release(folder, [], tools);
    expect(status, stderr).toBe(0);
    expect(readdirSync(path(''))).toContain(`${NAME}-image.tar`);
    expect(readFileSync(path('SHA256SUMS'), 'utf8')).toContain(`${sha256(Buffer.of())}  ${NAME}-image.tar`);
  });
});

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly components?: readonly Component[];
}
interface Bom {
  readonly components: readonly Component[];
}

/** `name@version` of all parts, also of those that are inside of others. */
function partsOf(components: readonly Component[] = []): readonly string[] {
  return components.flatMap(({ group, name: own, version: at, components: inner }) => [
    `${group === undefined ? '' : `${group}/`}${own}@${at}`,
    ...partsOf(inner),
  ]);
}

describe('npm run release is refused', () => {
  let folder = '';
  let start = '';
  beforeAll(() => {
    folder = repository();
    start = git(folder, 'rev-parse', 'HEAD');
  });
  afterEach(() => {
    git(folder, 'reset', '--quiet', '--hard', start);
    git(folder, 'clean', '--quiet', '--force');
  });
  const refused = (): string => {
    const { status, stderr } = release(folder, ['--without-image']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/There is no release\.\n$/);
    return stderr;
  };
  const edit = (file: string, from: string | RegExp, to: string): void => {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replace(from, to));
    expect(readFileSync(join(folder, file), 'utf8')).not.toBe(text);
  };

  it('while files are not committed, and names them', () => {
    writeFileSync(join(folder, 'src/new.ts'), '');
    expect(refused()).toContain('These files are not committed:\n?? src/new.ts\n');
  });

  it('without an entry of the version in the changelog, or without its day', () => {
    edit('src/docs/changelog.md', /^## .*$/m, `## ${version} (to come)`);
    git(folder, 'commit', '--all', '--quiet', '--message', 'No day');
    expect(refused()).toContain(`has no entry "## ${version} (YYYY-MM-DD)". Write one`);
  });

  it('without the databases that later versions must open', () => {
    git(folder, 'rm', '-r', '--quiet', DATABASES + version);
    git(folder, 'commit', '--quiet', '--message', 'No databases');
    expect(refused()).toContain(`${DATABASES}${version} is missing, the databases`);
  });

  it('with another version in package-lock.json', () => {
    edit('package-lock.json', `"version": "${version}"`, '"version": "0.0.1"');
    git(folder, 'commit', '--all', '--quiet', '--message', 'Another version');
    expect(refused()).toContain(`package-lock.json has the version 0.0.1, package.json has ${version}.`);
  });

  it.each([
    ['a plain tag', []],
    ['a tag with a message', ['--annotate', '--message', 'A release']],
  ])('after the version was released from another commit, with %s', (_kind, how) => {
    git(folder, 'tag', '--force', ...how, `v${version}`);
    git(folder, 'commit', '--allow-empty', '--quiet', '--message', 'Later');
    expect(refused()).toContain(`The tag v${version} names another commit, ${start}. Raise the version`);
  });
});
