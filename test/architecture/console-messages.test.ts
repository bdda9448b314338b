import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const sources = globSync('src/console/**/*.{ts,tsx}', { exclude: ['src/console/gql/**'] });
const schema = read('schema.graphql');

/** Messages of `words`, which pages name one by one; tables with other names are indexed by values of the API. */
const TABLE = /const (?:words|filterWords|useText) = (?:texts|pageWords|pageTexts)\(\{\n[\s\S]*?\n\}\);/;

/** Shows secrets with the messages of the page by which they are made. */
const SECRETS = 'src/console/ui/secrets.tsx';

/** Files that can use the messages of a file: all of the console, those of a folder, or itself. */
function usersOf(path: string): readonly string[] {
  if (/\/(?:ui|table)\//.test(path)) return sources;
  const own = path.endsWith('/words.ts') ? sources.filter((each) => dirname(each) === dirname(path)) : [path];
  return [...own, SECRETS];
}

/** Texts of GraphQL, whose fields are shown with the messages of their names. */
const GRAPHQL = /(?:graphql|fragment)\(`[^`]*`/g;

/**
 * Whether the source has the message as `text.name`, as `'name'`, as a field of a fragment, as a tab with its content, or as a
 * template with the end of its name. `nameHelp` and `nameDone` are also used where `name` is.
 */
function isUsed(name: string, source: string): boolean {
  const [, named] = /^(\w+)(?:Help|Done)$/.exec(name) ?? [];
  if (named !== undefined && isUsed(named, source)) return true;
  const ends = [...source.matchAll(/text\[`\$\{[\w.]+\}(\w+)`\]/g)].map(([, end]) => end ?? '');
  const selected = source.match(GRAPHQL)?.join(' ') ?? '';
  return (
    new RegExp(`\\.${name}\\b|'${name}'`).test(source) ||
    new RegExp(`\\b${name}\\b`).test(selected) ||
    new RegExp(`^ +${name}: (?:\\(|<|.* && <)`, 'm').test(source) ||
    ends.some((end) => name.endsWith(end))
  );
}

it('each message of the console is shown somewhere', () => {
  const unused = sources.flatMap((path) => {
    const [table = ''] = TABLE.exec(read(path)) ?? [];
    const names = [...table.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name ?? '');
    const source = usersOf(path)
      .map((each) => read(each).replace(TABLE, ''))
      .join('\n');
    // Names in capitals are values of enumerations.
    const isValue = (name: string): boolean => name === name.toUpperCase() && schema.includes(name);
    return names.filter((name) => !isValue(name) && !isUsed(name, source)).map((name) => `${path}: ${name}`);
  });
  expect(unused).toEqual([]);
});
