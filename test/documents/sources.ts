import { readdirSync } from 'node:fs';

import { readDocument, ROOT } from './markdown.js';

/** Source files by path: TypeScript and configuration, without documents. */
export const SOURCES: ReadonlyMap<string, string> = new Map(
  ['src', 'test', '.config', '.ci'].flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => /[.](?:ts|c?js|sh|c)$|\/run$/.test(path))
      .map((path) => [path, readDocument(path)] as const),
  ),
);

/** Documents by path: `README.md`, and all in `src` and `test`. */
export const PAPERS: ReadonlyMap<string, string> = new Map(
  [
    'README.md',
    ...['src', 'test'].flatMap((folder) =>
      readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name}`)
        .filter((path) => path.endsWith('.md')),
    ),
  ].map((path) => [path, readDocument(path)] as const),
);
