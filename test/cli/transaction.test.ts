import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { csvFile } from '../../src/cli/row-files.js';
import { messagesOf } from '../../src/platform/errors.js';
import { it } from '../support/cli-test.js';
import type { Fields } from '../support/client.js';
import { ingestRow, ndjson, totalsOf } from '../support/line-stream.js';
import type { CommandLine } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { ACCEPTED_TIMESTAMPS, REFUSED_TIMESTAMPS } from '../support/timestamps.js';

const HEADER =
  'transaction_type,serial_number,logical_number,app_name,status,started_at,finished_at,reference,parsed';

const CARD = { brand: 'visa', first_digits: '4111111111111111', last_digits: '1111' };

/** A row of a file, as an export of another system could have it. */
const row = (n: number, more: Fields = {}): Fields => {
  const payment = { type: 'sale', status: 'approved', amount: n, status_reason: '00', nsu_reference: null };
  const metadata = { snake_case: { camelCase: 1 } };
  return ingestRow(n, {
    sent: null,
    received: null,
    parsed: { ...payment, card: CARD, metadata },
    ...more,
  });
};

const rows = (count: number): Fields[] => Array.from({ length: count }, (_, n) => row(n));

async function importFile(cli: CommandLine, name: string, text: string | Uint8Array, ...more: string[]) {
  const file = join(cli.folder, name);
  writeFileSync(file, text);
  return await cli.run(['transaction', 'import', file, '--company', 'Acme', ...more]);
}

async function count(cli: CommandLine): Promise<number> {
  const info = await cli.run('db info --json');
  return (info.object().records as { transactions: number }).transactions;
}

