import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { answered, nodeId } from '../../../support/dashboard.js';
import { useServer } from '../../../support/server.js';
import { newTerminal, report } from '../../../support/terminals.js';

const server = useServer();

interface Refusal {
  readonly code: string;
  readonly at: string;
}

async function lastRefusal(id: number): Promise<Refusal | null> {
  const query = 'query ($id: ID!) { device(id: $id) { lastRefusal { code at } } }';
  const data = await answered<{ device: { lastRefusal: Refusal | null } }>(server.acme, query, {
    id: nodeId('Device', id),
  });
  return data.device.lastRefusal;
}

/** The refusals of a company are written once a second, so the last one waits for that long. */

const disable = async (serialNumber: string): Promise<unknown> =>
  await server.acme.client.put(`devices/${serialNumber}`, { enabled: false });

describe('Device.lastRefusal', () => {
  it('is null for a device that was never refused', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-1');
    await report(server, token);
    expect(await lastRefusal(id)).toBeNull();
  });

  it('says why and when, and changes neither the device nor the ledger', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-2');
    await disable('SN-2');
    const before = await server.acme.client.get(`devices/${id}`);
    const from = server.clock.now().toISOString();
    await report(server, token);
    await expect.poll(() => lastRefusal(id)).toMatchObject({ code: 'TERMINAL_DISABLED' });
    const { at = '' } = (await lastRefusal(id)) ?? {};
    expect(at >= from && at <= server.clock.now().toISOString()).toBe(true);
    const after = await server.acme.client.get(`devices/${id}`);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });

  it('is written once a minute, however often the terminal asks', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-3');
    await disable('SN-3');
    const { statements } = await server.statements(async () => {
      for (let n = 0; n < 20; n += 1) await report(server, token);
      await expect.poll(() => lastRefusal(id)).not.toBeNull();
      for (let n = 0; n < 20; n += 1) await report(server, token);
      await setTimeout(400);
    });
    expect(statements.filter((text) => text.includes('insert into terminal_refusals'))).toHaveLength(1);
    const first = await lastRefusal(id);
    server.clock.advance(61_000);
    await report(server, token);
    await expect.poll(() => lastRefusal(id)).not.toEqual(first);
  });
});
