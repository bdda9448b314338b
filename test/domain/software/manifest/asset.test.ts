import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { nodeId } from '../../../support/dashboard.js';
import { crcOf, fleet, statementsOf, softwareOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';
import {
  base64,
  setVersions,
  stockedTerminal,
  type StockedTerminal,
} from '../../../support/stocked-terminal.js';
import {
  assetRequests,
  getAsset,
  reachOf,
  openSlowly,
  getAsTerminal,
  issueToken,
} from '../../../support/terminals.js';

const NAME = 'acmepagamentos_sale.posxml';
/** Content of three chunks. */
const BYTES = Buffer.from(Array.from({ length: 1_800_000 }, (_, n) => (n * 31 + (n >> 8)) % 251));
/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'large');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

const server = useServer({ rateLimitPerHour: 100_000 });
let sale: StockedTerminal;
beforeAll(async () => {
  sale = await stockedTerminal(server.acme, 'sale', BYTES);
});
afterAll(() => {
  expect(server.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
});

const get = (name = NAME, headers = {}, method = 'GET'): ReturnType<typeof getAsset> =>
  getAsset(server, sale.token, name, headers, method);
const codeOf = ({ status, bytes }: Awaited<ReturnType<typeof getAsset>>): string =>
  `${status} ${(JSON.parse(bytes.toString()) as { code: string }).code}`;

/** Numbers of a version: granted, downloaded and current. */
const reach = (id: number) => reachOf(server.acme, nodeId('AppVersion', id));

describe('an asset', () => {
  it('is sent with its checksums', async () => {
    const reply = await get();
    expect([reply.status, reply.bytes.equals(BYTES)]).toEqual([200, true]);
    const names = ['content-type', 'content-length', 'etag', 'x-crc16', 'accept-ranges'];
    expect(names.map((name) => reply.headers.get(name))).toEqual([
      'application/octet-stream',
      String(BYTES.length),
      `"${SHA256}"`,
      crcOf(BYTES),
      'bytes',
    ]);
    expect((await get('acmepagamentos_sale.dat')).bytes.toString()).toBe('file of sale');
    expect((await get('acmepagamentos_sale-module.posxml')).bytes.toString()).toBe('module of sale');
  });

  it('is not sent to a terminal that has it, by CRC or ETag', async () => {
    for (const [query, headers] of [
      [`?crc=${crcOf(BYTES)}`, {}],
      [`?crc=${crcOf(BYTES).toLowerCase()}`, {}],
      ['', { 'if-none-match': `"${SHA256}"` }],
      ['', { 'if-none-match': `"other", W/"${SHA256}"` }],
    ] as const) {
      const reply = await get(NAME + query, headers);
      expect([reply.status, reply.bytes.length, reply.headers.get('x-crc16')]).toEqual([
        304,
        0,
        crcOf(BYTES),
      ]);
    }
    for (const query of ['?crc=0000', '?crc=', '?other=1'])
      expect((await get(NAME + query)).status).toBe(200);
    for (const query of ['?crc=xyz', '?crc=31C3A', '?crc=0000&crc=0000', '?crc=%00%00%00%00']) {
      expect(codeOf(await get(NAME + query))).toBe('400 malformed');
    }
  });

  it('is sent in ranges', async () => {
    const size = BYTES.length;
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 10],
      ['bytes=786430-786439', 786_430, 786_440],
      ['bytes=1799990-', 1_799_990, size],
      ['bytes=1799990-9999999', 1_799_990, size],
      ['bytes=-5', size - 5, size],
      ['bytes=-9999999', 0, size],
      ['bytes=500000-1700000', 500_000, 1_700_001],
    ] as const) {
      const reply = await get(NAME, { range });
      expect(reply.status).toBe(206);
      expect(reply.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(reply.bytes.equals(BYTES.subarray(start, end)), range).toBe(true);
    }
    for (const range of ['bytes=1800000-', 'bytes=-0', 'bytes=99999999999999999999-']) {
      const reply = await get(NAME, { range });
      expect([codeOf(reply), reply.headers.get('content-range')]).toEqual([
        '416 range_not_satisfiable',
        `bytes */${size}`,
      ]);
    }
    for (const range of ['bytes=5-1', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=', 'bytes=a-b', '0-1']) {
      expect((await get(NAME, { range })).status).toBe(200);
    }
  });

  it('is sent whole if the terminal has a part of other bytes', async () => {
    const range = 'bytes=10-19';
    expect((await get(NAME, { range, 'if-range': `"${SHA256}"` })).status).toBe(206);
    for (const other of ['"other"', `W/"${SHA256}"`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const reply = await get(NAME, { range, 'if-range': other });
      expect([reply.status, reply.bytes.length]).toEqual([200, BYTES.length]);
    }
  });

  it('has its headers for HEAD, which is no request for the asset', async () => {
    const { token, serialNumber } = await stockedTerminal(server.acme, 'head');
    const name = 'acmepagamentos_head.dat';
    const ask = (of: string): ReturnType<typeof getAsset> =>
      getAsset(server, token, of, { range: 'bytes=0-1' }, 'HEAD');
    const reply = await ask(name);
    expect([reply.status, reply.bytes.length, reply.headers.get('content-length')]).toEqual([200, 0, '12']);
    expect((await ask(`${name}?crc=${crcOf(Buffer.from('file of head'))}`)).status).toBe(304);
    expect((await ask('none')).status).toBe(404);
    expect(await assetRequests(server.acme, serialNumber)).toEqual([]);
  });

  it('takes as many statements whatever the manifest holds', async () => {
    const other = await stockedTerminal(server.acme, 'counted');
    const name = 'acmepagamentos_counted.dat';
    const count = () =>
      statementsOf(server, () =>
        getAsset(server, other.token, `${name}?crc=${crcOf(Buffer.from('file of counted'))}`),
      );
    const few = await count();
    const software = softwareOf(server.acme.client);
    const ids: unknown[] = [other.versionId];
    for (let n = 0; n < 4; n += 1) {
      const version = { bytecode: base64(`${n}`), group_ids: [other.groupId], module_ids: [other.moduleId] };
      ids.push((await software.version(await software.app({ name: `counted-${n}` }), version)).id);
    }
    await setVersions(server.acme, other, ...ids);
    expect(await count()).toBe(few);
  });
});

describe('a name of no asset', () => {
  let terminal: StockedTerminal;
  beforeAll(async () => {
    terminal = await stockedTerminal(server.acme, 'names');
  });

  it.each([
    'sale.posxml',
    'acmepagamentos_none.posxml',
    'ACMEPAGAMENTOS_sale.posxml',
    '..%2F..%2Fetc%2Fpasswd',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    'acmepagamentos_..%5C..%5Cwindows',
    '%2Fetc%2Fpasswd',
    'acmepagamentos_sale.posxml%00',
    '%00',
    'acmepagamentos_sale.posxml%20',
    '%F0%9F%92%A9',
    'x'.repeat(4_000),
    '__proto__',
    'constructor',
  ])('is 404: %s', async (name) => {
    const reply = await getAsset(server, terminal.token, name);
    expect(codeOf(reply)).toBe('404 not_found');
    const [recorded] = await assetRequests(server.acme, terminal.serialNumber);
    expect(recorded).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/^no such asset: ./) as unknown,
    });
  });

  it('is 400 where it is not encoded, and 404 where the path has more parts', async () => {
    expect(codeOf(await get('%ff'))).toBe('400 malformed');
    for (const name of ['', 'a/b', `../assets/${NAME}/x`])
      expect(codeOf(await get(name))).toBe('404 not_found');
  });

  it('is one of another terminal or company, in the same bytes', async () => {
    const { acme, beta } = server;
    await stockedTerminal(acme, 'foreign');
    await stockedTerminal(beta, 'ofbeta');
    const bytes = ({ bytes: text }: Awaited<ReturnType<typeof getAsset>>): string =>
      text.toString().replace(/"request_id":"[^"]+"/, '');
    const unknown = bytes(await get('acmepagamentos_unknown.posxml'));
    for (const name of ['acmepagamentos_foreign', 'betacards_ofbeta', 'acmepagamentos_ofbeta'])
      expect(bytes(await get(`${name}.posxml`))).toBe(unknown);
  });
});

