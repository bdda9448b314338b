import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../../src/app/graphql/export-lists.js';
import { createSchema } from '../../../src/app/graphql/schema.js';
import { sourceOf } from '../../../src/graphql/export/request.js';
import { SHEET_PARAMETERS } from '../../../src/graphql/export/sheet-request.js';
import { csvRecords } from '../../../src/platform/encoding/csv.js';
import { payment, record } from '../../domain/payments/transaction/records.js';
import { answered, changed } from '../../support/dashboard.js';
import { exported } from '../../support/export.js';
import { fleet } from '../../support/fleet.js';
import { mutated } from '../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../support/server.js';

const server = useServer();
const PAYMENTS = [
  { amount: 5, statusReason: '05', status: 'denied', authorizationCode: '000042' },
  { amount: 123456, statusReason: '00', authorizationCode: '+1' },
  { amount: 999_999_999_999, statusReason: 'X9', authorizationCode: null },
];
beforeAll(async () => {
  const rows = PAYMENTS.map((parsed, hour) => {
    const at = new Date(Date.UTC(2026, 0, 31, hour, 5, 6, 789));
    return { ...payment(parsed), startedAt: at, finishedAt: at };
  });
  await record(server, server.acme, rows);
});

const SHEET = { format: 'spreadsheet' };
type Query = Readonly<Record<string, string>>;

async function fetched(list: string, query: Query, member: Member = server.acme) {
  const reply = await member.client.get(`/export/v1/${list}`, undefined, { query: { ...SHEET, ...query } });
  expect(reply.status, reply.text).toBe(200);
  const text = Buffer.from(reply.text).toString('utf8');
  return { ...reply, text, lines: text.split('\r\n') };
}

const COLUMNS = 'started_at,parsed.amount,parsed.status_reason,parsed.authorization_code';
const IN_ZONE = { columns: COLUMNS, time_zone: 'America/Sao_Paulo', bom: '0' };

