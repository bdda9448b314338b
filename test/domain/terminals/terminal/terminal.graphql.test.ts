import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';

import { hashToken } from '../../../../src/domain/people/access-token/access-token.model.js';
import {
  MAX_UNKNOWN_TERMINALS,
  RefusalLog,
} from '../../../../src/domain/terminals/terminal/refusal.service.js';
import type { Fields } from '../../../support/client.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Member, useServer } from '../../../support/server.js';
import { fails, issueToken, newTerminal, outcomeOf, report } from '../../../support/terminals.js';

const server = useServer();
let gateway: string;
beforeAll(async () => {
  gateway = (await server.member('acme', 'operator', ['terminals'])).token;
});

const LIST = `{ unknownTerminals(first: 50, orderBy: { field: LAST_SEEN_AT, direction: DESC }) {
  totalCount nodes { serialNumber firstSeenAt lastSeenAt count } } }`;

interface Listed {
  readonly totalCount: number;
  readonly nodes: readonly (Fields & { readonly serialNumber: string })[];
}
const listed = async (member: Member = server.acme): Promise<Listed> =>
  (await answered<{ unknownTerminals: Listed }>(member, LIST)).unknownTerminals;
const serialsOf = async (member?: Member): Promise<string[]> =>
  (await listed(member)).nodes.map(({ serialNumber }) => serialNumber);

/** Names serial numbers as a gateway does, in one node, and stores them. */
async function knock(serialNumbers: Iterable<string>): Promise<void> {
  const log = new RefusalLog(server.app.units, server.clock, fails);
  for (const serialNumber of serialNumbers) log.noteUnknown(server.acme.caller.companyId, serialNumber);
  await log.finish();
}

describe('unknownTerminals', () => {
  it('lists what gateways named, with the times and the number of requests', async () => {
    for (let n = 0; n < 3; n += 1) {
      expect(outcomeOf(await report(server, gateway, {}, 'SN-NEW'))).toBe('403 unknown_terminal');
    }
    await expect.poll(async () => (await listed()).nodes[0]?.count).toBe(3);
    expect(await listed(server.beta)).toEqual({ totalCount: 0, nodes: [] });
    const [before] = (await listed()).nodes;
    server.clock.advance(1_000);
    const from = server.clock.now().toISOString();
    await knock(['SN-NEW']);
    const [after] = (await listed()).nodes;
    expect(after).toEqual({ ...before, lastSeenAt: after?.lastSeenAt, serialNumber: 'SN-NEW', count: 4 });
    expect(String(after?.lastSeenAt) >= from).toBe(true);
  });

  it('has no terminals that a device token refused', async () => {
    const { token } = await newTerminal(server.acme, 'SN-GONE');
    await report(server, token);
    await server.acme.client.delete('devices/SN-GONE');
    expect((await report(server, token)).status).not.toBe(200);
    await knock(['SN-LATER']);
    expect(await serialsOf()).not.toContain('SN-GONE');
  });

  it('keeps the last ones of a company only, however many are named', async () => {
    const { statements } = await server.statements(() =>
      knock(Array.from({ length: 20_000 }, (_, n) => `flood ${n}`)),
    );
    // The units of 200 rows, and those that begin, count and trim.
    expect(statements.length).toBeLessThan(15);
    server.clock.advance(1_000);
    await knock(['SN-LAST']);
    const { totalCount, nodes } = await listed();
    expect(totalCount).toBe(MAX_UNKNOWN_TERMINALS);
    expect(nodes[0]?.serialNumber).toBe('SN-LAST');
    expect(await serialsOf()).not.toContain('SN-NEW');
  });
});

