import { describe, expect, it } from 'vitest';

import { takeJobStep } from '../../../../src/domain/base/job/job.service.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { answered, nodeId, refused } from '../../../support/dashboard.js';
import { exported } from '../../../support/export.js';
import { actionsOf } from '../../../support/fleet.js';
import { expectRefused, mutated, mutationOf } from '../../../support/mutations.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import { issueToken, newTerminal, outcomeOf, report } from '../../../support/terminals.js';

const server = useServer();

interface Started {
  readonly count: number | null;
  readonly job: { readonly id: string; readonly databaseId: number } | null;
}

const named = (name: string): Fields => ({ filter: { serialNumber: { startsWith: name } } });

const rotation = (name: string, token: Fields = {}, dryRun = false): Fields => ({
  target: named(name),
  change: { token },
  dryRun,
});
const rotate = (member: Member, variables: Fields): Promise<Started> =>
  mutated<Started>(member, 'deviceBulkChange', variables, 'count job { id databaseId }');

/** Rotates tokens, and resolves to the number of the job when it has ended. */
async function rotated(name: string, token: Fields): Promise<number> {
  const { job } = await rotate(server.acme, rotation(name, token));
  await server.app.steps.idle();
  return job?.databaseId ?? 0;
}

const fileOf = (job: number, member: Pick<Member, 'client'> = server.acme) =>
  exported(member, `jobs/${job}/tokens`);

/** Tokens in the file of a job by serial number. */
const tokensOf = async (job: number): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await fileOf(job)).rows.slice(1).map(([serial = '', token = '']) => [serial, token]));

const resultOf = async (job: number): Promise<unknown> => {
  const query = 'query ($id: ID!) { job(id: $id) { result { url expiresAt } } }';
  return (await answered<{ job: Fields }>(server.acme, query, { id: nodeId('Job', job) })).job.result;
};

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
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename=tokens-${job}.csv`);
    expect(file.rows.map(([serial]) => serial)).toEqual(['serial_number', 'FLEET "1"', 'FLEET 2']);
    expect(file.text).toMatch(/^serial_number,token\r\n.+,[0-9a-f]+\r\nFLEET 2,[0-9a-f]+\r\n$/);
    expect((await fileOf(job)).text).toBe(file.text);
    const tokens = Object.values(await tokensOf(job));
    expect(await outcomes(...tokens, ...olds.map(({ token }) => token))).toEqual(Array(4).fill('200'));
    server.clock.advance(7 * DAY);
    const ended = ['200', '200', ENDED, ENDED];
    expect(await outcomes(...tokens, ...olds.map(({ token }) => token))).toEqual(ended);
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
    expect(await actionsOf(server, server.acme, 'job', job)).toEqual(['create', 'end', 'fetch']);
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
    await mutated(server.acme, 'deviceTokenRevoke', { deviceId: nodeId('Device', ids.revoked ?? 0) });
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
    const bulk = mutationOf('deviceBulkChange');
    expect((await refused(operator, bulk, rotation('REFUSED'))).code).toBe('FORBIDDEN');
    const long = rotation('REFUSED', { keepOldFor: '31d' });
    const path = 'change.token.keepOldFor';
    await expectRefused(server.acme, 'deviceBulkChange', long, `INVALID ${path}`, 'must be at most 30 days');
    expect(await rotate(server.acme, rotation('REFUSED', {}, true))).toEqual({ count: 1, job: null });
    await server.app.steps.idle();
    expect(await outcomes(token)).toEqual(['200']);
  });

  it('ends with the rights of the person who started it', async () => {
    const admin = await server.member('acme', 'admin');
    const { token } = await newTerminal(server.acme, 'DEMOTED 1');
    await server.app.steps.stop();
    const { job } = await rotate(admin, rotation('DEMOTED'));
    const userId = nodeId('User', admin.caller.userId);
    await mutated(server.acme, 'memberSetRole', { userId, role: 'OPERATOR' });
    await takeJobStep(server.app.units, 0, 'secret');
    const state = 'query ($id: ID!) { job(id: $id) { state result { url } } }';
    expect(await answered(server.acme, state, { id: job?.id })).toMatchObject({ job: { state: 'FAILED' } });
    expect(await outcomes(token)).toEqual(['200']);
  });
});
