import { beforeAll, describe, expect, it } from 'vitest';

import { answered } from '../support/dashboard.js';
import { ndjson, NDJSON, runningRow, sendLines } from '../support/line-stream.js';
import { useServer, type Fields } from '../support/server.js';
import { newTerminal } from '../support/terminals.js';
import { ACCEPTED_TIMESTAMPS, REFUSED_TIMESTAMPS } from '../support/timestamps.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let terminal: string;
beforeAll(async () => {
  ({ token: terminal } = await newTerminal(server.acme, 'SN-1'));
});

/** Records a transaction that began at a time; resolves to its id, or null if the time is refused. */
type RecordAt = (text: string, reference: string) => Promise<number | null>;

const byMutation =
  (query: (text: string) => string, variables: (text: string) => Fields): RecordAt =>
  async (text, reference) => {
    const { body } = await server.acme.graphql<{
      readonly transactionRecord: { readonly transaction: { readonly databaseId: number } };
    } | null>(query(text).replace('REFERENCE', reference), variables(text));
    return body.data?.transactionRecord.transaction.databaseId ?? null;
  };

const INPUT = `transactionType: SWITCH, serialNumber: "S-1", logicalNumber: "L-1", appName: "shop.rb", status: RUNNING,
  reference: "REFERENCE", startedAt:`;
const RESULT = '{ transaction { databaseId } }';

async function idOfLine(lines: readonly Fields[], reference: string): Promise<number | null> {
  if (lines.some(({ result }) => result === 'rejected')) return null;
  const query = 'select id from transactions where reference = $1';
  return (await server.place.sql<{ id: number }>(query, [reference]))[0]?.id ?? -1;
}

const running = (started_at: string, reference: string, more: Fields = {}): Fields =>
  runningRow(1, { started_at, reference, ...more });

const RECORDING: Readonly<Record<string, RecordAt>> = {
  'a variable of GraphQL': byMutation(
    () => `mutation ($at: DateTime!) { transactionRecord(input: { ${INPUT} $at }) ${RESULT} }`,
    (at) => ({ at }),
  ),
  'a literal of GraphQL': byMutation(
    (text) => `mutation { transactionRecord(input: { ${INPUT} ${JSON.stringify(text)} }) ${RESULT} }`,
    () => ({}),
  ),
  '/ingest/v1': async (text, reference) => {
    const reply = await sendLines(server.url, server.acme.token, ndjson([running(text, reference)]));
    return await idOfLine(reply.lines, reference);
  },
  '/terminal/v1': async (text, reference) => {
    const own = { serial_number: undefined, logical_number: undefined };
    const response = await fetch(`${server.url}/terminal/v1/transactions`, {
      method: 'POST',
      body: ndjson([running(text, reference, own)]),
      headers: { authorization: `Bearer ${terminal}`, 'content-type': NDJSON },
    });
    const lines = (await response.text()).trimEnd().split('\n');
    return await idOfLine(
      lines.map((line) => JSON.parse(line) as Fields),
      reference,
    );
  },
};

describe.each(Object.entries(RECORDING))('RU-24 a timestamp in %s', (surface, recordAt) => {
  it('is read in every accepted form', async () => {
    for (const [index, [text, instant]] of ACCEPTED_TIMESTAMPS.entries()) {
      const reference = `${surface} ${index}`;
      const id = await recordAt(text, reference);
      expect(id, text).not.toBeNull();
      const query = 'query ($id: Int!) { transaction(databaseId: $id) { startedAt } }';
      expect(await answered(server.acme, query, { id }), text).toEqual({
        transaction: { startedAt: instant },
      });
    }
  });

  it('is refused in every other form', async () => {
    for (const text of REFUSED_TIMESTAMPS) {
      expect(await recordAt(text, 'refused'), text).toBeNull();
    }
  });
});

describe('RU-24 a timestamp in a filter', () => {
  const list = async (query: Readonly<Record<string, string>>): Promise<number> =>
    (await server.acme.client.get('transactions', undefined, { query })).status;
  const literal = async (text: string): Promise<number> => {
    const filter = `{ startedAt: { gte: ${JSON.stringify(text)}, lt: ${JSON.stringify(text)} } }`;
    return (await server.acme.graphql(`{ transactions(first: 1, filter: ${filter}) { totalCount } }`)).status;
  };
  const statuses = async (text: string): Promise<number[]> =>
    await Promise.all([list({ since: text }), list({ until: text }), literal(text)]);

  it.each(ACCEPTED_TIMESTAMPS)('%s is read in REST and GraphQL', async (text) => {
    expect(await statuses(text)).toEqual([200, 200, 200]);
  });

  it.each(REFUSED_TIMESTAMPS.filter((text) => text !== ''))('%s is refused in both', async (text) => {
    expect(await statuses(text)).toEqual([400, 400, 400]);
  });

  it('means the same instant in all forms', async () => {
    const row = running('2020-01-05T12:00:30Z', 'in the minute');
    await sendLines(server.url, server.acme.token, ndjson([row]));
    const count = async (since: string, until: string): Promise<unknown> => {
      const query = { since, until };
      const { body } = await server.acme.client.get('transactions', undefined, { query });
      return (body.pagination as Fields).total_entries;
    };
    expect(await count('2020-01-05T09:00-0300', '2020-01-05T12:00Z')).toBe(1);
    expect(await count('2020-01-05T12:00:30Z', '2020-01-05T12:00:30Z')).toBe(1);
    expect(await count('2020-01-05T12:01Z', '2020-01-05T12:01Z')).toBe(0);
  });
});
