import { readdirSync } from 'node:fs';

import { readDocument, ROOT } from './markdown.js';

/** Texts of the files in these folders whose paths match, by path. */
function textsIn(folders: readonly string[], pattern: RegExp): Map<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return new Map(paths.filter((path) => pattern.test(path)).map((path) => [path, readDocument(path)]));
}

/** Source files by path: TypeScript and configuration, without documents. */
export const SOURCES = textsIn(['src', 'test', '.config', '.ci'], /[.](?:tsx?|c?js|sh|c)$|\/run$/);

/** Documents by path: `README.md`, and all in `src` and `test`. */
export const PAPERS = textsIn(['src', 'test'], /[.]md$/).set('README.md', readDocument('README.md'));
