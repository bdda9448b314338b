import { beforeAll, describe, expect, it } from 'vitest';

import { answered } from '../../../../support/dashboard.js';
import { ingestRow, ndjson, NDJSON, sendLines, totalsOf } from '../../../../support/line-stream.js';
import { useServer, type Fields } from '../../../../support/server.js';
import { newTerminal } from '../../../../support/terminals.js';
import { paymentInput, RECORD } from './inputs.js';

const server = useServer();
let terminal: string;
beforeAll(async () => {
  ({ token: terminal } = await newTerminal(server.acme, 'SN-1'));
});

const PIX = { type: 'sale', status: 'approved', amount: 1_990, payment_method: 'pix' };
const FORMS: readonly Fields[] = [PIX, { ...PIX, card: null }];

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
    const [absent, none] = FORMS.map((parsed, n) => ingestRow(n, { parsed, reference: `ingest-${n}` }));
    const reply = await sendLines(server.url, server.acme.token, ndjson([absent, none]));
    expect(reply.lines).toEqual([totalsOf(2)]);
    const own = FORMS.map((parsed, n) =>
      ingestRow(n, { serial_number: undefined, logical_number: undefined, parsed, reference: `own-${n}` }),
    );
    const response = await fetch(`${server.url}/terminal/v1/transactions`, {
      method: 'POST',
      body: ndjson(own),
      headers: { authorization: `Bearer ${terminal}`, 'content-type': NDJSON },
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
      const { transactionRecord } = await answered<Record<string, Fields>>(server.acme, RECORD, { input });
      expect(transactionRecord?.userErrors).toEqual([]);
    }
    expect(await shown(['graphql-0', 'graphql-1'])).toEqual([
      [null, null],
      [null, null],
    ]);
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
  const stored = await server.app.database.reads
    .selectFrom('transactions')
    .select(['sent', 'received', 'parsed'])
    .where('reference', '=', 'copy-2')
    .executeTakeFirstOrThrow();
  expect(stored).toEqual({ sent: null, received: null, parsed: null });
});

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one).localeCompare(JSON.stringify(other));
