import { describe, expect, it } from 'vitest';

import { takeJobStep } from '../../../../src/domain/base/job/job.service.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { answered, changed, nodeId, refused } from '../../../support/dashboard.js';
import { exported } from '../../../support/export.js';
import { ledgerOf } from '../../../support/fleet.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import { issueToken, newTerminal, outcomeOf, report, REVOKE } from '../../../support/terminals.js';

const server = useServer();

const CHANGE = `mutation ($target: DeviceTargetInput!, $token: DeviceTokenChangeInput, $dryRun: Boolean) {
  deviceBulkChange(target: $target, change: { token: $token }, dryRun: $dryRun) {
    count job { id databaseId } userErrors { path code message } } }`;

interface Started extends Fields {
  readonly count: number | null;
  readonly job: { readonly id: string; readonly databaseId: number } | null;
}

const named = (name: string): Fields => ({ filter: { serialNumber: { startsWith: name } } });

const rotate = (name: string, token: Fields, member = server.acme): Promise<Started> =>
  changed<Started>(member, CHANGE, { target: named(name), token });

/** Rotates tokens, and resolves to the number of the job when it has ended. */
async function rotated(name: string, token: Fields): Promise<number> {
  const { job } = await rotate(name, token);
  await server.app.steps.idle();
  return job?.databaseId ?? 0;
}

const fileOf = (job: number, member: Pick<Member, 'client'> = server.acme) =>
  exported(member, `jobs/${job}/tokens`);

/** Tokens in the file of a job by serial number. */
const tokensOf = async (job: number): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await fileOf(job)).rows.slice(1).map(([serial = '', token = '']) => [serial, token]));

const resultOf = async (job: number): Promise<unknown> =>
  (
    await answered<{ job: { result: unknown } }>(
      server.acme,
      'query ($id: ID!) { job(id: $id) { result { url expiresAt } } }',
      { id: nodeId('Job', job) },
    )
  ).job.result;

async function outcomes(...tokens: (string | undefined)[]): Promise<string[]> {
  const found: string[] = [];
  for (const token of tokens) found.push(outcomeOf(await report(server, token ?? '')));
  return found;
}

const ENDED = '401 unauthenticated';

describe('deviceBulkChange of tokens', () => {
  it('issues a token for each device, in a file that shows the same at each fetch', async () => {
    const olds = [await newTerminal(server.acme, 'FLEET "1"'), await newTerminal(server.acme, 'FLEET 2')];
    const job = await rotated('FLEET', { keepOldFor: '7d' });
    const file = await fileOf(job);
    expect([file.status, file.headers.get('content-type'), file.headers.get('cache-control')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ]);
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="tokens-${job}.csv"`);
    expect(file.rows.map(([serial]) => serial)).toEqual(['serial_number', 'FLEET "1"', 'FLEET 2']);
    expect(file.totals).toEqual({ count: 2 });
    expect((await fileOf(job)).text).toBe(file.text);
    const tokens = Object.values(await tokensOf(job));
    expect(await outcomes(...tokens, ...olds.map(({ token }) => token))).toEqual(Array(4).fill('200'));
    server.clock.advance(7 * DAY);
    expect(await outcomes(...tokens, ...olds.map(({ token }) => token))).toEqual([
      '200',
      '200',
      ENDED,
      ENDED,
    ]);
  });

  it('stores no text of a token, neither in the database nor in the ledger or the log', async () => {
    await newTerminal(server.acme, 'SECRET 1');
    const job = await rotated('SECRET', {});
    const { 'SECRET 1': token = '' } = await tokensOf(job);
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    const tables = ['device_tokens', 'jobs', 'job_parts', 'ledger'] as const;
    for (const table of tables) {
      const rows = await server.app.database.reads.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(token);
    }
    expect(server.logs.join('')).not.toContain(token);
    const entries = await ledgerOf(server, server.acme, 'job', job);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'end', 'fetch']);
  });

  it('leaves out tokens that were replaced or revoked since, and devices that are gone', async () => {
    const ids: Record<string, number> = {};
    for (const name of ['renewed', 'issued', 'revoked', 'deleted', 'kept']) {
      ids[name] = (await newTerminal(server.acme, `LEFT ${name}`)).id;
    }
    const job = await rotated('LEFT', { keepOldFor: '1h' });
    const tokens = await tokensOf(job);
    await server.anonymous.post('/terminal/v1/token', undefined, {
      headers: { authorization: `Bearer ${tokens['LEFT renewed']}` },
    });
    await issueToken(server.acme, ids.issued ?? 0);
    await changed(server.acme, REVOKE, { id: nodeId('Device', ids.revoked ?? 0) });
    await server.acme.client.delete('devices/LEFT%20deleted');
    expect(await tokensOf(job)).toEqual({ 'LEFT kept': tokens['LEFT kept'] });
  });

  it('has a file until 24 hours after its end, for administrators of its company', async () => {
    await newTerminal(server.acme, 'TIME 1');
    const job = await rotated('TIME', {});
    expect(await resultOf(job)).toEqual({
      url: `/export/v1/jobs/${job}/tokens`,
      expiresAt: expect.stringMatching(/Z$/) as string,
    });
    const operator = await server.member('acme', 'operator');
    const viewer = await server.member('acme', 'viewer');
    for (const member of [operator, viewer]) {
      expect(await fileOf(job, member)).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(await fileOf(job, server.beta)).toMatchObject({ status: 404, message: 'No such job.' });
    const path = `/export/v1/jobs/${job}/tokens`;
    const { 'TIME 1': token } = await tokensOf(job);
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.anonymous.get(path, undefined, { headers })).status).toBe(403);
    expect((await server.anonymous.get(path)).status).toBe(401);
    server.clock.advance(DAY - MINUTE);
    expect((await fileOf(job)).status).toBe(200);
    server.clock.advance(MINUTE);
    expect(await fileOf(job)).toMatchObject({ status: 404, message: 'No such file of tokens.' });
  });

  it('is refused without ADMIN, for too long, and changes nothing then, nor with dryRun', async () => {
    const { token } = await newTerminal(server.acme, 'REFUSED 1');
    const operator = await server.member('acme', 'operator');
    const target = named('REFUSED');
    expect((await refused(operator, CHANGE, { target, token: {} })).code).toBe('FORBIDDEN');
    expect(await rotate('REFUSED', { keepOldFor: '31d' })).toMatchObject({
      job: null,
      userErrors: [
        { path: ['change', 'token', 'keepOldFor'], code: 'INVALID', message: 'must be at most 30 days' },
      ],
    });
    expect(await changed(server.acme, CHANGE, { target, token: {}, dryRun: true })).toMatchObject({
      count: 1,
      job: null,
    });
    await server.app.steps.idle();
    expect(await outcomes(token)).toEqual(['200']);
  });

  it('ends with the rights of the person who started it', async () => {
    const admin = await server.member('acme', 'admin');
    const { token } = await newTerminal(server.acme, 'DEMOTED 1');
    await server.app.steps.stop();
    const { job } = await rotate('DEMOTED', {}, admin);
    const demote = `mutation ($id: ID!) { memberSetRole(userId: $id, role: OPERATOR) { userErrors { message } } }`;
    expect(await changed(server.acme, demote, { id: nodeId('User', admin.caller.userId) })).toMatchObject({
      userErrors: [],
    });
    await takeJobStep(server.app.units, 0, 'secret');
    const state = 'query ($id: ID!) { job(id: $id) { state result { url } } }';
    expect(await answered(server.acme, state, { id: job?.id })).toMatchObject({ job: { state: 'FAILED' } });
    expect(await outcomes(token)).toEqual(['200']);
  });
});
