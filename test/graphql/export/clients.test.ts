import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS_OF_COMPANY } from '../../../src/graphql/limits/limits.js';
import { record, report } from '../../domain/payments/transaction/records.js';
import { exported } from '../../support/export.js';
import { useServer, type Member } from '../../support/server.js';

const SOON = { interval: 20 };
/** More than connections hold for a client that does not read. */
const ROWS = 600;
const SENT = 'x'.repeat(60_000);
const QUERY = '/export/v1/transactions?format=ndjson&columns=database_id,sent';

const server = useServer({ rateLimitPerHour: 1_000 }, { timeouts: { idleMs: 1_000, checkMs: 50 } });
beforeAll(async () => {
  for (let n = 0; n < ROWS; n += 50) {
    await record(
      server,
      server.acme,
      Array.from({ length: 50 }, () => report({ sent: SENT })),
    );
  }
});

const open: IncomingMessage[] = [];
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  await expect.poll(() => server.metric('http_waiting_bytes'), SOON).toBe(0);
});

/** Begins an export of which nothing is read. */
async function begin(member: Pick<Member, 'token'> = server.acme): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${member.token}` };
  const sent = get(new URL(QUERY, server.url), { agent: false, headers });
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  open.push(response);
  return response;
}

/** The lines that came before the response ended or was cut. */
async function linesOf(response: IncomingMessage) {
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => (text += part));
  await new Promise((resolve) => response.on('close', resolve));
  const lines = text.split('\n');
  return {
    isWhole: response.complete,
    last: lines.at(-1) === '' ? lines.at(-2) : lines.at(-1),
    count: lines.length - 1,
  };
}

describe('clients of exports', () => {
  it('get 429 beyond the exports of their company, and each place again', async () => {
    const begun = await Promise.all(Array.from({ length: 10 }, () => begin()));
    const statuses = begun.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(EXPORTS_OF_COMPANY);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10 - EXPORTS_OF_COMPANY);
    const reply = await exported(server.acme, 'groups');
    expect(reply).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(reply.headers.get('retry-after')).toBe('10');
    expect((await exported(server.beta, 'groups')).status).toBe(200);
    expect(await server.metric('http_refused_total{limit="exports_of_company"}')).toBe(7);
    for (const response of begun) response.destroy();
    await expect.poll(async () => (await exported(server.acme, 'groups')).status, SOON).toBe(200);
  });

  it('keep no state of the database while they do not read, and are cut at last', async () => {
    const response = await begin();
    const changed = await server.acme.client.post('groups', { name: 'made meanwhile' });
    expect(changed.status).toBe(201);
    await expect.poll(() => server.metric('http_waiting_bytes'), SOON).toBe(0);
    const { isWhole, last, count } = await linesOf(response);
    expect(isWhole).toBe(false);
    expect(count).toBeLessThan(ROWS);
    expect(last).not.toContain('totals');
  });

  it('have all lines if they read, with the last one', async () => {
    const { isWhole, last, count } = await linesOf(await begin());
    expect([isWhole, count]).toEqual([true, ROWS + 1]);
    expect(JSON.parse(last ?? '')).toMatchObject({ totals: { count: ROWS } });
  });

  it('get no further page once their token is revoked', async () => {
    const member = await server.member('acme', 'admin');
    const response = await begin(member);
    await server.revoke(member);
    const { isWhole, last } = await linesOf(response);
    expect(isWhole).toBe(false);
    expect(last).not.toContain('totals');
  });

  it('use one request of their budget', async () => {
    const left = async (): Promise<number> => {
      const { totals, headers } = await exported(server.acme, 'transactions', { columns: 'database_id' });
      expect(totals.count).toBe(ROWS);
      return Number(headers.get('x-rate-limit-remaining'));
    };
    expect((await left()) - (await left())).toBe(1);
  });

  it('get the headers alone for HEAD', async () => {
    const reply = await server.acme.client.request('HEAD', '/export/v1/groups');
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename=groups.csv');
  });
});
