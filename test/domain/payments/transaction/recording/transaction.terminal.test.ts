import { beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../../../../support/fleet.js';
import { ingestRow, ndjson, NDJSON, totalsOf } from '../../../../support/line-stream.js';
import { useServer, type Fields } from '../../../../support/server.js';
import { getAsTerminal, newTerminal, report } from '../../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let token: string;
beforeAll(async () => {
  ({ token } = await newTerminal(server.acme, 'SN-1'));
});

async function send(
  body: string | Uint8Array<ArrayBuffer>,
  { type = NDJSON, of = token, ...headers }: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${server.url}/terminal/v1/transactions`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${of}`, 'content-type': type, ...headers },
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    lines: lines.map((line) => JSON.parse(line) as Fields),
  };
}

/** A row of the terminal that sends it. */
const own = (n: number, more: Fields = {}): Fields =>
  ingestRow(n, { serial_number: undefined, logical_number: undefined, ...more });
const stored = async (serialNumber = 'SN-1'): Promise<Fields[]> => {
  const query = { serial_number: serialNumber, per_page: 100 };
  return (await server.acme.client.get('transactions', undefined, { query })).list('transactions');
};

describe('transactions from a terminal', () => {
  it('are stored under its serial and logical number, with a result for each', async () => {
    const rows = [
      own(1),
      own(2, { logical_number: 'number of SN-1', serial_number: 'SN-1' }),
      { ...own(3), app_name: '' },
    ];
    const answer = await send(ndjson(rows));
    expect([answer.status, answer.type]).toEqual([200, NDJSON]);
    const any = expect.any(Number) as unknown;
    expect(answer.lines).toEqual([
      { line: 1, result: 'created', id: any },
      { line: 2, result: 'created', id: any },
      { line: 3, result: 'rejected', errors: { app_name: ['must not be empty'] } },
      totalsOf(2, 0, 1),
    ]);
    const found = await stored();
    expect(found.map((row) => [row.serial_number, row.logical_number]).sort()).toEqual([
      ['SN-1', 'number of SN-1'],
      ['SN-1', 'number of SN-1'],
    ]);
  });

  it('may be one JSON object', async () => {
    const answer = await send(JSON.stringify(own(10), null, 2), { type: 'application/json; charset=utf-8' });
    expect(answer.lines).toMatchObject([{ line: 1, result: 'created' }, totalsOf(1)]);
    for (const body of ['[]', '1', '{', '']) {
      const refused = await send(body, { type: 'application/json' });
      expect([refused.status, refused.lines[0]?.code]).toEqual([400, 'malformed_json']);
    }
  });

  it('may be sent again, and change nothing then', async () => {
    const body = ndjson([own(20), own(21, { reference: null }), own(20)]);
    const first = await send(body);
    expect(first.lines).toMatchObject([
      { result: 'created' },
      { result: 'created' },
      { result: 'repeated', id: first.lines[0]?.id },
      totalsOf(2, 1),
    ]);
    const again = await send(body);
    expect(again.lines).toMatchObject([
      ...[0, 1, 0].map((n) => ({ result: 'repeated', id: first.lines[n]?.id })),
      totalsOf(0, 3),
    ]);
    const other = await send(ndjson([own(20, { detail: 'other' })]));
    expect(other.lines[0]).toEqual({
      line: 1,
      result: 'rejected',
      errors: { reference: ['belongs to a transaction with other values of detail'] },
    });
  });

  it('are of the terminal itself only', async () => {
    await newTerminal(server.acme, 'SN-OTHER');
    const rows = ['SN-OTHER', '', 7, {}].map((serial_number, n) => own(50 + n, { serial_number }));
    const { lines } = await send(ndjson(rows));
    const errors = { serial_number: ['must be that of the terminal, SN-1, or absent'] };
    expect(lines).toEqual([
      ...rows.map((_row, n) => ({ line: n + 1, result: 'rejected', errors })),
      totalsOf(0, 0, 4),
    ]);
    expect(await stored('SN-OTHER')).toEqual([]);
  });

  describe.each(['device token', 'gateway'])('RU-51 with a %s', (by) => {
    const WEEK = 7 * 24 * 3_600_000;
    const iso = (ms: number): string => new Date(server.clock.now().getTime() + ms).toISOString();
    const at = (ms: number): Fields => ({ started_at: iso(ms), finished_at: iso(ms + 1) });

    it('are of a logical number that the terminal has, or had at any time', async () => {
      const { client } = server.acme;
      const name = `SN-moved-${by}`;
      const terminal = await newTerminal(server.acme, name);
      const gateway = (await server.member('acme', 'operator', ['terminals'])).token;
      const of = by === 'gateway' ? { of: gateway, 'x-serial-number': name } : { of: terminal.token };
      const post = async (rows: readonly Fields[]) => (await send(ndjson(rows), of)).lines.slice(0, -1);
      await newTerminal(server.acme, `other than ${name}`);
      const [first, second, last] = [`number of ${name}`, `second of ${name}`, `last of ${name}`];
      const secondId = await fleet.logicalNumber(client, second);
      server.clock.advance(WEEK);
      await client.put(`devices/${encodeURIComponent(name)}`, { logical_number_id: secondId });
      server.clock.advance(WEEK);
      await client.put(`logical_numbers/${encodeURIComponent(second)}`, { number: last });
      await client.delete(`logical_numbers/${encodeURIComponent(first)}`);
      server.clock.advance(1_000);

      const base = by === 'gateway' ? 900 : 800;
      const row = (n: number, number: string | undefined, ms: number): Fields =>
        own(base + n, { logical_number: number, ...at(ms) });
      const lines = await post([
        row(0, last, -10),
        row(1, last, -20 * 24 * 3_600_000),
        row(2, first, -1.5 * WEEK),
        row(3, second, -0.5 * WEEK),
        row(4, undefined, -1.5 * WEEK),
        row(5, undefined, -0.5 * WEEK),
        row(6, undefined, 0),
        row(7, first, -0.5 * WEEK),
        row(8, second, 0),
        row(9, `number of other than ${name}`, 0),
        row(10, 'of nobody', 0),
      ]);
      expect(lines.map(({ result }) => result)).toEqual([
        ...Array.from({ length: 9 }, () => 'created'),
        ...Array.from({ length: 2 }, () => 'rejected'),
      ]);
      const warned = (had: string): Fields => ({
        logical_number: [`the terminal had ${had} at started_at. Is its clock wrong?`],
      });
      const none = undefined;
      expect(lines.slice(0, 9).map(({ warnings }) => warnings)).toEqual([
        none,
        warned(first),
        none,
        none,
        none,
        none,
        none,
        warned(second),
        warned(last),
      ]);
      for (const { errors } of lines.slice(9)) {
        expect(errors).toEqual({ logical_number: [expect.stringMatching(/^foreign_logical_number: /)] });
      }
      const numbers = (await stored(name)).map((found) => found.logical_number);
      expect(numbers.toSorted()).toEqual(
        [first, first, first, second, second, second, last, last, last].toSorted(),
      );
    });

    it('have no number of a time at which the terminal had none', async () => {
      const name = `SN-bare-${by}`;
      const { token: of } = await newTerminal(server.acme, name);
      const { client } = server.acme;
      await client.put(`devices/${encodeURIComponent(name)}`, { logical_number_id: null });
      server.clock.advance(WEEK);
      const back = await fleet.logicalNumber(client, `new of ${name}`);
      await client.put(`devices/${encodeURIComponent(name)}`, { logical_number_id: back });
      const base = by === 'gateway' ? 950 : 850;
      const rows = [
        own(base, at(-WEEK / 2)),
        own(base + 1, { logical_number: `number of ${name}`, ...at(-WEEK / 2) }),
      ];
      expect((await send(ndjson(rows), { of })).lines).toMatchObject([
        {
          result: 'created',
          warnings: { logical_number: [expect.stringContaining('had no logical number at') as unknown] },
        },
        {
          result: 'created',
          warnings: { logical_number: [expect.stringContaining('had no logical number at') as unknown] },
        },
        totalsOf(2),
      ]);
    });
  });

  it('RU-73 are stored under an earlier number whatever its clock says, and lists find them', async () => {
    const { client, graphql } = server.acme;
    const { id: deviceId, token: of } = await newTerminal(server.acme, 'SN-late');
    const other = await fleet.logicalNumber(client, 'deleted of SN-late');
    const ownId = Number((await client.get(`devices/${deviceId}`)).record('device').logical_number_id);
    for (const logical_number_id of [other, ownId]) {
      server.clock.advance(60_000);
      await client.put('devices/SN-late', { logical_number_id });
    }
    await client.delete('logical_numbers/deleted%20of%20SN-late');
    const at2020 = { started_at: '2020-01-01T00:00:00Z', finished_at: '2020-01-01T00:00:01Z' };
    const row = (n: number, number: string): Fields => own(n, { logical_number: number, ...at2020 });
    const rows = [row(980, 'deleted of SN-late'), row(981, 'number of SN-late'), row(982, 'number of SN-1')];
    const sent = await send(ndjson(rows), { of });
    const warnings = { logical_number: [expect.stringMatching(/^the terminal had/) as unknown] };
    const any = expect.any(Number) as unknown;
    expect(sent.lines).toEqual([
      { line: 1, result: 'created', id: any, warnings },
      { line: 2, result: 'created', id: any },
      {
        line: 3,
        result: 'rejected',
        errors: { logical_number: [expect.stringMatching(/^foreign_/) as unknown] },
      },
      totalsOf(2, 0, 1),
    ]);
    expect((await send(ndjson(rows), { of })).lines).toMatchObject([
      { result: 'repeated', warnings },
      {},
      {},
      {},
    ]);
    // A download under an earlier number counts for it too.
    await getAsTerminal(server, of, 'assets/none?logical_number=deleted%20of%20SN-late');
    const found = await graphql<{ transactions: { nodes: Fields[] } }>(`
      {
        transactions(filter: { numberAtStart: { isNull: false }, serialNumber: { eq: "SN-late" } }) {
          nodes {
            transactionType
            logicalNumber
            numberAtStart
            startedAt
          }
        }
      }
    `);
    const shown = { logicalNumber: 'deleted of SN-late', numberAtStart: 'number of SN-late' };
    expect(found.body.data.transactions.nodes).toEqual([
      { transactionType: 'GET_ASSET', ...shown, startedAt: expect.any(String) as unknown },
      { transactionType: 'SWITCH', ...shown, startedAt: '2020-01-01T00:00:00.000Z' },
    ]);
    expect(Object.keys((await stored('SN-late'))[0] ?? {})).not.toContain('number_at_start');
  });

  it('RU-70 are answered by a status that speaks of a single row', async () => {
    const one = (row: Fields, type: string) => send(JSON.stringify(row), { type });
    for (const type of ['application/json', NDJSON]) {
      const base = type === NDJSON ? 990 : 995;
      const statuses = [
        await one(own(base), type),
        await one(own(base), type),
        await one(own(base, { detail: 'other' }), type),
        await one({ status: 'done' }, type),
      ].map(({ status, lines }) => [status, lines[0]?.result]);
      expect(statuses).toEqual([
        [200, 'created'],
        [200, 'repeated'],
        [422, 'rejected'],
        [422, 'rejected'],
      ]);
    }
    expect((await send(ndjson([{}, {}]))).status).toBe(200);
  });

  it('RU-51 are refused in reports and requests for assets that name the logical number of another', async () => {
    const terminal = await newTerminal(server.acme, 'SN-named');
    const errors = { logical_number: [expect.stringMatching(/^foreign_logical_number: /)] };
    for (const [number, status] of [
      ['number of SN-named', 404],
      ['number of SN-1', 422],
    ] as const) {
      const path = `assets/none?logical_number=${encodeURIComponent(number)}`;
      const asset = await getAsTerminal(server, terminal.token, path);
      const reported = await report(server, terminal.token, { logical_number: number });
      expect([asset.status, reported.status]).toEqual([status, status === 404 ? 200 : 422]);
      if (status === 422) expect([asset.body.errors, reported.body.errors]).toEqual([errors, errors]);
    }
  });

  it('are rejected if the clock of the terminal is more than a day ahead', async () => {
    const at = (hours: number): string =>
      new Date(server.clock.now().getTime() + hours * 3_600_000).toISOString();
    const rows = [
      own(70, { started_at: '2099-01-01T00:00:00Z', finished_at: '2099-01-01T00:00:01Z' }),
      own(71, { started_at: at(23), finished_at: at(23) }),
      own(72, { finished_at: at(25) }),
      own(73, { started_at: '1970-01-01T00:00:00Z', finished_at: '1970-01-01T00:00:01Z' }),
      own(74, { started_at: 'soon' }),
    ];
    const { lines } = await send(ndjson(rows));
    const late = expect.stringMatching(
      /^must be at most 24 hours after the time of the server, 20\d\d-.*Z$/,
    ) as unknown;
    expect(lines.slice(0, 4)).toMatchObject([
      { result: 'rejected', errors: { started_at: [late] } },
      { result: 'created' },
      { result: 'rejected', errors: { finished_at: [late] } },
      { result: 'created' },
    ]);
    expect(lines[4]).toMatchObject({
      result: 'rejected',
      errors: { started_at: expect.any(Array) as unknown },
    });
  });
});

