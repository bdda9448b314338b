import { beforeAll, describe, expect, it } from 'vitest';

import { DAY } from '../../../../src/platform/clock.js';
import { errorsOf } from '../../../support/fleet.js';
import { useServer, type Member } from '../../../support/server.js';
import { payment, record, report, START } from './records.js';

const server = useServer();
let acme: Member;
beforeAll(async () => {
  acme = server.acme;
  await record(server, acme, [
    report({ detail: 'Release 7', frameworkVersion: '8.30.0' }),
    { ...payment(), startedAt: new Date(START.getTime() + 1_000), sent: '0200', received: '0210' },
    report({ status: 'running', finishedAt: null, startedAt: new Date(START.getTime() - DAY), sent: '' }),
    report({ status: 'fail', transactionType: 'get_asset', serialNumber: 'a%_*b', appName: 'é.posxml' }),
  ]);
  await record(server, server.beta, [report({ serialNumber: 'S-BETA' })]);
});

async function ids(query: Record<string, string>): Promise<unknown[]> {
  const reply = await acme.client.get('transactions', undefined, { query });
  expect(reply.status, reply.text).toBe(200);
  return reply.list('transactions').map((transaction) => transaction.id);
}

describe('/v1/transactions', () => {
  it('contract 11: shows every field in the order of the contract, and the text null for absent messages', async () => {
    const [financial, , plain] = (await acme.client.get('transactions')).list('transactions');
    expect(plain).toEqual({
      id: 1,
      transaction_type: 'company',
      serial_number: 'S-1',
      logical_number: 'L-1',
      app_name: 'shop.rb',
      detail: 'Release 7',
      framework_version: '8.30.0',
      status: 'success',
      sent: 'null',
      received: 'null',
      parsed: 'null',
      started_at: '2026-03-01T12:00:00Z',
      finished_at: '2026-03-01T12:00:02Z',
    });
    expect(JSON.stringify(financial)).toBe(
      '{"id":2,"transaction_type":"switch","serial_number":"S-1","logical_number":"L-1","app_name":"shop.rb",' +
        '"detail":"","framework_version":null,"status":"success","sent":"0200","received":"0210",' +
        '"parsed":{"acquirer":"Acquirer","type":"sale","status":"approved","status_reason":"00",' +
        '"capture_method":"emv","amount":1234,"payment_method":"credit",' +
        '"installment":{"type":"merchant","quantity":3},"nsu":"000123","authorization_code":"998877",' +
        '"transaction_id":"445566","card":{"brand":"visa","expiration_date":"0131",' +
        '"first_digits":"411111","last_digits":"1111"},' +
        '"merchant":{"id":"77","document":"11222333000181","name":"Shop"},"metadata":{"terminal":"x"}},' +
        '"started_at":"2026-03-01T12:00:01Z","finished_at":"2026-03-01T12:00:02Z"}',
    );
  });

  it('contract 13: lists newest first; at one instant, the highest id first', async () => {
    expect(await ids({})).toEqual([2, 4, 1, 3]);
    const page = await acme.client.get('transactions', undefined, { query: { per_page: '3', page: '2' } });
    expect(page.body.pagination).toEqual({ page: 2, total_pages: 2, entries: 1, total_entries: 4 });
    expect(page.list('transactions').map(({ id }) => id)).toEqual([3]);
    const past = await acme.client.get('transactions', undefined, { query: { page: '9' } });
    expect(past.body).toEqual({
      pagination: { page: 9, total_pages: 1, entries: 0, total_entries: 4 },
      transactions: [],
    });
  });

  const FILTERED: [string, Record<string, string>, number[]][] = [
    ['a day', { since: '2026-03-01', until: '2026-03-01' }, [2, 4, 1]],
    ['an instant with an offset', { until: '2026-03-01T09:00:00-03:00' }, [4, 1, 3]],
    ['an offset whose plus became a space', { until: '2026-03-01T13:00:00+01:00' }, [4, 1, 3]],
  ];
  it.each(FILTERED)('contract 27: filters the list by %s', async (_what, query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  const MALFORMED: [string, string][] = [
    ['status', 'foo'],
    ['status', 'SUCCESS'],
    ['transaction_type', 'COMPANY'],
    ['since', '2026-02-30'],
    ['since', 'now'],
    ['until', '99999-01-01'],
    ['until', '2026-03-01 or 1=1'],
  ];
  it.each(MALFORMED)('RI-19 contract 27: refuses %s=%s and names the parameter', async (name, value) => {
    const reply = await acme.client.get('transactions', undefined, { query: { [name]: value } });
    expect(errorsOf(reply)).toEqual([400, [name]]);
  });

  it.each([
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01T00:00:01Z', '2026-01-01T00:00:00Z'],
    ['2026-01-02T00:00:00Z', '2026-01-01'],
  ])('RI-19 contract 27: refuses since %s with until %s', async (since, until) => {
    const reply = await acme.client.get('transactions', undefined, { query: { since, until } });
    expect([reply.status, reply.body.errors]).toEqual([400, { since: ['must not be after until'] }]);
  });

  it.each([
    [{ serial_number: '%' }],
    [{ serial_number: 'a%' }],
    [{ serial_number: 'a____' }],
    [{ serial_number: '*' }],
    [{ serial_number: 's-1' }],
    [{ app_name: 'a%' }],
    [{ app_name: 'shop' }],
    [{ logical_number: "L-1' or '1'='1" }],
  ])('RI-33 compares exactly, wildcards included: %o', async (query) => {
    expect(await ids(query)).toEqual([]);
  });

  it('RI-33 finds a serial number that contains wildcards', async () => {
    expect(await ids({ serial_number: 'a%_*b' })).toEqual([4]);
  });

  it.each(['serial_number', 'logical_number', 'app_name'])(
    'RI-33 refuses an absurdly long %s',
    async (name) => {
      const long = await acme.client.get('transactions', undefined, { query: { [name]: 'x'.repeat(4_000) } });
      expect(errorsOf(long)).toEqual([400, [name]]);
      const longer = await server.anonymous
        .get(`/v1/transactions?access_token=${acme.token}&${name}=${'x'.repeat(60_000)}`)
        .catch((error: unknown) => error);
      // Refused by Node's HTTP parser.
      expect(longer).toMatchObject({ status: 431 });
    },
  );
});
