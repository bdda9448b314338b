/** Prints how large the project is: lines, files and folders of the source and of the tests, and its papers. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Size {
  lines: number;
  files: number;
  folders: number;
}

/** Made by `npm run codegen:types`. */
const GENERATED = ['src/console/gql'];
const CONSOLE = 'src/console';

/** TypeScript files of a folder, and the folders that have some, without the folders of `excluded`. */
function sizeOf(folder: string, excluded = GENERATED): Size {
  const size: Size = { lines: 0, files: 0, folders: 0 };
  if (excluded.includes(folder)) return size;
  const own = readdirSync(folder, { withFileTypes: true });
  for (const entry of own) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const inner = sizeOf(path, excluded);
      size.lines += inner.lines;
      size.files += inner.files;
      size.folders += inner.folders;
    } else if (isSource(path)) {
      size.lines += textOf(path).split('\n').length - 1;
      size.files += 1;
    }
  }
  if (own.some((entry) => entry.isFile() && isSource(entry.name))) size.folders += 1;
  return size;
}

const isSource = (path: string): boolean => /\.tsx?$/.test(path);
const textOf = (path: string): string => readFileSync(path, 'utf8');
const countIn = (path: string, pattern: RegExp): number => textOf(path).match(pattern)?.length ?? 0;

/** Files of searches, jobs, imports, exports, saved filters, webhooks, links by e-mail and passkeys. */
const DAYS_WORK = [
  'src/domain/base/{job,saved-filter,search,webhook}/*.ts',
  'src/domain/fleet/{bulk,import}/*.ts',
  'src/domain/people/user/{account-link,one-time-code,passkey}*.ts',
  'src/graphql/export/*.ts',
  'src/graphql/schema/{bulk,target}.ts',
  'src/app/{exports,webhooks}.ts',
  'src/app/graphql/export*.ts',
  'src/rest/export.ts',
  'src/http/outgoing.ts',
  'src/platform/{outgoing,mail,passkeys}.ts',
  'src/schema/search.ts',
];
const daysWork = globSync(DAYS_WORK).reduce((sum, path) => sum + countIn(path, /\n/g), 0);

const [src, pages, test] = [sizeOf('src', [CONSOLE]), sizeOf(CONSOLE), sizeOf('test')];
// The lists after these sections are not decisions.
const decisions = textOf('src/decisions.md').split(/^## (?:Public names|Dependencies)/m)[0] ?? '';
const rows: readonly (readonly [string, number, number])[] = [
  ['src/console: lines', pages.lines, 9_000],
  ['src/console: files', pages.files, Infinity],
  // 50,000, and what the console (3,000), a day's work (6,000) and proven software (5,000) need of the server.
  ['other src: lines', src.lines, 64_000],
  ["of them, a day's work", daysWork, 6_000],
  ['other src: files', src.files, 480],
  ['other src: folders', src.folders, 75],
  ['test: lines', test.lines, 57_000],
  ['test: files', test.files, Infinity],
  ['README.md: bytes', Buffer.byteLength(textOf('README.md')), 8_000],
  ['decisions', decisions.match(/^### /gm)?.length ?? 0, 40],
  ['rules of src/README.md', countIn('src/README.md', /^\d+\. /gm), 10],
];
for (const [what, value, goal] of rows) {
  const mark = value > goal ? `  (goal: ${goal})` : '';
  process.stdout.write(`${what.padEnd(24)}${String(value).padStart(8)}${mark}\n`);
}