describe('a body of transactions', () => {
  it('has at most 1,000 lines, and otherwise nothing is stored', async () => {
    const { token: of } = await newTerminal(server.acme, 'SN-LINES');
    const thousand = Array.from({ length: 1_000 }, (_, n) => own(1_000 + n));
    const refused = await send(ndjson([...thousand, own(1)]), { of });
    const message = 'The body has more than 1000 lines: send it in parts. Nothing was stored.';
    expect([refused.status, refused.lines]).toMatchObject([413, [{ code: 'too_large', message }]]);
    expect(await stored('SN-LINES')).toEqual([]);
    const { lines } = await send(ndjson(thousand), { of });
    expect([lines.length, lines.at(-1)]).toEqual([1_001, totalsOf(1_000)]);
  });

  it('has at most a mebibyte, however it is divided', async () => {
    const { token: of } = await newTerminal(server.acme, 'SN-BYTES');
    const tooLong = ['x', '\n', ' '].map((each) => each.repeat(1_048_577));
    for (const body of [...tooLong, `${ndjson([own(1)])}${tooLong[2] ?? ''}`]) {
      const refused = await send(body, { of });
      expect([refused.status, refused.lines[0]?.code]).toEqual([413, 'too_large']);
    }
    expect(await stored('SN-BYTES')).toEqual([]);
  });

  it('is of a known type, and may have lines that are no records', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const type of types) {
      const refused = await send(ndjson([own(1)]), { type });
      expect([refused.status, refused.lines[0]?.code]).toEqual([415, 'not_ndjson']);
    }
    const lines = Buffer.from(`[]\n{\n\n"x"\n{"a":1}\n`);
    const answer = await send(new Uint8Array([...lines, 0xff, 10]));
    expect(answer.lines.map(({ line, result }) => [line, result])).toEqual([
      ...[1, 2, 4, 5, 6].map((line) => [line, 'rejected']),
      [undefined, undefined],
    ]);
    expect((await send('')).lines).toEqual([totalsOf(0)]);
  });
});
