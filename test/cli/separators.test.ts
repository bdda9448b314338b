import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { csvFile } from '../../src/cli/row-files.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

const COLUMNS = { known: ['a', 'b'], required: ['a'], json: [] };

async function rowsOf(text: string): Promise<unknown[]> {
  const folder = scratchFolder();
  const file = join(folder, 'rows.csv');
  writeFileSync(file, text);
  const rows: unknown[] = [];
  for await (const row of csvFile(file, COLUMNS).rows) {
    rows.push('value' in row ? [row.line, row.value] : [row.line, row.errors]);
  }
  removeFolder(folder);
  return rows;
}

describe('RU-14 a table of a spreadsheet', () => {
  it.each([',', ';', '\t'])('is read with %j between its cells, stated or not', async (separator) => {
    const table = ['a,b', '1,"x,;\ty"', ',', '', '2,']
      .map((line) => line.replace(',', separator))
      .join('\r\n');
    for (const begin of ['', '\uFEFF']) {
      expect(await rowsOf(`${begin}${table}`)).toEqual([
        [2, { a: '1', b: 'x,;\ty' }],
        [5, { a: '2' }],
      ]);
      expect(await rowsOf(`${begin}sep=${separator}\r\n${table}`)).toEqual([
        [3, { a: '1', b: 'x,;\ty' }],
        [6, { a: '2' }],
      ]);
    }
  });
});