describe('an export for a spreadsheet', () => {
  it('has amounts in units, local times, reasons in words and codes as texts, in English', async () => {
    const { lines } = await fetched('transactions', IN_ZONE);
    expect(lines).toEqual([
      COLUMNS,
      '2026-01-30 21:05:06,0.05,05 Do not honour,"=""000042"""',
      "2026-01-30 22:05:06,1234.56,00 Approved,'+1",
      '2026-01-30 23:05:06,9999999999.99,X9,',
      '',
    ]);
  });

  it('has them in Portuguese', async () => {
    const { lines } = await fetched('transactions', { ...IN_ZONE, locale: 'pt' });
    expect(lines).toEqual([
      COLUMNS.replaceAll(',', ';'),
      '30/01/2026 21:05:06;0,05;05 Não autorizada;"=""000042"""',
      "30/01/2026 22:05:06;1234,56;00 Aprovada;'+1",
      '30/01/2026 23:05:06;9999999999,99;X9;',
      '',
    ]);
  });

  it('has as many decimals as the currency of the company', async () => {
    const amounts = async (currency: string | null): Promise<string> => {
      await mutated(server.acme, 'companySetCurrency', { currency });
      const { lines } = await fetched('transactions', { columns: 'parsed.amount', bom: '0' });
      return lines.slice(1, 3).join(' ');
    };
    expect(await amounts('JPY')).toBe('5 123456');
    expect(await amounts('KWD')).toBe('0.005 123.456');
    expect(await amounts('BRL')).toBe('0.05 1234.56');
    expect(await amounts(null)).toBe('0.05 1234.56');
  });

  it("has the company's own text of a reason", async () => {
    const reasons = async (text: string | null): Promise<readonly string[]> => {
      await mutated(server.acme, 'companySetResponseText', { code: 'X9', text });
      const query = { columns: 'parsed.status_reason', bom: '0' };
      return (await fetched('transactions', query)).lines.slice(1, 4);
    };
    expect(await reasons('Call us')).toEqual(['05 Do not honour', '00 Approved', 'X9 Call us']);
    expect(await reasons(null)).toEqual(['05 Do not honour', '00 Approved', 'X9']);
  });

  it('quotes decimals that have the separator in them', async () => {
    const { lines } = await fetched('transactions', { ...IN_ZONE, locale: 'pt', separator: 'comma' });
    expect(lines[2]).toBe(`30/01/2026 22:05:06,"1234,56",00 Aprovada,'+1`);
  });

  it('has flags in words, and the headings of the person', async () => {
    await fleet.device(server.beta.client, '00123');
    const columns = 'serial_number,enabled';
    const query = { columns, separator: 'tab', headings: '["Número; de série","=Ativo"]' };
    const { lines } = await fetched('devices', query, server.beta);
    expect(lines).toEqual([`"Número; de série"\t'=Ativo`, '"=""00123"""\tyes', '']);
    const portuguese = await fetched('devices', { columns, locale: 'pt' }, server.beta);
    expect(portuguese.lines[1]).toBe('"=""00123""";sim');
  });

  it('has words for names of enumerations, and of payments', async () => {
    const columns = 'status,parsed.status,parsed.type,parsed.capture_method,parsed.authorization_code';
    const words = JSON.stringify({ SUCCESS: 'Concluída', DENIED: '=Negado', SALE: 'Venda', EMV: 'Chip' });
    const { lines } = await fetched('transactions', { columns, bom: '0', words });
    expect(lines.slice(1, 3)).toEqual([
      `Concluída,'=Negado,Venda,Chip,"=""000042"""`,
      "Concluída,APPROVED,Venda,Chip,'+1",
    ]);
    const rights = await fetched('tokens', { columns: 'scopes', bom: '0', words: '{"READ":"Ler"}' });
    expect(rights.lines[1]).toMatch(/^"?Ler, [A-Z, ]+"?$/);
    // Programs get the names.
    const query = { columns: 'status,parsed.type' };
    const reply = await server.acme.client.get('/export/v1/transactions', undefined, { query });
    expect(reply.text.split('\r\n')[1]).toBe('SUCCESS,sale');
  });

  it('has the name that it is given, and the day', async () => {
    const headers = async (query: Query): Promise<string> =>
      (await fetched('transactions', query)).headers.get('content-disposition') ?? '';
    expect(await headers({})).toMatch(/^attachment; filename="transactions \d{4}-\d\d-\d\d[.]csv"$/);
    const named = await headers({ file_name: 'Negadas: São "Paulo"/..\r\n' });
    expect(decodeURIComponent(named)).toMatch(
      /filename[*]=UTF-8''Negadas São Paulo .. \d{4}-\d\d-\d\d[.]csv$/,
    );
  });

  it('is imported as it was', async () => {
    await fleet.device(server.beta.client, "'=1+1");
    const { text } = await fetched('devices', { columns: 'serial_number' }, server.beta);
    const serials: string[] = [];
    for await (const { cells } of csvRecords(Readable.from([Buffer.from(text)]))) serials.push(...cells);
    expect(serials).toEqual(['serial_number', '00123', "'=1+1"]);
  });

  it('may be a link', async () => {
    const START = `mutation ($input: ExportStartInput!) { exportStart(input: $input) {
      job { result { url } } userErrors { path message } } }`;
    const start = (input: Fields) =>
      changed<{ job: { result: { url: string } } | null; userErrors: Fields[] }>(server.acme, START, {
        input: { kind: 'TRANSACTIONS', format: 'SPREADSHEET', columns: COLUMNS.split(','), ...input },
      });
    const { job } = await start({
      orderBy: 'started_at.desc',
      spreadsheet: {
        locale: 'PT',
        separator: 'TAB',
        headings: ['Início', 'Valor', 'Motivo', 'Autorização'],
        byteOrderMark: false,
        fileName: 'Vendas',
      },
    });
    const reply = await server.anonymous.get(job?.result.url ?? '');
    expect(reply.text.split('\r\n').slice(0, 2)).toEqual([
      'Início\tValor\tMotivo\tAutorização',
      '31/01/2026 02:05:06\t9999999999,99\tX9\t',
    ]);
    expect(reply.headers.get('content-disposition')).toContain('filename="Vendas ');
    // Without other wishes, the file begins with the mark.
    const { job: marked } = await start({});
    const bytes = await (await fetch(`${server.url}${marked?.result.url}`)).bytes();
    expect(Buffer.from(bytes.slice(0, 13)).toString()).toBe('\uFEFFstarted_at');
    const wrong = await start({ spreadsheet: { headings: ['Início'] } });
    expect(wrong.userErrors).toEqual([
      {
        path: ['input', 'spreadsheet', 'headings'],
        message: expect.stringContaining('one text for each of the 4 columns') as string,
      },
    ]);
    const unordered = await start({ orderBy: 'colour' });
    expect(unordered.userErrors[0]).toMatchObject({ path: ['input', 'orderBy'] });
  });
});

