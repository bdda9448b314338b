import { generate } from '@graphql-codegen/cli';
import { build } from 'esbuild';
import { parse, validate } from 'graphql';
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';

import { fleet } from '../support/fleet.js';
import { schema } from '../support/parity/rest-spelling.js';
import { scratchFolder } from '../support/scratch.js';
import { useServer } from '../support/server.js';
import { waitFor } from '../support/wait-for.js';
import { readDocument, ROOT } from './markdown.js';

const server = useServer();
const GUIDES = ['README.md', ...globSync('src/docs/**/*.md', { cwd: ROOT }).sort()];

interface Block {
  readonly guide: string;
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = GUIDES.flatMap((guide) =>
  Array.from(readDocument(guide).matchAll(/^```(\w*)\n([^]*?)^```/gm), ([, language = '', text = '']) => ({
    guide,
    language,
    text,
  })),
);

/** The blocks of a language, with their places. */
const blocksIn = (language: string): readonly (readonly [string, string])[] =>
  BLOCKS.filter((block) => block.language === language).map(
    ({ guide, text }, n) => [`${guide} (${n})`, text] as const,
  );

/** Bodies of GraphQL in commands: `ask '{"query":"{ viewer { role } }"}'`. */
const SENT = BLOCKS.flatMap(({ guide, text }) =>
  Array.from(text.matchAll(/'(\{"query":[^']*\})'/g), ([, json = '']) => [guide, json] as const),
);

const problemsOf = (document: string): readonly string[] =>
  validate(schema, parse(document)).map(({ message }) => message);

/** A project with the packages of this one. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  copyFileSync(join(ROOT, 'schema.graphql'), join(folder, 'schema.graphql'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(folder, file), text.replaceAll('127.0.0.1:4000', new URL(server.url).host));
  }
  return folder;
}

/** A file in JavaScript, with the files of the project that it imports. */
async function bundled(folder: string, file: string): Promise<string> {
  const outfile = join(folder, `${file}.js`);
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({ ...options, entryPoints: [join(folder, file)], outfile, logLevel: 'silent' });
  return outfile;
}

/** Starts a file of a project in another process; what it prints is read by the function returned. */
async function started(folder: string, file: string): Promise<() => string> {
  const env = { ...process.env, TOKEN: server.acme.token };
  const child = spawn(process.execPath, [await bundled(folder, file)], { env, cwd: folder });
  onTestFinished(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return () => output;
}

const typescriptIn = (guide: string): readonly string[] =>
  BLOCKS.filter((block) => block.guide === guide && block.language === 'ts').map(({ text }) => text);

const STRICT = '--noEmit --strict --target esnext --module esnext --moduleResolution bundler --skipLibCheck';

describe('RU-94 code in the guides', () => {
  it('is in languages that a test reads', () => {
    // Commands and configurations are read by `documents.test.ts` and the tests of the command line, proxies and services.
    const languages = new Set(BLOCKS.map(({ language }) => language));
    const known = [
      '',
      'sh',
      'sql',
      'nginx',
      'ini',
      'csv',
      'js',
      'graphql',
      'haproxy',
      'html',
      'json',
      'yaml',
      'ts',
    ];
    expect(known).toEqual(expect.arrayContaining([...languages]));
    // The tests below run these, `webhook/guide.test.ts` and `demo-guides.sqlite.test.ts` those in JavaScript.
    const programs = BLOCKS.filter(({ language }) => ['ts', 'js'].includes(language)).map(
      ({ guide }) => guide,
    );
    const run = [
      'operate/proxy',
      'reference/graphql-live',
      'reference/graphql-types',
      'reference/graphql-types',
      'start/move',
      'use/webhooks',
    ];
    expect(programs).toEqual(run.map((name) => `src/docs/${name}.md`));
  });

  it.each(blocksIn('graphql'))('GraphQL of %s is valid', (_place, text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each(SENT)('%s sends GraphQL that is valid: %s', (_guide, json) => {
    const body = JSON.parse(json) as { readonly query: string };
    expect(problemsOf(body.query)).toEqual([]);
  });

  it.each([...blocksIn('json'), ...blocksIn('yaml')])('%s has documents that can be read', (_place, text) => {
    expect(parseYaml(text)).toBeTypeOf('object');
  });

  it('the types of graphql-types.md are generated, and its program compiles and prints groups', async () => {
    const [codegen = '', main = ''] = typescriptIn('src/docs/reference/graphql-types.md');
    const folder = project({ 'codegen.ts': codegen, 'src/main.ts': main });
    const { default: config } = (await import(await bundled(folder, 'codegen.ts'))) as { default: object };
    await generate({ ...config, cwd: folder, silent: true } as Parameters<typeof generate>[0], true);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    await promisify(execFile)(tsc, [...STRICT.split(' '), '--types', 'node', 'src/main.ts'], { cwd: folder });
    const { client } = server.acme;
    const group = await fleet.group(client, 'Lojas Centro');
    await fleet.logicalNumber(client, '110000', { group_id: group });
    const printed = await started(folder, 'src/main.ts');
    await waitFor(() => expect(printed()).toContain("Lojas Centro 1 [ '110000' ]"));
  }, 120_000);

  it('the loop of graphql-live.md follows the ledger', async () => {
    const [loop = ''] = typescriptIn('src/docs/reference/graphql-live.md');
    const printed = await started(project({ 'src/loop.ts': loop }), 'src/loop.ts');
    await waitFor(async () => {
      await fleet.group(server.acme.client, crypto.randomUUID());
      expect(printed()).toContain("action: 'create'");
    });
  }, 60_000);

  it('the settings of Vite in proxy.md can be loaded', async () => {
    const [settings = ''] = typescriptIn('src/docs/operate/proxy.md');
    const folder = project({ 'vite.config.ts': settings });
    const { default: config } = (await import(await bundled(folder, 'vite.config.ts'))) as {
      default: object;
    };
    expect(config).toMatchObject({ server: { proxy: { '/graphql': { target: server.url, ws: true } } } });
  });
});