describe('requests for assets', () => {
  it('are recorded as transactions', async () => {
    const terminal = await stockedTerminal(server.acme, 'recorded');
    const name = 'acmepagamentos_recorded.posxml';
    const ask = (query = '', headers = {}): ReturnType<typeof getAsset> =>
      getAsset(server, terminal.token, name + query, headers);
    await ask('?app=menu.posxml');
    await ask(`?crc=${crcOf(Buffer.from('bytecode of recorded'))}`);
    await ask('', { range: 'bytes=0-3' });
    await ask('', { range: 'bytes=100-' });
    await expect.poll(() => assetRequests(server.acme, terminal.serialNumber)).toHaveLength(4);
    const [outside, part, unchanged, whole] = await assetRequests(server.acme, terminal.serialNumber);
    expect(whole).toMatchObject({
      transaction_type: 'get_asset',
      serial_number: terminal.serialNumber,
      status: 'success',
      logical_number: terminal.logicalNumber,
      app_name: 'menu.posxml',
      detail: `20 bytes: ${name}`,
    });
    expect(unchanged).toMatchObject({ status: 'success', app_name: name, detail: `not changed: ${name}` });
    expect(part).toMatchObject({ status: 'success', detail: `bytes 0 to 3 of 20: ${name}` });
    expect(outside).toMatchObject({ status: 'fail', detail: `no such range of 20 bytes: ${name}` });
  });

  it('have no card numbers', async () => {
    await get('4111111111111111?app=5555555555554444');
    const [recorded] = await assetRequests(server.acme, sale.serialNumber);
    expect(JSON.stringify(recorded)).not.toMatch(/4111111111111111|5555555555554444/);
  });

  it('that end early are recorded as failed', async () => {
    const terminal = await stockedTerminal(server.acme, 'cut', LARGE);
    const slow = await openSlowly(server, terminal.token, 'acmepagamentos_cut.posxml');
    slow.destroy();
    await expect
      .poll(async () => (await assetRequests(server.acme, terminal.serialNumber))[0])
      .toMatchObject({
        status: 'fail',
        detail: expect.stringMatching(/^8388608 bytes, ended after \d+ bytes: /) as unknown,
      });
    expect(await reach(terminal.versionId)).toEqual([1, 0, 0]);
  });

  it('end when the terminal may not use the service any more', async () => {
    const terminal = await stockedTerminal(server.acme, 'ended', LARGE);
    const slow = await openSlowly(server, terminal.token, 'acmepagamentos_ended.posxml');
    await server.acme.client.put(`devices/${terminal.serialNumber}`, { enabled: false });
    await expect
      .poll(async () => (await assetRequests(server.acme, terminal.serialNumber))[0]?.status)
      .toBe('fail');
    expect(await slow.rest()).toBeLessThan(LARGE.length);
  });
});