describe('transaction import', () => {
  it('stores the rows of NDJSON, which the server then shows', async ({ cli, token }) => {
    const text = `\uFEFF${ndjson([row(1)])}\r\n${JSON.stringify(row(2, { reference: undefined }))}`;
    const imported = await importFile(cli, 'export.ndjson', text);
    expect([imported.code, imported.lines]).toEqual([0, ['2 rows: 2 created, 0 repeated, 0 rejected']]);
    const server = await cli.serve();
    const [second, first] = (await server.client(token).get('transactions')).list('transactions');
    expect(first).toMatchObject({
      serial_number: 'S-1',
      started_at: '2026-03-01T00:00:01Z',
      finished_at: '2026-03-03T12:00:00Z',
      parsed: {
        amount: 1,
        status_reason: '00',
        metadata: { snake_case: { camelCase: 1 } },
        card: { first_digits: '411111', last_digits: '1111' },
      },
    });
    expect(second).toMatchObject({ serial_number: 'S-2' });
  });

  it('is safe to repeat: known references and equal rows without one are stored once', async ({ cli }) => {
    const all = rows(1_200).map((each, n) => (n % 3 === 0 ? { ...each, reference: undefined } : each));
    const first = await importFile(cli, 'a.jsonl', ndjson(all), '--json');
    expect(first.object()).toEqual(totalsOf(1_200));
    const more = [...all, row(9_000), row(9_001, { reference: null })];
    const again = await importFile(cli, 'a.jsonl', ndjson(more), '--json');
    expect([again.code, again.object()]).toEqual([0, totalsOf(2, 1_200)]);
    expect(await count(cli)).toBe(1_202);
  });

  it('RU-72 rejects what is wrong row by row, stores the others, and ends with 65', async ({ cli }) => {
    const report = join(cli.folder, 'rejected.ndjson');
    writeFileSync(report, 'an earlier report\n'.repeat(99));
    const lines = [
      JSON.stringify(row(1)),
      '{"transaction_type"',
      '[1]',
      JSON.stringify(row(2, { started_at: '2026-03-01 00:00', reference: 'x' })),
      JSON.stringify(row(3, { refrence: 'x' })),
      JSON.stringify(row(4, { finished_at: '2020-01-01T00:00:00Z' })),
      JSON.stringify(row(1, { app_name: 'other.rb' })),
      JSON.stringify(row(5, { parsed: { type: 'sale', status: 'approved', card: { first_digits: 'x' } } })),
      JSON.stringify(row(6, { detail: 'x'.repeat(5 * 1024 * 1024) })),
      JSON.stringify(row(7)),
    ];
    const imported = await importFile(cli, 'mixed.ndjson', lines.join('\n'), '--rejected', report);
    expect(imported.code).toBe(65);
    expect(imported.lines).toEqual(['10 rows: 3 created, 0 repeated, 7 rejected']);
    expect(imported.stderr).toContain('Rejected rows: 7. The others are stored.');
    expect(imported.stderr).toContain('1 stored row with a finished_at before started_at');
    const written = readFileSync(report, 'utf8').trimEnd().split('\n');
    const timestamp = 'must be a timestamp such as 2026-03-01T12:00:00Z';
    const rejected = (line: number, errors: Fields): Fields => ({ line, result: 'rejected', errors });
    expect(written.map((line) => JSON.parse(line) as Fields)).toEqual([
      rejected(2, { row: ['is not JSON'] }),
      rejected(3, { row: ['must be a JSON object'] }),
      rejected(4, { started_at: [timestamp] }),
      rejected(5, { row: ['has unknown fields: refrence'] }),
      rejected(7, { reference: ['belongs to a transaction with other values of app_name'] }),
      rejected(8, { parsed: ['amount is required', 'card.first_digits must be digits'] }),
      rejected(9, { row: ['must have at most 4194304 bytes'] }),
    ]);
    const shown = await cli.run(`transaction import ${join(cli.folder, 'mixed.ndjson')} --company Acme`);
    expect(shown.lines).toEqual(['10 rows: 0 created, 3 repeated, 7 rejected']);
    expect(shown.stderr).toContain(`line 4: started_at ${timestamp}`);
  });

  it('stores the rows of CSV with quotes, line breaks and JSON, and tells where a bad row begins', async ({
    cli,
    token,
  }) => {
    const payment = JSON.stringify(row(1).parsed).replaceAll('"', '""');
    const csv = [
      `\uFEFF${HEADER},detail`,
      `switch,S-1,L-1,"shop, ""1"".rb",success,2026-03-01T00:00:00Z,2026-03-01T00:00:01Z,R-1,"${payment}","two`,
      'lines"',
      '',
      'switch,S-1,L-1,shop.rb,running,2026-03-01T00:00:00Z,,,,',
      'switch,S-1,L-1,shop.rb,done,2026-03-01T00:00:00Z,,,,"a',
      'b"',
      'switch,S-1',
      'switch,S-1,L-1,shop.rb,success,2026-03-01T00:00:00Z,2026-03-01T00:00:01Z,R-2,{,',
    ].join('\r\n');
    const report = join(cli.folder, 'rejected.ndjson');
    const imported = await importFile(cli, 'export.csv', csv, '--rejected', report, '--json');
    expect([imported.code, imported.object()]).toEqual([65, totalsOf(2, 0, 3)]);
    const written = readFileSync(report, 'utf8').trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line) as Fields)).toMatchObject([
      { line: 6, errors: { status: ['must be one of success, running, fail'] } },
      { line: 8, errors: { row: ['must have 10 cells, not 2'] } },
      { line: 9, errors: { parsed: ['must be a JSON object'] } },
    ]);
    const server = await cli.serve();
    const [running, paid] = (await server.client(token).get('transactions')).list('transactions');
    expect(running).toMatchObject({ status: 'running', finished_at: null, detail: '' });
    expect(paid).toMatchObject({
      app_name: 'shop, "1".rb',
      detail: 'two\r\nlines',
      sent: 'null',
      parsed: { amount: 1, card: { first_digits: '411111' } },
    });
  });

  it.for(['csv', 'ndjson'])(
    'RU-84 finds every row of an export as %s stored already',
    async (format, { cli, token }) => {
      const parsed = {
        ...(row(1).parsed as Fields),
        nsu_reference: 'N-1',
        installment: { type: 'merchant', quantity: 3 },
      };
      const given = [
        row(1),
        row(2, { parsed }),
        row(3, { status: 'fail', parsed: null }),
        row(4, { reference: undefined }),
      ];
      await importFile(cli, 'given.ndjson', ndjson(given));
      const client = (await cli.serve()).client(token);
      const read = async () =>
        (await client.get('/export/v1/transactions', undefined, { query: { format, totals: '1' } })).text;
      const text = await read();
      const imported = await importFile(cli, `exported.${format}`, text, '--json');
      expect(imported.object()).toEqual(totalsOf(0, 4, 0));
      expect(await read()).toBe(text);
    },
  );

  it('RU-01 RU-62 masks card data, in references that it derives too, and rejects it in names', async ({
    cli,
  }) => {
    const pan = '4111111111111111';
    const secret = row(1, { reference: undefined, detail: `pan ${pan}`, sent: `${pan}=2512101` });
    const named = row(2, { serial_number: pan });
    const imported = await importFile(cli, 'cards.ndjson', ndjson([secret, named]), '--json');
    expect(imported.object()).toEqual(totalsOf(1, 0, 1));
    expect((await cli.place.stored()).includes(pan)).toBe(false);
    // The digits that are masked do not change the derived reference, which could otherwise reveal them.
    const other = JSON.stringify(secret).replaceAll(pan, '4111113333351111');
    const repeated = await importFile(cli, 'cards.ndjson', `${other}\n`, '--json');
    expect(repeated.object()).toEqual(totalsOf(0, 1));
  });

  it('refuses files that it cannot read as a whole, and stores nothing of them', async ({ cli }) => {
    const cases: readonly [string, string | Uint8Array, string, ...string[]][] = [
      ['a.txt', 'x', 'must end in .ndjson, .jsonl or .csv'],
      ['a.csv', `${HEADER},refrence\n`, 'unknown columns in the first line: refrence'],
      [
        'a.csv',
        `${HEADER.toUpperCase().replaceAll('_', ' ')},Parsed,,\n`,
        'repeated columns in the first line: parsed',
      ],
      ['a.csv', `${HEADER},parsed\n`, 'repeated columns in the first line: parsed'],
      ['a.csv', 'status,reference\n', 'missing columns in the first line: transaction_type'],
      ['a.csv', `${HEADER}\nswitch,"S"1",L\n`, 'line 2'],
      ['a.csv', Uint8Array.of(0xff, 0xfe, 0x41), 'is not UTF-8 text.'],
    ];
    for (const [name, text, message] of cases) {
      const refused = await importFile(cli, name, text);
      expect([refused.code, refused.stdout], message).toEqual([1, '']);
      expect(refused.stderr).toContain(message);
      expect(refused.stderr).not.toContain('    at ');
    }
    const missing = await cli.run('transaction import nowhere.csv --company Acme');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('nowhere.csv')]);
    const itself = join(cli.folder, 'self.ndjson');
    const overwrites = await importFile(cli, 'self.ndjson', ndjson(rows(2)), '--rejected', itself);
    expect([overwrites.code, overwrites.stderr]).toEqual([1, expect.stringContaining('overwritten')]);
    expect(readFileSync(itself, 'utf8')).toBe(ndjson(rows(2)));
    const company = await cli.run(['transaction', 'import', itself, '--company', 'Nobody']);
    expect(company.code).toBe(1);
    expect(await count(cli)).toBe(0);
  });

  it('adds no row twice when two imports of a file run together, beside a server', async ({ cli, token }) => {
    const server = await cli.serve();
    const file = join(cli.folder, 'same.ndjson');
    writeFileSync(file, '');
    for (const each of rows(1_500)) appendFileSync(file, ndjson([each]));
    const command = ['transaction', 'import', file, '--company', 'Acme', '--json'];
    const outcomes = await Promise.all([cli.run(command), cli.run(command)]);
    const created = outcomes.map((outcome) => Number(outcome.object().created));
    expect((created[0] ?? 0) + (created[1] ?? 0)).toBe(1_500);
    const { body } = await server.client(token).get('transactions');
    expect(body.pagination).toMatchObject({ total_entries: 1_500 });
  });
});

