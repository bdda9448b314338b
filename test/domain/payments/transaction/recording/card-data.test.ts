import { beforeAll, describe, expect, it } from 'vitest';

import { scrubPayment } from '../../../../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { ParsedPayment } from '../../../../../src/domain/payments/transaction/transaction.model.js';
import { formsOf, shows } from '../../../../platform/card-data/card-forms.js';
import { answered } from '../../../../support/dashboard.js';
import { metricOf } from '../../../../support/gauges.js';
import { ingestRow, ndjson, NDJSON, sendLines, totalsOf } from '../../../../support/line-stream.js';
import { expectRefused, mutated } from '../../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../../support/server.js';
import { newTerminal, report } from '../../../../support/terminals.js';
import { BULK, payment, paymentInput, runningInput } from '../records.js';

const server = useServer({ rateLimitPerHour: 1_000_000 });
let ingest: Member;
let terminal: { readonly id: number; readonly token: string };
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest', 'read']);
  terminal = await newTerminal(server.acme, 'SN-1');
});

const PIX = { type: 'sale', status: 'approved', amount: 1_990, payment_method: 'pix' };
const CARDLESS: readonly Fields[] = [PIX, { ...PIX, card: null }];

/** Transactions with the given reference, as REST and GraphQL show them. */
async function shown(references: readonly string[]): Promise<readonly unknown[]> {
  const query = { per_page: 100 };
  const { body } = await server.acme.client.get('transactions', undefined, { query });
  const { transactions } = await answered<{ readonly transactions: { readonly nodes: readonly Fields[] } }>(
    server.acme,
    '{ transactions(first: 100) { nodes { databaseId reference parsed { card { brand } } } } }',
  );
  const ids = new Map(transactions.nodes.map((node) => [node.databaseId, node]));
  const rows = (body.transactions as { readonly transaction: Fields }[]).map((each) => each.transaction);
  return rows
    .filter(({ id }) => references.includes(String(ids.get(id)?.reference)))
    .map(({ id, parsed }) => [(parsed as Fields).card, (ids.get(id)?.parsed as Fields).card]);
}

describe('a payment without a card', () => {
  it('is taken from terminals and /ingest, with `card` absent or null', async () => {
    const [absent, none] = CARDLESS.map((parsed, n) => ingestRow(n, { parsed, reference: `ingest-${n}` }));
    const reply = await sendLines(server.url, server.acme.token, ndjson([absent, none]));
    expect(reply.lines).toEqual([totalsOf(2)]);
    const own = CARDLESS.map((parsed, n) =>
      ingestRow(n, { serial_number: undefined, logical_number: undefined, parsed, reference: `own-${n}` }),
    );
    const response = await fetch(`${server.url}/terminal/v1/transactions`, {
      method: 'POST',
      body: ndjson(own),
      headers: { authorization: `Bearer ${terminal.token}`, 'content-type': NDJSON },
    });
    expect(await response.text()).toContain('"total":2,"created":2');
    expect(await shown(['ingest-0', 'ingest-1', 'own-0', 'own-1'])).toEqual(
      Array.from({ length: 4 }, () => [null, null]),
    );
  });

  it('is taken from GraphQL, and one with an empty card keeps the card', async () => {
    const cards = [undefined, null, {}];
    for (const [index, card] of cards.entries()) {
      const input = paymentInput({ reference: `graphql-${index}` }, { card });
      await mutated(server.acme, 'transactionRecord', { input });
    }
    expect(await shown(['graphql-0'])).toEqual([[null, null]]);
    expect(await shown(['graphql-1'])).toEqual([[null, null]]);
    const empty = { brand: null, expiration_date: null, first_digits: null, last_digits: null };
    expect(await shown(['graphql-2'])).toEqual([[empty, { brand: null }]]);
  });
});