describe('deviceAdopt', () => {
  it('makes a device of an unknown terminal, which may then use the service', async () => {
    const number = await fleet.logicalNumber(server.acme.client, 'N-1');
    await knock(['SN-ADOPTED']);
    const variables = { serialNumber: 'SN-ADOPTED', logicalNumberId: nodeId('LogicalNumber', number) };
    const fields = 'device { serialNumber enabled logicalNumber { number } }';
    expect(await mutated(server.acme, 'deviceAdopt', variables, fields)).toEqual({
      device: { serialNumber: 'SN-ADOPTED', enabled: true, logicalNumber: { number: 'N-1' } },
    });
    expect(await serialsOf()).not.toContain('SN-ADOPTED');
    expect(outcomeOf(await report(server, gateway, {}, 'SN-ADOPTED'))).toBe('200');
    await expectRefused(server.acme, 'deviceAdopt', variables, 'NOT_FOUND serialNumber');
  });

  it('refuses a serial number that is not in the list, and a number that does not exist', async () => {
    await knock(['SN-THERE']);
    const unknown = { serialNumber: 'SN-NOT-THERE' };
    await expectRefused(server.acme, 'deviceAdopt', unknown, 'NOT_FOUND serialNumber');
    for (const logicalNumberId of [nodeId('LogicalNumber', 999), nodeId('Group', 1)]) {
      const variables = { serialNumber: 'SN-THERE', logicalNumberId };
      await expectRefused(server.acme, 'deviceAdopt', variables, 'INVALID logicalNumberId');
    }
    expect(await serialsOf()).toContain('SN-THERE');
  });

  it('is not the only way: a serial number leaves the list however its device is created', async () => {
    await knock(['SN-REST', 'SN-BULK']);
    await fleet.device(server.acme.client, 'SN-REST');
    await mutated(server.acme, 'deviceBulkCreate', { serialNumbers: ['SN-BULK'] });
    // Noted before, stored after.
    await knock(['SN-REST']);
    expect((await serialsOf()).filter((name) => /REST|BULK/.test(name))).toEqual([]);
  });
});

interface Refusal {
  readonly code: string;
  readonly at: string;
}

async function lastRefusal(id: number): Promise<Refusal | null> {
  const query = 'query ($id: ID!) { device(id: $id) { lastRefusal { code at } } }';
  const variables = { id: nodeId('Device', id) };
  return (await answered<{ device: { lastRefusal: Refusal | null } }>(server.acme, query, variables)).device
    .lastRefusal;
}

const disable = async (serialNumber: string): Promise<unknown> =>
  await server.acme.client.put(`devices/${serialNumber}`, { enabled: false });

describe('Device.lastRefusal', () => {
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

const stored = (deviceId: number) =>
  server.place.sql('select token_hash, last_four, issued_by from device_tokens where device_id = $1', [
    deviceId,
  ]);

describe('the token of a device', () => {
  it('is shown once and stored as a hash', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-HASH');
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    const { userId } = server.acme.caller;
    const row = { token_hash: hashToken(token), last_four: token.slice(-4), issued_by: userId };
    expect(await stored(id)).toEqual([row]);
    expect(server.logs.join('')).not.toContain(token);
  });

  it('ends the one before', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-AGAIN');
    expect(outcomeOf(await report(server, token))).toBe('200');
    const second = await issueToken(server.acme, id);
    expect(outcomeOf(await report(server, token))).toBe('401 unauthenticated');
    expect(outcomeOf(await report(server, second))).toBe('200');
  });

  it('ends when it is revoked, and revoking it again changes nothing', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-REVOKED');
    expect(outcomeOf(await report(server, token))).toBe('200');
    const revoke = () => mutated(server.acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', id) });
    await revoke();
    expect(outcomeOf(await report(server, token))).toBe('401 unauthenticated');
    await revoke();
    const entries = await ledgerOf(server, server.acme, 'device_token', id);
    const lastFour = token.slice(-4);
    const state = { id, serialNumber: 'SN-REVOKED', lastFour };
    expect(entries).toEqual([
      { action: 'issue', before: null, after: state },
      { action: 'revoke', before: state, after: null },
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('ends with its device, also for a device that gets its serial number', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-DELETED');
    expect(outcomeOf(await report(server, token))).toBe('200');
    await server.acme.client.delete('devices/SN-DELETED');
    // Token lookups are cached for two seconds, so either refusal is correct.
    const refusals = ['403 unknown_terminal', '401 unauthenticated'];
    expect(refusals).toContain(outcomeOf(await report(server, token)));
    const number = await fleet.logicalNumber(server.acme.client, 'number of the second');
    await fleet.device(server.acme.client, 'SN-DELETED', { logical_number_id: number });
    expect(refusals).toContain(outcomeOf(await report(server, token)));
    expect(await stored(id)).toEqual([]);
    server.clock.advance(2_001);
    expect(outcomeOf(await report(server, token))).toBe('401 unauthenticated');
  });

  it('stays when the user leaves who issued it', async () => {
    const admin = await server.member('acme', 'admin');
    const { token } = await newTerminal(admin, 'SN-STAYS');
    const user = nodeId('User', admin.caller.userId);
    await mutated(server.acme, 'memberRemove', { userId: user });
    expect(outcomeOf(await report(server, token))).toBe('200');
  });
});