describe('RU-14 a table of a spreadsheet', () => {
  async function rowsOf(text: string): Promise<unknown[]> {
    const folder = scratchFolder();
    const file = join(folder, 'rows.csv');
    writeFileSync(file, text);
    const rows: unknown[] = [];
    for await (const read of csvFile(file, { known: ['a', 'b'], required: ['a'], json: [] }).rows) {
      rows.push(
        'value' in read
          ? [read.line, read.value]
          : [read.line, messagesOf(read.problem.details.fields ?? {})],
      );
    }
    removeFolder(folder);
    return rows;
  }

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

describe('a table with what spreadsheets and exports add', () => {
  it('is read without it', async () => {
    const folder = scratchFolder();
    const file = join(folder, 'rows.csv');
    const rows = [
      '\uFEFF Serial Number ;DETAIL;;',
      `"'-1";x;;`,
      '"# {""totals"":{""count"":1}";"""after"":null}";;',
      '# {"totals":{"count":1},"after":null}',
      '8,96529E+19;y;;',
      '1,5E+12;z;;',
      'S;y;;more',
    ];
    writeFileSync(file, rows.join('\r\n'));
    const columns = { known: ['serial_number', 'detail'], required: ['serial_number'], json: [] };
    const warnings: string[] = [];
    const read: unknown[] = [];
    for await (const row of csvFile(file, columns, (line) => warnings.push(line)).rows) {
      read.push('value' in row ? row.value : messagesOf(row.problem.details.fields ?? {}));
    }
    removeFolder(folder);
    expect(read).toEqual([
      { serial_number: '-1', detail: 'x' },
      { serial_number: '8,96529E+19', detail: 'y' },
      { serial_number: '1,5E+12', detail: 'z' },
      { row: ['must have 2 cells, not 4'] },
    ]);
    // Once for a file, however many numbers are shortened.
    expect(warnings).toEqual([
      'line 5: 8,96529E+19 looks like a long number that a spreadsheet has shortened. Make its column text there, and save the file again.',
    ]);
  });
});

describe('RU-24 a timestamp on the command line', () => {
  it('is read as --expires of a token', async ({ cli }) => {
    const create = async (expires: string) => {
      const words = 'token create --company Acme --email ana@acme.example --json --name x --scopes read';
      return await cli.run([...words.split(' '), '--expires', expires]);
    };
    const later = (text: string): string => text.replace(/^20\d\d-\d\d/, '2099-01');
    const known = ACCEPTED_TIMESTAMPS.filter(([form]) => !form.includes(':60'));
    for (const [text, instant] of [
      ...known.map((pair) => pair.map(later)),
      ['2098-12-31', '2098-12-31T23:59:59.999Z'],
      ['2098-12-31T23:59:60Z', '2099-01-01T00:00:00.000Z'],
    ] as [string, string][]) {
      expect((await create(text)).object().expires_at, text).toBe(instant);
    }
    for (const text of REFUSED_TIMESTAMPS) {
      expect((await create(text)).stderr, text).toContain('--expires: must be YYYY-MM-DD or a timestamp');
    }
  });
});