it('RU-17 a row of GET /v1/transactions without its id can be brought in again', async () => {
  const rows = [
    ingestRow(100, { parsed: null, sent: null, received: null, reference: 'again-1' }),
    ingestRow(101, { parsed: { ...PIX, card: null }, reference: 'again-2' }),
    ingestRow(102, { reference: 'again-3' }),
  ].map((row) => ({ ...row, serial_number: 'AGAIN' }));
  await sendLines(server.url, server.acme.token, ndjson(rows));
  const list = async (): Promise<Fields[]> => {
    const query = { serial_number: 'AGAIN' };
    return (await server.acme.client.get('transactions', undefined, { query })).list('transactions');
  };
  const before = (await list()).map(({ id: _id, ...row }) => row);
  expect(before[2]).toMatchObject({ sent: 'null', received: 'null', parsed: 'null' });
  const again = before.map((row, n) => ({ ...row, reference: `copy-${n}` }));
  const reply = await sendLines(server.url, server.acme.token, ndjson(again));
  expect(reply.lines).toEqual([totalsOf(3)]);
  expect((await list()).map(({ id: _id, ...row }) => row).sort(byText)).toEqual(
    [...before, ...before].sort(byText),
  );
  const sql = "select sent, received, parsed from transactions where reference = 'copy-2'";
  expect(await server.place.sql(sql)).toEqual([{ sent: null, received: null, parsed: null }]);
});

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one).localeCompare(JSON.stringify(other));

const VISA = '4111111111111111';
const FORMS = formsOf(VISA).map(([, form]) => form);
/** For ways that take one transaction at a time: each encoding of some texts, and of all bytes. */
const FEW = FORMS.filter((_, index) => index % 7 === 0);
/** `framework_version` and values of reports are names of at most 64 printable characters. */
const short = (form: string): string => (form.length <= 64 ? form : VISA);

const texts = (form: string): Fields => ({ detail: form, sent: form, received: form });
const TEXTS_OF_PAYMENT = ['acquirer', 'type', 'payment_method', 'nsu', 'nsu_reference', 'transaction_id'];
const paymentTexts = (form: string): Fields => ({
  ...Object.fromEntries(TEXTS_OF_PAYMENT.map((field) => [field, form.length <= 64 ? form : VISA])),
  card: { holder_name: form, brand: form },
  merchant: { id: form, document: form, name: form },
  metadata: { [form]: { deep: [{ text: form, number: Number(VISA) }] } },
});
const inCamelCase = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      name === 'card' ? inCamelCase(value as Fields) : value,
    ]),
  );
const row = (form: string, n: number): Fields =>
  ingestRow(n, {
    ...texts(form),
    framework_version: short(form),
    parsed: { type: 'sale', status: 'approved', amount: 1, ...paymentTexts(form) },
  });
const input = (form: string, n: number): Fields =>
  paymentInput(
    { ...texts(form), frameworkVersion: short(form), reference: `G-${n}` },
    inCamelCase(paymentTexts(form)),
  );

/** Stored transactions with all columns, whose reference begins with `prefix`. */
async function stored(prefix: string): Promise<Fields[]> {
  return await server.app.database.reads
    .selectFrom('transactions')
    .selectAll()
    .where('reference', 'like', `${prefix}-%`)
    .execute();
}

/** The texts in which more of the card number can be read than its first 6 and last 4 digits. */
function leaksIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const parsed: unknown = /^[{[]/.test(value) && value.endsWith('}') ? tryJson(value) : undefined;
    if (parsed !== undefined) return leaksIn(parsed);
    return shows(value, VISA) ? [value] : [];
  }
  if (typeof value === 'number') return leaksIn(String(value));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [...leaksIn(key), ...leaksIn(each)]);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const scrubs = (): Promise<number> => metricOf(server.url, 'card_data_scrubs_total');

async function expectNoLeak(prefix: string, count: number, before: number): Promise<void> {
  const rows = await stored(prefix);
  expect(rows).toHaveLength(count);
  expect(leaksIn(rows)).toEqual([]);
  expect(await scrubs()).toBeGreaterThanOrEqual(before + 10 * count);
}