/** Gives a terminal a version with other bytes instead of its own; resolves to its id. */
async function nextVersion(terminal: StockedTerminal): Promise<number> {
  const fields = { number: '1.1', bytecode: base64('next'), group_ids: [terminal.groupId] };
  const { id } = await softwareOf(server.acme.client).version(terminal.versionPath, fields);
  await setVersions(server.acme, terminal, id);
  return id as number;
}
const changesIn = (statements: readonly string[]): string[] =>
  statements.filter((text) => /^\s*(insert|update|delete)/i.test(text));

describe('the reach of a version', () => {
  it('counts who may get it, who downloaded it, and who has it', async () => {
    const { acme } = server;
    const terminal = await stockedTerminal(acme, 'reach');
    const name = 'acmepagamentos_reach.posxml';
    const { versionId } = terminal;
    const more = { group_id: terminal.groupId, app_version_ids: [versionId] };
    const number = await fleet.logicalNumber(acme.client, 'second of reach', more);
    const device = await fleet.device(acme.client, 'SN-reach-2', { logical_number_id: number });
    const second = await issueToken(acme, device);
    expect(await reach(versionId)).toEqual([2, 0, 0]);
    await getAsset(server, terminal.token, name);
    const crc = crcOf(Buffer.from('bytecode of reach'));
    expect((await getAsset(server, second, `${name}?crc=${crc}`)).status).toBe(304);
    await expect.poll(() => reach(versionId)).toEqual([2, 1, 2]);
    expect(await reach(terminal.moduleId)).toEqual([0, 0, 0]);

    const nextId = await nextVersion(terminal);
    await getAsTerminal(server, terminal.token, 'manifest');
    expect(await reach(versionId)).toEqual([1, 0, 1]);
    expect(await reach(nextId)).toEqual([1, 0, 0]);
    await getAsset(server, terminal.token, name);
    await expect.poll(() => reach(nextId)).toEqual([1, 1, 1]);
  });

  it('is of the present bytes', async () => {
    const { acme } = server;
    const { token, versionId, versionPath } = await stockedTerminal(acme, 'replaced');
    const name = 'acmepagamentos_replaced.posxml';
    await getAsset(server, token, name);
    await expect.poll(() => reach(versionId)).toEqual([1, 1, 1]);
    await acme.client.put(`${versionPath}/${versionId}`, { bytecode: base64('other bytes') });
    expect(await reach(versionId)).toEqual([1, 0, 0]);
    expect((await getAsset(server, token, name, { range: 'bytes=0-4' })).status).toBe(206);
    await getAsset(server, token, name, { range: 'bytes=5-' });
    await expect.poll(() => reach(versionId)).toEqual([1, 1, 1]);
  });

  it.each(['crc', 'If-None-Match'] as const)(
    'RU-54 does not count a terminal that names older bytes in %s after the download, also when it downloads again',
    async (form) => {
      const { acme } = server;
      const name = `old-${form.toLowerCase()}`;
      const terminal = await stockedTerminal(acme, name);
      const asset = `acmepagamentos_${name}.posxml`;
      const { etag } = Object.fromEntries((await getAsset(server, terminal.token, asset)).headers);
      const nextId = await nextVersion(terminal);
      const crc = crcOf(Buffer.from(`bytecode of ${name}`));
      const ask = (given = crc) =>
        form === 'crc'
          ? getAsset(server, terminal.token, `${asset}?crc=${given}`)
          : getAsset(server, terminal.token, asset, { 'if-none-match': etag ?? '' });
      const counts = async () => [await reach(terminal.versionId), await reach(nextId)];

      expect((await ask()).status).toBe(200);
      await expect.poll(counts).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ]);
      for (let again = 0; again < 2; again += 1) {
        expect((await ask()).status).toBe(200);
        await expect.poll(counts).toEqual([
          [0, 0, form === 'crc' ? 1 : 0],
          [1, 1, 0],
        ]);
      }
      await getAsset(server, terminal.token, `${asset}?crc=${crcOf(Buffer.from('next'))}`);
      expect(await counts()).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ]);
    },
  );

  it('is written only when it changes', async () => {
    const { token, versionId } = await stockedTerminal(server.acme, 'polls');
    const poll = async (): Promise<void> => {
      for (const path of ['manifest', 'params.dat']) await getAsTerminal(server, token, path);
    };
    const name = `acmepagamentos_polls.posxml?crc=${crcOf(Buffer.from('bytecode of polls'))}`;
    await getAsset(server, token, name);
    expect(await reach(versionId)).toEqual([1, 0, 1]);
    const { statements } = await server.statements(async () => {
      await poll();
      await getAsset(server, token, name);
    });
    expect(changesIn(statements).filter((text) => text.includes('terminal_versions'))).toEqual([]);
    expect(changesIn((await server.statements(poll)).statements)).toEqual([]);
  });
});
