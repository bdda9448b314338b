import { beforeAll, describe, expect, it } from 'vitest';

import {
  ingestRow,
  ingestRows,
  ndjson,
  runningRow,
  sendLines,
  totalsOf,
  type LineReply,
} from '../../../../support/line-stream.js';
import { expectRefused } from '../../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../../support/server.js';

const server = useServer();
let ingest: Member;
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
});

const send = async (rows: readonly unknown[]): Promise<LineReply> =>
  await sendLines(server.url, ingest.token, ndjson(rows));

/** The lines of the answer to rows of which this is the whole list. */
const answerTo = async (...rows: unknown[]): Promise<readonly Fields[]> => (await send(rows)).lines;

const rejected = (line: number, errors: Fields): Fields => ({ line, result: 'rejected', errors });

const stored = (reference: string) =>
  server.place.sql('select * from transactions where company_id = $1 and reference like $2 order by id', [
    ingest.caller.companyId,
    reference,
  ]);
const ledger = () =>
  server.place.sql(
    `select action, entity_id, user_id, after from ledger
     where company_id = $1 and entity_type = 'transaction' order by sequence`,
    [ingest.caller.companyId],
  );

describe('POST /ingest/v1/transactions', () => {
  it('stores new rows, counts repeated ones and reports rejected ones', async () => {
    const first = await send([ingestRow(1)]);
    expect([first.status, first.headers['content-type'], first.lines]).toEqual([
      200,
      'application/x-ndjson',
      [totalsOf(1)],
    ]);
    const reply = await send([ingestRow(2, { status: 'done' }), ingestRow(1), ingestRow(3)]);
    expect(reply.lines).toEqual([
      rejected(1, { status: ['must be one of success, running, fail'] }),
      totalsOf(1, 1, 1),
    ]);
    const [listed] = (await server.acme.client.get('transactions')).list('transactions');
    expect(listed).toMatchObject({
      serial_number: 'S-3',
      started_at: '2026-03-01T00:00:03Z',
      finished_at: '2026-03-03T12:00:00Z',
      parsed: { amount: 103, status_reason: '00', card: { brand: 'visa', first_digits: '411111' } },
    });
  });

  it('takes the optional fields as absent, and the whole row as it is stored', async () => {
    const none = { detail: '', framework_version: null, sent: null, received: null, parsed: null };
    const least = Object.fromEntries(Object.entries(ingestRow(10)).filter(([name]) => !(name in none)));
    expect(await answerTo(least)).toEqual([totalsOf(1)]);
    expect(await answerTo({ ...least, ...none })).toEqual([totalsOf(0, 1)]);
  });

  it('stores 1,200 rows in three batches, and the same rows again none', async () => {
    const rows = ingestRows(1_200, 10_000);
    const before = (await ledger()).length;
    expect(await answerTo(...rows)).toEqual([totalsOf(1_200)]);
    expect(await answerTo(...rows)).toEqual([totalsOf(0, 1_200)]);
    const references = (await stored('I-1____')).map(({ reference }) => reference);
    expect(references).toEqual(rows.map(({ reference }) => reference));
    const added = (await ledger()).slice(before);
    expect(added).toMatchObject(
      [500, 500, 200].map(() => ({ action: 'record', user_id: ingest.caller.userId })),
    );
    const counts = added.map(({ after }) => (JSON.parse(String(after)) as Fields).count);
    expect(counts).toEqual([500, 500, 200]);
    expect(await server.place.check()).toEqual([]);
  });

  it('takes as many statements for a batch, however many of its rows are new, repeated or end others', async () => {
    const statements = async (rows: readonly Fields[]): Promise<number> =>
      (await server.statements(() => send(rows))).statements.length;
    const [few, many] = [ingestRows(2, 20_000), ingestRows(500, 21_000)];
    const [fewNew, fewRepeated] = [await statements(few), await statements(few)];
    // 200 rows per INSERT.
    expect([await statements(many), await statements(many)]).toEqual([fewNew + 2, fewRepeated]);
    const running = (count: number, first: number): Fields[] =>
      Array.from({ length: count }, (_, n) => runningRow(first + n));
    await send([...running(2, 22_000), ...running(500, 23_000)]);
    const fewEnded = await statements(ingestRows(2, 22_000));
    // 200 rows per statement, and as many ledger entries per INSERT.
    expect(await statements(ingestRows(500, 23_000))).toBe(fewEnded + 4);
  });

  it('knows a row without a reference by its values', async () => {
    const row = ingestRow(40, { reference: null, app_name: 'unnamed.rb' });
    const absent = { ...row, reference: undefined };
    expect(await answerTo(row, absent, { ...row, detail: 'x' })).toEqual([totalsOf(2, 1)]);
  });

  it('rejects bad lines one by one, with their numbers, and goes on', async () => {
    const long = JSON.stringify(ingestRow(70, { detail: 'x'.repeat(2 ** 18) }));
    const text = Buffer.concat([
      Buffer.from(`${ndjson([ingestRow(71)])}\r\n\n{"transaction_type"\n[1]\n"x"\n${long}\n{"detail":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from(`"}\n{}\n${ndjson([ingestRow(72, { refrence: 'x' })])}`),
      Buffer.from(JSON.stringify(ingestRow(73, { parsed: { type: 'sale', card: { brand_name: 1 } } }))),
      Buffer.from(`\n${JSON.stringify(ingestRow(74))}`),
    ]);
    const { lines } = await sendLines(server.url, ingest.token, text);
    const required = ['is required'];
    expect(lines).toEqual([
      rejected(4, { row: ['is not JSON'] }),
      rejected(5, { row: ['must be a JSON object'] }),
      rejected(6, { row: ['must be a JSON object'] }),
      rejected(7, { row: ['must have at most 262144 bytes'] }),
      rejected(8, { row: ['is not UTF-8 text'] }),
      rejected(9, {
        serial_number: required,
        logical_number: required,
        app_name: required,
        started_at: required,
        transaction_type: ['must be one of company, switch, get_asset'],
        status: ['must be one of success, running, fail'],
      }),
      rejected(10, { row: ['has unknown fields: refrence'] }),
      rejected(11, { parsed: ['has unknown fields: brand_name'] }),
      totalsOf(2, 0, 8),
    ]);
  });

  const paid = { type: 'sale', status: 'approved' };
  it.each<[string, Fields, string, string]>([
    ['an end while it runs', { status: 'running', parsed: null }, 'finished_at', 'must be null while'],
    ['no end after it has ended', { finished_at: null }, 'finished_at', 'is required'],
    ['a payment that failed', { status: 'fail' }, 'parsed', 'belongs to a success only'],
    ['a payment without an amount', { parsed: paid }, 'parsed', 'amount is required'],
    ['an amount that is no whole number', { parsed: { ...paid, amount: 1.5 } }, 'parsed', 'amount must be'],
    ['a NUL in a message', { sent: 'a\0b' }, 'sent', 'must not contain NUL'],
    ['deep metadata', { parsed: { ...paid, amount: 1, metadata: nested(40) } }, 'parsed', 'nested at most'],
  ])('rejects a row with %s, and stores nothing of it', async (_what, wrong, field, message) => {
    const lines = await answerTo(ingestRow(80, wrong));
    expect(lines).toEqual([
      rejected(1, { [field]: [expect.stringContaining(message) as string] }),
      totalsOf(0, 0, 1),
    ]);
    expect(await stored('I-80')).toEqual([]);
  });

  it('RU-72 stores a row that ends before its start as it was sent, with a warning each time', async () => {
    const row = ingestRow(90, { started_at: '2026-03-01T12:00:02Z', finished_at: '2026-03-01T12:00:00Z' });
    const warnings = { finished_at: ['is before started_at: was the clock set back?'] };
    const id = expect.any(Number) as unknown;
    expect(await answerTo(row)).toEqual([{ line: 1, result: 'created', id, warnings }, totalsOf(1)]);
    expect(await answerTo(row)).toEqual([{ line: 1, result: 'repeated', id, warnings }, totalsOf(0, 1)]);
    const [listed] = (await server.acme.client.get('transactions')).list('transactions');
    expect(listed).toMatchObject({ started_at: row.started_at, finished_at: row.finished_at });
  });

  it('answers an empty body, and one of empty lines, with totals of 0', async () => {
    expect((await sendLines(server.url, ingest.token, '')).lines).toEqual([totalsOf(0)]);
    expect((await sendLines(server.url, ingest.token, '\n \r\n\n')).lines).toEqual([totalsOf(0)]);
  });
});

function nested(depth: number): Fields {
  return depth === 0 ? {} : { deep: nested(depth - 1) };
}

describe('transactions that are first running and then end', () => {
  it('end once: the same result is repeated, another one is rejected, and so is another start', async () => {
    expect(await answerTo(runningRow(100))).toEqual([totalsOf(1)]);
    expect(await answerTo(runningRow(100))).toEqual([totalsOf(0, 1)]);
    expect(await answerTo(ingestRow(100, { app_name: 'other.rb' }))).toEqual([
      rejected(1, { reference: ['belongs to a transaction with other values of app_name'] }),
      totalsOf(0, 0, 1),
    ]);
    const before = await ledger();
    expect(await answerTo(ingestRow(100))).toEqual([totalsOf(1)]);
    const [row, ...none] = await stored('I-100');
    expect(none).toEqual([]);
    expect(row).toMatchObject({ status: 'success', received: '0210', amount: 200, reference: 'I-100' });
    expect((await ledger()).slice(before.length)).toMatchObject([{ action: 'update', entity_id: row?.id }]);
    const failed = { status: 'fail', parsed: null };
    expect(await answerTo(ingestRow(100), runningRow(100), ingestRow(100, failed))).toEqual([
      rejected(3, { reference: ['belongs to a transaction with other values of status, parsed'] }),
      totalsOf(0, 2, 1),
    ]);
    expect(await stored('I-100')).toEqual([row]);
  });

  it('may do both in one batch, of a new transaction and of a stored one', async () => {
    await send([runningRow(111)]);
    const before = await ledger();
    const rows = [runningRow(110), runningRow(111), ingestRow(111), ingestRow(110), runningRow(110)];
    expect(await answerTo(...rows, ingestRow(111), ingestRow(110, { detail: 'other' }))).toEqual([
      rejected(7, { reference: ['belongs to a transaction with other values of detail'] }),
      totalsOf(3, 3, 1),
    ]);
    expect(await stored('I-11_')).toMatchObject([
      { reference: 'I-111', status: 'success', amount: 211 },
      { reference: 'I-110', status: 'success', amount: 210 },
    ]);
    expect((await ledger()).slice(before.length).map(({ action }) => action)).toEqual(['record', 'update']);
  });

  it('are not ended so by the mutations, which have transactionFinish', async () => {
    await send([runningRow(130)]);
    const times = { startedAt: '2026-03-01T00:02:10Z', finishedAt: '2026-03-03T12:00:00Z' };
    const names = { serialNumber: 'S-4', logicalNumber: 'L-4', appName: 'shop.rb', reference: 'I-130' };
    const texts = { sent: '0200', received: '0210' };
    const input = { transactionType: 'SWITCH', status: 'FAIL', ...names, ...texts, ...times };
    await expectRefused(ingest, 'transactionRecord', { input }, 'TAKEN input.reference');
  });
});