describe('RU-01 RU-62 card data of every way in, in each text of a transaction', () => {
  it('POST /ingest/v1/transactions', async () => {
    const before = await scrubs();
    const { lines } = await sendLines(server.url, ingest.token, ndjson(FORMS.map(row)));
    expect(lines).toMatchObject([{ created: FORMS.length }]);
    await expectNoLeak('I', FORMS.length, before);
  });

  it('POST /terminal/v1/transactions', async () => {
    const before = await scrubs();
    const own = { serial_number: undefined, logical_number: undefined };
    const rows = FORMS.map((form, n) => ({ ...row(form, n), ...own, reference: `T-${n}` }));
    const response = await fetch(`${server.url}/terminal/v1/transactions`, {
      method: 'POST',
      body: ndjson(rows),
      headers: { authorization: `Bearer ${terminal.token}`, 'content-type': NDJSON },
    });
    expect((await response.text()).match(/"created","id"|"result":"created"/g)).toHaveLength(FORMS.length);
    await expectNoLeak('T', FORMS.length, before);
  });

  it('transactionBulkRecord', async () => {
    const before = await scrubs();
    const { body } = await ingest.graphql(BULK, { inputs: FORMS.map(input) });
    expect(body).not.toHaveProperty('errors');
    await expectNoLeak('G', FORMS.length, before);
  });

  it('transactionRecord and transactionFinish', async () => {
    const before = await scrubs();
    for (const [n, form] of FEW.entries()) {
      const one: Fields = { ...input(form, n), reference: `R-${n}` };
      await mutated(ingest, 'transactionRecord', { input: one });
      const { transaction } = await mutated<{ transaction: { id: string } }>(
        ingest,
        'transactionRecord',
        { input: runningInput({ reference: `F-${n}` }) },
        'transaction { id }',
      );
      const { detail, sent, received, parsed } = one;
      const result = { detail, sent, received, parsed, status: 'SUCCESS' };
      const finished = await mutated(
        ingest,
        'transactionFinish',
        { id: transaction.id, input: result },
        'transaction { detail sent received }',
      );
      expect(leaksIn(finished)).toEqual([]);
    }
    await expectNoLeak('R', FEW.length, before);
    await expectNoLeak('F', FEW.length, before);
  });

  it('is nowhere in the database', async () => {
    expect((await server.place.stored()).includes(VISA)).toBe(false);
  });
});

const FIELDS = ['serial_number', 'logical_number', 'app_name', 'reference'];
const message = expect.stringContaining('must not have a card number in it') as string;

describe('RU-62 a card number in a name is refused', () => {
  it.each([VISA, `n ${VISA}`, '4111 1111 1111 1111', '5A084111111111111111', 'WghBEREREREREQ=='])(
    '%s',
    async (name) => {
      const count = (await stored('%')).length;
      const rows = FIELDS.map((field, n) => ingestRow(9_000 + n, { [field]: name }));
      const { lines } = await sendLines(server.url, ingest.token, ndjson(rows));
      expect(lines.slice(0, -1)).toEqual(
        FIELDS.map((field, n) => ({ line: n + 1, result: 'rejected', errors: { [field]: [message] } })),
      );
      for (const field of FIELDS) {
        const wrong = inCamelCase({ [field]: name });
        const refusal = `INVALID input.${Object.keys(wrong).join()}`;
        const words = /must not have a card number in it/;
        await expectRefused(ingest, 'transactionRecord', { input: paymentInput(wrong) }, refusal, words);
      }
      expect(await stored('%')).toHaveLength(count);
    },
  );

  it('where it is created, too', async () => {
    const { client } = server.acme;
    for (const [path, body] of [
      ['devices', { serial_number: VISA }],
      ['logical_numbers', { number: VISA }],
      ['apps', { name: `${VISA}.rb` }],
    ] as const) {
      const reply = await client.post(path, body);
      expect([reply.status, Object.values(reply.body.errors as Fields)]).toEqual([422, [[message]]]);
    }
  });

  it('is not kept as that of an unknown terminal', async () => {
    const gateway = await server.member('acme', 'operator', ['terminals']);
    const reply = await report(server, gateway.token, {}, VISA);
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining('card number')]);
    await server.app.units.write(server.acme.caller, () => Promise.resolve());
    const rows = await server.app.database.reads.selectFrom('unknown_terminals').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(VISA);
  });
});