describe('parameters of spreadsheets', () => {
  it.each<[string, Query, string]>([
    ['another language', { ...SHEET, locale: 'fr' }, 'locale must be en or pt.'],
    ['another separator', { ...SHEET, separator: '|' }, 'separator must be comma, semicolon or tab.'],
    ['a mark that is none', { ...SHEET, bom: 'maybe' }, 'bom must be 1 or 0.'],
    [
      'headings that are no list',
      { ...SHEET, columns: 'id', headings: 'Id' },
      'headings must be a JSON list of',
    ],
    ['words that are no object', { ...SHEET, words: '["x"]' }, 'words must be a JSON object of'],
    ['words that are no texts', { ...SHEET, words: '{"x":1}' }, 'words must be a JSON object of'],
    ['a long name', { ...SHEET, file_name: 'x'.repeat(101) }, 'file_name must have at most 100 characters.'],
    ['a line of totals', { ...SHEET, totals: '1' }, 'totals goes with csv and ndjson.'],
    ['another format', { separator: 'tab' }, 'separator goes with format=spreadsheet only.'],
    ['an unknown order', { order_by: 'colour' }, 'order_by must be one of id, serial_number,'],
    ['an unknown direction', { order_by: 'id.down' }, 'order_by must be one of'],
  ])('refuse %s', async (_what, query, message) => {
    const reply = await server.acme.client.get('/export/v1/devices', undefined, { query });
    expect([reply.status, reply.body.code]).toEqual([400, 'malformed']);
    expect(String(reply.body.message)).toContain(message);
  });

  it('are no filters of a list', async () => {
    const schema = await createSchema();
    for (const { field } of Object.values(EXPORTS)) {
      const filters = Object.keys(sourceOf(schema, field).list.filters);
      expect(filters.filter((name) => ['orderBy', 'fileName', ...SHEET_PARAMETERS].includes(name))).toEqual(
        [],
      );
    }
  });
});

describe('exportColumns', () => {
  const COLUMNS_OF = 'query ($kind: ExportKind!) { exportColumns(kind: $kind) }';
  const columnsOf = async (member: Member, kind: string): Promise<readonly string[]> =>
    (await answered<{ exportColumns: string[] }>(member, COLUMNS_OF, { kind })).exportColumns;

  it.each(Object.keys(EXPORTS))('names the columns of %s', async (list) => {
    const names = await columnsOf(server.acme, list.toUpperCase());
    const { lines } = await fetched(list, { columns: names.join(), bom: '0' });
    expect(lines[0]).toBe(names.join());
  });

  it('are those that the caller may read', async () => {
    const viewer = await server.member('acme', 'viewer');
    expect(await columnsOf(viewer, 'DEVICES')).toContain('logicalNumber');
    const reply = await viewer.graphql(COLUMNS_OF, { kind: 'LEDGER' });
    expect(JSON.stringify(reply.body.errors)).toContain('FORBIDDEN');
  });
});

describe('the order of an export', () => {
  it('is that of the list, also when it goes on', async () => {
    const query = { format: 'ndjson', columns: 'database_id', order_by: 'startedAt.desc'.toLowerCase() };
    const ordered = { ...query, order_by: 'STARTED_AT.DESC' };
    const all = await exported(server.acme, 'transactions', ordered);
    const ids = all.records.map((each) => Number(each.database_id));
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    const after = ids[0] ?? 0;
    expect((await exported(server.acme, 'transactions', { ...ordered, after })).records).toEqual(
      all.records.slice(1),
    );
  });
});

it('a spreadsheet has what a plain computation makes of random payments', async () => {
  const member = await server.member('beta', 'admin');
  const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.stringMatching(/^\d{1,20}$/));
  const payments = fc.array(
    fc.record({
      amount: fc.nat({ max: 999_999_999_999 }),
      acquirer: fc.option(texts),
      nsu: fc.option(texts),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(payments, fc.constantFrom('en', 'pt'), fc.uuid(), async (given, locale, number) => {
      const rows = given.map((parsed) => ({ ...payment(parsed), logicalNumber: number }));
      await record(server, member, rows);
      const filter = JSON.stringify({ logicalNumber: { eq: number } });
      const columns = 'parsed.amount,parsed.acquirer,parsed.nsu';
      const plain = await exported(member, 'transactions', { format: 'ndjson', columns, filter });
      const { text } = await fetched('transactions', { columns, filter, locale, bom: '0' }, member);
      const [, ...cells] = parse(text, { delimiter: locale === 'pt' ? ';' : ',' });
      expect(cells.map(([amount = '']) => Number(amount.replace(',', '.')))).toEqual(
        given.map(({ amount }) => Number((amount / 100).toFixed(2))),
      );
      // A spreadsheet shows the text within ="…" and behind an apostrophe.
      const shown = cells.map((row) => row.slice(1).map((each) => /^="(\d.*)"$/s.exec(each)?.[1] ?? each));
      const expected = plain.records.map(({ parsed }) => {
        const { acquirer, nsu } = parsed as Record<string, string | null>;
        const safe = (each = ''): string =>
          /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(each) ? `'${each}` : each;
        return [safe(acquirer ?? ''), safe(nsu ?? '')];
      });
      expect(shown).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});
