import { describe, expect, it } from 'vitest';

import { rowsIn } from '../../../../src/domain/fleet/import/import.model.js';
import { MAX_ROW_BYTES } from '../../../../src/platform/encoding/json.js';
import { DomainError, messagesOf } from '../../../../src/platform/errors.js';

describe('a file of 100 MB', () => {
  const PIECE = 256 * 1024;

  it.each<[string, string, string]>([
    ['one broken quote in it', 'serial_number\nX1\n"X2\n', 'X3\n'],
    ['a broken quote in its first line', '"serial_number\n', 'X1\n'],
    ['a first line without an end', 'serial_number', 'x'],
  ])('with %s is refused before it is read', async (_what, beginning, rest) => {
    let pieces = 0;
    async function* file(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(beginning);
      for (; pieces < 400; pieces += 1) yield await Promise.resolve(Buffer.alloc(PIECE, rest));
    }
    await expect(rowsIn(file())).rejects.toMatchObject({ code: 'invalid' });
    expect(pieces * PIECE).toBeLessThan(4 * MAX_ROW_BYTES + 2 * PIECE);
  });
});

/** The rows of a file that comes in one piece, or the fields of their errors, with their lines. */
async function read(file: string | Uint8Array): Promise<unknown[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(file));
  }
  const rows = await rowsIn(pieces());
  return rows.map(({ line, row }) => [
    line,
    row instanceof DomainError ? messagesOf(row.details.fields ?? {}) : row,
  ]);
}

describe('RU-14 RU-42 a file of a spreadsheet', () => {
  const ROW = { serialNumber: 'A', group: 'x,;y' };

  it.each([',', ';', '\t'])('is read with %j between its cells, stated or not', async (separator) => {
    const lines = ['Serial_Number,GROUP', '"A","x,;y"', ',', '', 'B,'];
    const table = lines.map((line) => line.replace(',', separator)).join('\r\n');
    for (const begin of ['', '\uFEFF']) {
      for (const [sep, first] of [
        ['', 2],
        [`sep=${separator}\r\n`, 3],
      ] as const) {
        expect(await read(begin + sep + table)).toEqual([
          [first, ROW],
          [first + 3, { serialNumber: 'B' }],
        ]);
      }
    }
  });

  it.each<[string, string, number[]]>([
    ['a header', 'serial_number\nA\n\nB\n', [2, 4]],
    ['a header with a BOM and quoted values', '\uFEFF"Serial_Number"\r\n"A"\r\n"B"\r\n', [2, 3]],
    ['semicolons behind the values', 'serial_number;;\nA;;\n;;\nB;;\n', [2, 4]],
    ['a line sep=', 'sep=;\nserial_number\nA\nB', [3, 4]],
    ['quoted values without a header', '"A"\n"B"\n', [1, 2]],
  ])('is a list with %s', async (_what, text, [first, second]) => {
    expect(await read(text)).toEqual([
      [first, { serialNumber: 'A' }],
      [second, { serialNumber: 'B' }],
    ]);
  });
});

const CARD = '4111111111111111';
const hasCard = [expect.stringContaining('must not have a card number in it')];

describe('a row of a file is refused', () => {
  it.each<[string, string, unknown]>([
    [
      'RU-06 for a number of 22 digits',
      '{"serial_number":1546130668394913822000}',
      { serialNumber: ['must be a string'] },
    ],
    ['RU-62 for a card number as name', `${CARD}\n`, { serialNumber: hasCard }],
    [
      'RU-62 for a card number as logical number',
      `{"serial_number":"A","logical_number":"${CARD}"}`,
      { logicalNumber: hasCard },
    ],
    [
      'RU-10 for the name before in another form',
      'Cafe\u0301\nCaf\u00E9',
      { serialNumber: ['is given twice'] },
    ],
  ])('%s', async (_what, text, fields) => {
    expect((await read(text)).at(-1)).toEqual([text.split('\n').filter(Boolean).length, fields]);
  });

  it('RU-03 with the whole file, if it is not UTF-8', async () => {
    await expect(read(Buffer.from('serial_number\nCaf\u00E9', 'latin1'))).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});
