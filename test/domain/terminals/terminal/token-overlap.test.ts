import { describe, expect, it } from 'vitest';

import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { actionsOf, ledgerOf } from '../../../support/fleet.js';
import { metricOf } from '../../../support/gauges.js';
import { createGraphql } from '../../../support/graphql.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Reply, useServer } from '../../../support/server.js';
import { issueToken, newTerminal, outcomeOf, report } from '../../../support/terminals.js';
import { httpTerminal } from '../../../support/waiting-terminal.js';

const server = useServer();

const issueKeeping = async (id: number, keepOldFor: string): Promise<string> => {
  const variables = { deviceId: nodeId('Device', id), keepOldFor };
  return (await mutated<{ token: string }>(server.acme, 'deviceTokenIssue', variables, 'token')).token;
};

const revoke = (id: number) => mutated(server.acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', id) });

/** Outcomes of requests with these tokens, one after the other. */
async function outcomes(...tokens: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const token of tokens) found.push(outcomeOf(await report(server, token)));
  return found;
}

const ENDED = '401 unauthenticated';

describe('deviceTokenIssue with keepOldFor', () => {
  it('lets the old token work beside the new one, used or not, exactly until the end', async () => {
    const { id, token: old } = await newTerminal(server.acme, 'KEEP-1');
    server.clock.stop();
    const token = await issueKeeping(id, '7d');
    const end = server.clock.now().getTime() + 7 * DAY;
    expect(await outcomes(old, token, old)).toEqual(['200', '200', '200']);
    server.clock.advance(7 * DAY - 1);
    expect(await outcomes(old, token)).toEqual(['200', '200']);
    server.clock.advance(1);
    expect(await outcomes(old, token)).toEqual([ENDED, '200']);
    const entries = await ledgerOf(server, server.acme, 'device_token', id);
    const state = { id, serialNumber: 'KEEP-1', lastFour: old.slice(-4) };
    expect(entries).toEqual([
      { action: 'issue', before: null, after: state },
      {
        action: 'issue',
        before: null,
        after: {
          ...state,
          lastFour: token.slice(-4),
          oldLastFour: old.slice(-4),
          oldUntil: new Date(end).toISOString(),
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(old);
  });

  it('has one old and one new token: a third ends the first, once the second was used', async () => {
    const { id, token: first } = await newTerminal(server.acme, 'KEEP-2');
    const second = await issueKeeping(id, '7d');
    expect(await outcomes(second)).toEqual(['200']);
    const third = await issueKeeping(id, '7d');
    expect(await outcomes(first, second, third)).toEqual([ENDED, '200', '200']);
  });

  it('keeps the token that the terminal has where the new one was never used', async () => {
    const { id, token: first } = await newTerminal(server.acme, 'KEEP-3');
    const lost = await issueKeeping(id, '1h');
    const third = await issueKeeping(id, '7d');
    expect(await outcomes(lost, first)).toEqual([ENDED, '200']);
    server.clock.advance(DAY);
    expect(await outcomes(first, third)).toEqual(['200', '200']);
  });

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['is revoked', revoke],
    ['is replaced at once', (id) => issueToken(server.acme, id)],
    [
      'is deleted with its device',
      () => server.acme.client.delete('devices/KEEP is deleted with its device'),
    ],
  ])('ends the old token when the new one %s', async (way, end) => {
    const { id, token: old } = await newTerminal(server.acme, `KEEP ${way}`);
    const token = await issueKeeping(id, '7d');
    expect(await outcomes(old, token)).toEqual(['200', '200']);
    await end(id);
    server.clock.advance(3_000);
    expect(await outcomes(old, token)).toEqual([ENDED, ENDED]);
  });

  it('refuses more than 30 days, and changes nothing', async () => {
    const { id, token } = await newTerminal(server.acme, 'KEEP-5');
    const long = { deviceId: nodeId('Device', id), keepOldFor: '31d' };
    const message = 'must be at most 30 days';
    await expectRefused(server.acme, 'deviceTokenIssue', long, 'INVALID keepOldFor', message);
    expect(await outcomes(token)).toEqual(['200']);
    expect(await ledgerOf(server, server.acme, 'device_token', id)).toHaveLength(1);
  });

  it('ends what waits with the old token at its end', async () => {
    const { id, token: old } = await newTerminal(server.acme, 'KEEP-6');
    await issueKeeping(id, '1h');
    const wait = httpTerminal(server.url, old).get('/notifications?wait=60');
    await expect.poll(() => metricOf(server.url, 'terminals_waiting')).toBe(1);
    server.clock.advance(60 * MINUTE);
    expect((await wait).status).toBe(401);
  });
});

const renew = async (token: string, headers = {}): Promise<Reply> =>
  await server.anonymous.post('/terminal/v1/token', undefined, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

async function renewed(token: string): Promise<string> {
  const reply = await renew(token);
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(Object.keys(reply.body)).toEqual(['token']);
  return String(reply.body.token);
}

describe('POST /terminal/v1/token', () => {
  it('shows a new token; the old one ends when the new one is used for the first time', async () => {
    const { id, token: old } = await newTerminal(server.acme, 'RENEW-1');
    const token = await renewed(old);
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    server.clock.advance(90 * DAY);
    expect(await outcomes(old, old)).toEqual(['200', '200']);
    expect(await outcomes(token)).toEqual(['200']);
    expect(await outcomes(old, token)).toEqual([ENDED, '200']);
    const state = { id, serialNumber: 'RENEW-1', lastFour: old.slice(-4) };
    const entries = await ledgerOf(server, server.acme, 'device_token', id);
    expect(entries).toEqual([
      { action: 'issue', before: null, after: state },
      { action: 'renew', before: null, after: { ...state, lastFour: token.slice(-4) } },
      { action: 'end', before: state, after: null },
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(server.logs.join('')).not.toContain(token);
  });

  it('replaces the new token that was never used, where the answer was lost', async () => {
    const { token: old } = await newTerminal(server.acme, 'RENEW-2');
    const lost = await renewed(old);
    const token = await renewed(old);
    expect(await outcomes(lost, old, token, old)).toEqual([ENDED, '200', '200', ENDED]);
    const next = await renewed(token);
    expect(await outcomes(old, token, next, token)).toEqual([ENDED, '200', '200', ENDED]);
  });

  it('counts as the first use of the new token', async () => {
    const { token: old } = await newTerminal(server.acme, 'RENEW-3');
    const second = await renewed(old);
    const third = await renewed(second);
    expect(await outcomes(old, second, third, second)).toEqual([ENDED, '200', '200', ENDED]);
  });

  it('leaves one new token of two requests at the same time, and the old one meanwhile', async () => {
    const { token: old } = await newTerminal(server.acme, 'RENEW-4');
    const both = await Promise.all([renewed(old), renewed(old)]);
    expect(await outcomes(old)).toEqual(['200']);
    expect((await outcomes(...both)).toSorted()).toEqual(['200', ENDED]);
    expect(await outcomes(old)).toEqual([ENDED]);
  });

  it('keeps the end that an administrator has set for the old token', async () => {
    const { id, token: old } = await newTerminal(server.acme, 'RENEW-5');
    const unused = await issueKeeping(id, '1h');
    const token = await renewed(old);
    expect(await outcomes(unused, old)).toEqual([ENDED, '200']);
    server.clock.advance(60 * MINUTE);
    expect(await outcomes(old, token)).toEqual([ENDED, '200']);
  });

  it('is for the token of the device itself, while its terminal may use the service', async () => {
    const { id, token } = await newTerminal(server.acme, 'RENEW-6');
    const gateway = await server.member('acme', 'operator', ['terminals']);
    const named = { 'x-serial-number': 'RENEW-6' };
    expect(outcomeOf(await renew(gateway.token, named))).toBe('403 forbidden');
    expect(outcomeOf(await renew(server.acme.token, named))).toBe('403 forbidden');
    expect(outcomeOf(await renew(token, { 'x-serial-number': 'RENEW-1' }))).toBe('403 forbidden');
    await server.acme.client.put('devices/RENEW-6', { enabled: false });
    expect(outcomeOf(await renew(token))).toBe('403 terminal_disabled');
    await revoke(id);
    expect(outcomeOf(await renew(token))).toBe(ENDED);
    expect(await actionsOf(server, server.acme, 'device_token', id)).toEqual(['issue', 'revoke']);
  });

  it('shows no token that opens GraphQL', async () => {
    const { token: old } = await newTerminal(server.acme, 'RENEW-7');
    const graphql = createGraphql(server.url, await renewed(old));
    const { body } = await graphql('{ viewer { role } }');
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });

  it('ends what waits with the old token when the new one is used', async () => {
    const { token: old } = await newTerminal(server.acme, 'RENEW-8');
    const token = await renewed(old);
    const wait = httpTerminal(server.url, old).get('/notifications?wait=60');
    await expect.poll(() => metricOf(server.url, 'terminals_waiting')).toBe(1);
    expect(await outcomes(token)).toEqual(['200']);
    expect((await wait).status).toBe(401);
  });
});
