import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { formatted } from '../../.config/formatted.js';
import { readDocument, ROOT } from './markdown.js';
import { TABLES, withPrintedTables } from './printed-tables.js';

const GUIDES = readdirSync(`${ROOT}src/docs`);

describe('tables that guides print from the code', () => {
  it.each(GUIDES)('src/docs/%s has them as `npm run golden` writes them', async (name) => {
    const text = await formatted(name, await withPrintedTables(readDocument(`src/docs/${name}`)));
    await expect(text).toMatchFileSnapshot(`../../src/docs/${name}`);
  });

  it('each table is in one guide', () => {
    const texts = GUIDES.map((name) => readDocument(`src/docs/${name}`)).join('\n');
    const printed = Array.from(texts.matchAll(/^<!-- printed: (.+) -->$/gm), ([, name]) => name);
    expect(printed.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  });

  it('refuses the marker of an unknown table', async () => {
    const text = '<!-- printed: nothing -->\n<!-- end -->';
    await expect(withPrintedTables(text)).rejects.toThrow('No table is called "nothing".');
  });
});
