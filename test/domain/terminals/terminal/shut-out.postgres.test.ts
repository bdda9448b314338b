import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Server } from '../../../../src/app/server.js';
import { TICK_MS, TICKS_PER_CHECK } from '../../../../src/domain/messages/notification/waiting.service.js';
import { CACHED_MS } from '../../../../src/domain/people/access-token/authentication.service.js';
import { SECOND } from '../../../../src/platform/clock.js';
import { CHECK_MS } from '../../../../src/terminal/open-exchanges.js';
import { changed, nodeId } from '../../../support/dashboard.js';
import { metricOf } from '../../../support/gauges.js';
import { openServer, useServer } from '../../../support/server.js';
import { newTerminal, REVOKE } from '../../../support/terminals.js';
import { httpTerminal } from '../../../support/waiting-terminal.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let other: Server;
/** URLs of both nodes. */
let urls: readonly string[];
beforeAll(async () => {
  other = await openServer(server.place.url);
  urls = [server.url, await other.start()];
});
afterAll(async () => {
  await other.stop(1_000);
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
    ['without its token', ({ id }) => changed(server.acme, REVOKE, { id: nodeId('Device', id) }), [401]],
  ])(
    'has its streams and waits ended on both nodes, and no further call is answered: %s',
    async (state, change, statuses) => {
      const serialNumber = `SN-${state}`;
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
});
