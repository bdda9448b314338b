import { describe, expect, it } from 'vitest';

import { hashToken } from '../../../../src/domain/people/access-token/access-token.model.js';
import { changed, nodeId, refused } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';
import { ISSUE, issueToken, newTerminal, outcomeOf, report, REVOKE } from '../../../support/terminals.js';

const server = useServer();

const stored = async (deviceId: number): Promise<unknown> =>
  await server.app.database.reads
    .selectFrom('device_tokens')
    .select(['token_hash', 'last_four', 'issued_by'])
    .where('device_id', '=', deviceId)
    .execute();

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
    const revoked = { device: { serialNumber: 'SN-REVOKED' }, userErrors: [] };
    expect(await changed(server.acme, REVOKE, { id: nodeId('Device', id) })).toEqual(revoked);
    expect(outcomeOf(await report(server, token))).toBe('401 unauthenticated');
    expect(await changed(server.acme, REVOKE, { id: nodeId('Device', id) })).toEqual(revoked);
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
    await changed(server.acme, `mutation { memberRemove(userId: "${user}") { userErrors { message } } }`);
    expect(outcomeOf(await report(server, token))).toBe('200');
  });

  it.each([ISSUE, REVOKE])('is for administrators, and for devices of the company only: %s', async (text) => {
    const { id } = await newTerminal(server.beta, `SN-BETA ${text.length}`);
    const variables = { id: nodeId('Device', id) };
    const error = { path: ['deviceId'], code: 'NOT_FOUND', message: 'No such device.' };
    expect(await changed(server.acme, text, variables)).toMatchObject({ userErrors: [error] });
    const group = { id: nodeId('Group', id) };
    expect(await changed(server.beta, text, group)).toMatchObject({ userErrors: [error] });
    const operator = await server.member('beta', 'operator');
    expect((await refused(operator, text, variables)).code).toBe('FORBIDDEN');
    expect(await stored(id)).toHaveLength(1);
  });

  it('takes no Idempotency-Key and appears once in an operation: its response shows a secret', async () => {
    const { id } = await newTerminal(server.acme, 'SN-KEY');
    const headers = { 'idempotency-key': 'a-key' };
    const { body } = await server.acme.graphql(ISSUE, { id: nodeId('Device', id) }, { headers });
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    const one = `deviceTokenIssue(deviceId: "${nodeId('Device', id)}") { token }`;
    const twice = await server.acme.graphql(`mutation { a: ${one} b: ${one} }`);
    expect(twice.body.errors).toMatchObject([{ extensions: { limit: 'sensitiveMutations' } }]);
  });
});
