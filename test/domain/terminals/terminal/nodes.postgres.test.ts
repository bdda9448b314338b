import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Server } from '../../../../src/app/server.js';
import { TICK_MS, TICKS_PER_CHECK } from '../../../../src/domain/messages/notification/waiting.service.js';
import { CACHED_MS } from '../../../../src/domain/people/access-token/authentication.service.js';
import { SECOND } from '../../../../src/platform/clock.js';
import { CHECK_MS } from '../../../../src/terminal/router.js';
import { nodeId } from '../../../support/dashboard.js';
import { metricOf } from '../../../support/gauges.js';
import { ingestRows, ndjson, openLines, totalsOf } from '../../../support/line-stream.js';
import { mutated } from '../../../support/mutations.js';
import { openServer, useServer } from '../../../support/server.js';
import { stockedTerminal, type StockedTerminal } from '../../../support/stocked-terminal.js';
import { assetRequests, getAsset, newTerminal, openSlowly } from '../../../support/terminals.js';
import { httpTerminal } from '../../../support/waiting-terminal.js';

/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'large');
const server = useServer({ rateLimitPerHour: 100_000 });
let other: Server;
/** URL of the other node. */
let url: string;
/** URLs of both nodes. */
let urls: readonly string[];
beforeAll(async () => {
  other = await openServer(server.place.url);
  url = await other.start();
  urls = [server.url, url];
});
afterAll(async () => {
  await other.stop(1_000);
});

const assetOf = (name: string): string => `acmepagamentos_${name}.posxml`;
/** Statuses of the requests that the terminal has sent for an asset: other assets are asked for meanwhile. */
const outcomes = async ({ serialNumber }: StockedTerminal, asset: string): Promise<readonly unknown[]> =>
  (await assetRequests(server.acme, serialNumber))
    .filter(({ detail }) => String(detail).endsWith(`: ${asset}`))
    .map(({ status }) => status);

