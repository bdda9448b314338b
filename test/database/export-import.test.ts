import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';

import { cell } from '../../src/platform/encoding/csv.js';
import { exported } from '../support/export.js';
import { fleet } from '../support/fleet.js';
import { useServer, type Fields } from '../support/server.js';

const server = useServer();

const IMPORT = `mutation ($file: Upload!, $mode: FleetImportMode) {
  fleetImport(input: { file: $file, mode: $mode }) {
    count refusedCount refused { line message } warnings userErrors { message } } }`;

async function imported(text: string) {
  const form = new FormData();
  const variables = { file: null, mode: 'CREATE_OR_UPDATE' };
  form.set('operations', JSON.stringify({ query: IMPORT, variables }));
  form.set('map', '{"0":["variables.file"]}');
  form.append('0', new Blob([text]), 'fleet.csv');
  const headers = { authorization: `Bearer ${server.acme.token}`, 'apollo-require-preflight': '1' };
  const reply = await server.anonymous.post('/graphql', form, { headers });
  await server.app.steps.idle();
  return (reply.body as unknown as { data: { fleetImport: Fields } }).data.fleetImport;
}

const NAMES = [
  'SN-1',
  '-100',
  '+55',
  '=A1',
  '@home',
  "'quoted",
  "'-200",
  "''=B2",
  'a"b',
  'a;b',
  '\uFF1D1',
  'São',
];
/** Columns of the list of devices in the console. */
const SHOWN =
  'serialNumber,logicalNumber,logicalNumber.group,meta,enabled,presence,lastSeenAt,frameworkVersion';

beforeAll(async () => {
  for (const [n, name] of NAMES.entries()) {
    const group_id = n % 2 === 0 ? await fleet.group(server.acme.client, name) : null;
    const logical_number_id = await fleet.logicalNumber(server.acme.client, name, { group_id });
    await fleet.device(server.acme.client, name, n % 3 === 0 ? {} : { logical_number_id });
  }
});

/** A table as spreadsheets save it in Portuguese: a mark, semicolons, words in capitals, separators at the end. */
function savedBySpreadsheet(text: string): string {
  const rows: string[][] = parse(text, { relax_column_count: true, relax_quotes: true });
  const WORDS: Readonly<Record<string, string>> = { true: 'VERDADEIRO', false: 'FALSO' };
  const quoted = (value: string): string => {
    const word = WORDS[value] ?? value;
    return /[";\n]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
  };
  return `\uFEFF${rows.map((row) => [...row.map(quoted), '', ''].join(';')).join('\r\n')}\r\n`;
}

describe('RU-84 an export of devices', () => {
  const FORMS: Readonly<Record<string, (text: string) => string>> = {
    'as it is': (text) => text,
    'as a spreadsheet saves it': savedBySpreadsheet,
    'with blanks in its headings': (text) =>
      text.replace(/^.*/, (line) => line.toUpperCase().replaceAll('_', ' ')),
  };
  const queries: readonly Fields[] = [{}, { columns: SHOWN }, { totals: 1 }, { columns: SHOWN, totals: 1 }];
  const cases = Object.keys(FORMS).flatMap((form) => queries.map((query) => [form, query] as const));

  it.each(cases)(
    'changes and creates nothing when it is imported %s, asked for with %j',
    async (form, query) => {
      const before = (await exported(server.acme, 'devices')).text;
      const { text } = await server.acme.client.get('/export/v1/devices', undefined, {
        query: query as never,
      });
      expect(await imported((FORMS[form] ?? String)(text))).toEqual({
        count: NAMES.length,
        refusedCount: 0,
        refused: [],
        warnings: [],
        userErrors: [],
      });
      expect((await exported(server.acme, 'devices')).text).toBe(before);
    },
  );
});

describe('an import', () => {
  it.each([
    ['VERDADEIRO', true],
    ['Falso', false],
    ['sim', true],
    ['NÃO', false],
    ['nao', false],
    ['1', true],
  ])('reads %s as a boolean', async (word, enabled) => {
    const serial = `word ${word}`;
    expect(await imported(`serial_number;enabled\n${serial};${word}\n`)).toMatchObject({
      count: 1,
      refused: [],
    });
    const { rows } = await exported(server.acme, 'devices', { columns: 'enabled', serial_number: serial });
    expect(rows[1]).toEqual([String(enabled)]);
  });

  it('warns of a number that a spreadsheet has shortened', async () => {
    const { warnings } = await imported('serial_number;logical_number\n8,96529E+19;1.5E+12\n');
    const sentence =
      'looks like a long number that a spreadsheet has shortened. Make its column text there, and save the file again.';
    expect(warnings).toEqual([
      `line 2, serial_number: 8,96529E+19 ${sentence}`,
      `line 2, logical_number: 1.5E+12 ${sentence}`,
    ]);
  });
});

it('a cell of an export begins with one more apostrophe where an import takes one off', () => {
  const texts = ['-1', `'-1`, `''-1`, `'a`, '=', '-'];
  expect(texts.map(cell)).toEqual([`'-1`, `''-1`, `'''-1`, `'a`, `'=`, `'-`]);
});