describe('RU-62 card data in a report is masked', () => {
  const metaOf = (form: string): Fields => ({ [short(form)]: 'key', text: form, [`cvv`]: '123' });

  it.each(['POST /terminal/v1/report', 'deviceReport'])('%s', async (way) => {
    const before = await scrubs();
    for (const form of FEW.filter(({ length }) => length <= 1_024)) {
      if (way === 'deviceReport') {
        const input = { meta: metaOf(form), frameworkVersion: short(form) };
        await mutated(ingest, 'deviceReport', { serialNumber: 'SN-1', input });
      } else {
        const body = { meta: metaOf(form), framework_version: short(form) };
        expect((await report(server, terminal.token, body)).status).toBe(200);
      }
      const device = (await server.acme.client.get(`devices/${terminal.id}`)).body;
      expect(leaksIn(device)).toEqual([]);
      expect(device).toMatchObject({ device: { meta: { cvv: '***' } } });
    }
    expect(await scrubs()).toBeGreaterThan(before + 3 * FEW.length);
    const ledger = await server.app.database.reads.selectFrom('ledger').select(['before', 'after']).execute();
    expect(JSON.stringify(ledger)).not.toContain(VISA);
  });
});

function scrubbed(parsed: Record<string, unknown>) {
  return scrubPayment(ParsedPayment.parse(payment(parsed).parsed));
}

describe('AT-28 truncation of a payment', () => {
  it.each([
    ['411111', '1111', '411111', '1111', 0],
    ['4111111', '11111', '411111', '1111', 2],
    ['41111111', '0005', '411111', '0005', 1],
    [VISA, VISA, '411111', '1111', 2],
    ['4111', '5', '4111', '5', 0],
  ])('of first %s and last %s keeps %s and %s', (firstDigits, lastDigits, first, last, scrubs) => {
    const result = scrubbed({ card: { firstDigits, lastDigits } });
    expect(result.value.card).toMatchObject({ firstDigits: first, lastDigits: last });
    expect(result.scrubs).toBe(scrubs);
  });

  it.each(['41111a', '4111 11', '411111******1111', '4'.repeat(20)])('refuses %s as digits', (digits) => {
    for (const field of ['firstDigits', 'lastDigits']) {
      expect(ParsedPayment.safeParse(payment({ card: { [field]: digits } }).parsed).success).toBe(false);
    }
  });

  it('masks card data in fields that are for other data', () => {
    const { value } = scrubbed({ nsu: VISA, metadata: { raw: `${VISA}=2512101`, cvv2: '123' } });
    expect(value).toMatchObject({
      nsu: '411111******1111',
      metadata: { raw: '411111******1111=*******', cvv2: '***' },
    });
  });

  it('keeps an NSU of 15 digits and the number of a company, which can look like cards', () => {
    const merchant = { id: '1', document: '36000009000140', name: 'x' };
    const { value, scrubs } = scrubbed({ nsu: '378282246310005', merchant });
    expect([value.nsu, scrubs]).toEqual(['378282246310005', 0]);
  });

  it('does not change a payment without card data, not even the order of its fields', () => {
    const parsed = ParsedPayment.parse(payment({ nsuReference: '000100' }).parsed);
    expect(JSON.stringify(scrubPayment(parsed))).toBe(JSON.stringify({ value: parsed, scrubs: 0 }));
  });
});