describe('AT-33 what one node changes, at another one', () => {
  it('ends the access of a disabled device, and its download in progress', async () => {
    const terminal = await stockedTerminal(server.acme, 'disabled', LARGE);
    const { token, serialNumber } = terminal;
    expect((await getAsset({ url }, token, assetOf('disabled-module'))).status).toBe(200);
    const slow = await openSlowly({ url }, token, assetOf('disabled'));
    expect((await server.acme.client.put(`devices/${serialNumber}`, { enabled: false })).status).toBe(200);
    expect((await getAsset({ url }, token, assetOf('disabled-module'))).status).toBe(403);
    await expect.poll(() => outcomes(terminal, assetOf('disabled'))).toEqual(['fail']);
    expect(await slow.rest()).toBeLessThan(LARGE.length);
  });

  it('ends the access of a deleted device', async () => {
    const { token, serialNumber } = await stockedTerminal(server.acme, 'deleted');
    expect((await getAsset({ url }, token, assetOf('deleted'))).status).toBe(200);
    expect((await server.acme.client.delete(`devices/${serialNumber}`)).status).toBe(200);
    expect((await getAsset({ url }, token, assetOf('deleted'))).status).toBeGreaterThanOrEqual(401);
  });

  it('ends the access with a revoked token, and a download in progress', async () => {
    const terminal = await stockedTerminal(server.acme, 'revoked', LARGE);
    const slow = await openSlowly({ url }, terminal.token, assetOf('revoked'));
    await mutated(server.acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', terminal.deviceId) });
    await expect
      .poll(async () => (await getAsset({ url }, terminal.token, assetOf('revoked-module'))).status)
      .toBe(401);
    await expect.poll(() => outcomes(terminal, assetOf('revoked'))).toEqual(['fail']);
    expect(await slow.rest()).toBeLessThan(LARGE.length);
  });

  it('ends a stream to ingest whose token is revoked', async () => {
    const { token, caller } = await server.member('acme', 'operator', ['ingest']);
    const stream = openLines(url, token);
    await stream.write(ndjson(ingestRows(500)));
    const count = async (): Promise<unknown> =>
      (await server.acme.client.get('transactions', undefined, { query: { transaction_type: 'switch' } }))
        .body.pagination;
    await expect.poll(count).toMatchObject({ total_entries: 500 });
    const id = nodeId('ApiToken', caller.tokenId ?? 0);
    await mutated(server.acme, 'apiTokenRevoke', { id });
    const isRefused = async (): Promise<boolean> => {
      const refused = openLines(url, token);
      refused.sent.end();
      return (await refused.reply()).status === 401;
    };
    await expect.poll(isRefused).toBe(true);
    await stream.write(ndjson(ingestRows(500, 1_000)));
    const { lines } = await stream.end();
    expect(lines).toMatchObject([{ error: { code: 'unauthenticated' }, ...totalsOf(500) }]);
    expect(await count()).toMatchObject({ total_entries: 500 });
  });
});

describe('AT-33 a terminal that may not use the service any more', () => {
  it('is shut out of every node within 5 seconds, by the times after which nodes look again', () => {
    // A token may have been looked up just before the change, and the check have taken place just before it expires.
    expect(CHECK_MS + CACHED_MS).toBeLessThanOrEqual(5 * SECOND);
    expect(TICKS_PER_CHECK * TICK_MS + CACHED_MS).toBeLessThanOrEqual(5 * SECOND);
  });

  it.each<
    [string, (device: { readonly id: number; readonly serialNumber: string }) => Promise<unknown>, number[]]
  >([
    [
      'disabled',
      ({ serialNumber }) => server.acme.client.put(`devices/${serialNumber}`, { enabled: false }),
      [403],
    ],
    [
      'without its number',
      ({ serialNumber }) => server.acme.client.put(`devices/${serialNumber}`, { logical_number_id: null }),
      [403],
    ],
    ['deleted', ({ serialNumber }) => server.acme.client.delete(`devices/${serialNumber}`), [401, 403]],
    [
      'without its token',
      ({ id }) => mutated(server.acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', id) }),
      [401],
    ],
  ])(
    'has its streams and waits ended on both nodes, and no further call is answered: %s',
    async (state, change, statuses) => {
      const serialNumber = `SN-shut-out-${state}`;
      const { id, token } = await newTerminal(server.acme, serialNumber);
      const bystander = await newTerminal(server.acme, `SN-beside-${state}`);
      const terminals = urls.map((url) => httpTerminal(url, token));
      const besides = urls.map((url) => httpTerminal(url, bystander.token));
      const streams = await Promise.all(terminals.map((terminal) => terminal.stream()));
      const besideStreams = await Promise.all(besides.map((terminal) => terminal.stream()));
      expect([...streams, ...besideStreams].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const waits = terminals.map((terminal) => terminal.get('/notifications?wait=30'));
      for (const url of urls) await expect.poll(() => metricOf(url, 'terminals_waiting')).toBe(3);

      await change({ id, serialNumber });
      await Promise.all(streams.map(({ ended }) => ended));
      for (const { status } of await Promise.all(waits)) expect(statuses).toContain(status);
      for (const terminal of terminals) {
        const calls = async (): Promise<number[]> => [
          ...(
            await Promise.all(
              ['/manifest', '/params.dat', '/notifications'].map((path) => terminal.get(path)),
            )
          ).map(({ status }) => status),
          (await terminal.stream()).status,
        ];
        await expect
          .poll(async () => (await calls()).every((status) => statuses.includes(status)))
          .toBe(true);
      }
      for (const beside of besides) expect((await beside.get('/manifest')).status).toBe(200);
      for (const stream of besideStreams) stream.close();
      for (const url of urls) await expect.poll(() => metricOf(url, 'terminals_waiting')).toBe(0);
    },
  );

  it('has what its old token opened ended on both nodes, once the new one was used at one of them', async () => {
    const { token: old } = await newTerminal(server.acme, 'SN-renewed');
    const renewal = await httpTerminal(server.url, old).get('/token', 'POST');
    const streams = await Promise.all(urls.map((each) => httpTerminal(each, old).stream()));
    const waits = urls.map((each) => httpTerminal(each, old).get('/notifications?wait=30'));
    for (const each of urls) await expect.poll(() => metricOf(each, 'terminals_waiting')).toBe(2);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);

    expect((await httpTerminal(url, String(renewal.body.token)).get('/manifest')).status).toBe(200);
    await Promise.all(streams.map(({ ended }) => ended));
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([401, 401]);
    for (const each of urls) expect((await httpTerminal(each, old).get('/manifest')).status).toBe(401);
  });
});
