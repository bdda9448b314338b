import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../../src/app/graphql/export-lists.js';
import { DAY, MINUTE } from '../../../src/platform/clock.js';
import { companyOf, signedIn } from '../../support/console.js';
import { answered, changed, nodeId, refused, statementsFor } from '../../support/dashboard.js';
import { exported } from '../../support/export.js';
import { fleet, ledgerOf } from '../../support/fleet.js';
import { addPerson } from '../../support/people.js';
import { type Fields, type Member, useServer } from '../../support/server.js';
import { tokenTools } from '../../support/tokens.js';

const server = useServer();
beforeAll(async () => {
  for (let n = 1; n <= 5; n += 1) await fleet.device(server.acme.client, `SN-${n}`);
});

const LONG = 'x'.repeat(17_000);
const RESULT = 'id databaseId kind state total done result { url expiresAt }';
const START = `mutation ($input: ExportStartInput!) { exportStart(input: $input) {
  job { ${RESULT} } userErrors { path code message rule } } }`;
const JOB = `query ($id: ID!) { job(id: $id) { ${RESULT} } }`;

interface Job extends Fields {
  readonly id: string;
  readonly databaseId: number;
  readonly result: { readonly url: string; readonly expiresAt: string } | null;
}
interface Started {
  readonly job: Job | null;
  readonly userErrors: readonly Fields[];
}

const start = (member: Pick<Member, 'graphql'>, input: Fields): Promise<Started> =>
  changed<Started>(member, START, { input });

const pathIn = (job: Job | null): string => job?.result?.url.replace('/export/v1/', '') ?? '';

/** The path of a new link below /export/v1. */
async function linkOf(member: Pick<Member, 'graphql'>, input: Fields = { kind: 'DEVICES' }): Promise<string> {
  const { job, userErrors } = await start(member, input);
  expect(userErrors).toEqual([]);
  return pathIn(job);
}

/** The export of a link, without a token. */
const fetched = (path: string) => exported({ client: server.anonymous }, path);
const statusOf = async (path: string): Promise<number> => (await fetched(path)).status;

describe('exportStart', () => {
  it('makes a link that works without a token, as often as it is used, with an entry for each fetch', async () => {
    const input = {
      kind: 'DEVICES',
      columns: ['serialNumber', 'enabled'],
      filter: { serialNumber: { startsWith: 'SN-' } },
    };
    const { job, userErrors } = await start(server.acme, input);
    expect(userErrors).toEqual([]);
    expect(job).toMatchObject({ kind: 'exportStart', state: 'DONE', total: 5, done: 5 });
    const path = pathIn(job);
    const { rows, totals, headers } = await fetched(path);
    expect(rows.map(([serial]) => serial)).toEqual(['serialNumber', 'SN-1', 'SN-2', 'SN-3', 'SN-4', 'SN-5']);
    expect(totals).toEqual({});
    expect(headers.get('content-disposition')).toBe('attachment; filename=devices.csv');
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await fetched(path)).rows).toEqual(rows);
    const entries = await ledgerOf(server, server.acme, 'job', job?.databaseId ?? 0);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'end', 'fetch', 'fetch']);
    const key = path.split('key=')[1] ?? '-';
    const jobs = await server.app.database.reads.selectFrom('jobs').selectAll().execute();
    for (const text of [...server.logs, JSON.stringify(entries), JSON.stringify(jobs)]) {
      expect(text).not.toContain(key);
    }
    expect(server.logs.join('')).toContain('/export/v1/jobs/{job}/file');
  });

  it('gives the records of its start, without those that came later, in the form that was asked for', async () => {
    const all = { kind: 'GROUPS', format: 'NDJSON', columns: ['name'], timeZone: 'America/Sao_Paulo' };
    await fleet.group(server.acme.client, 'first');
    const second = await fleet.group(server.acme.client, 'second');
    const [link, none] = [await linkOf(server.acme, all), await linkOf(server.beta, all)];
    await fleet.group(server.acme.client, 'later');
    await fleet.group(server.beta.client, 'later too');
    expect((await fetched(link)).records).toEqual([{ name: 'first' }, { name: 'second' }]);
    expect((await fetched(none)).records).toEqual([]);
    const { job } = await start(server.acme, { ...all, afterSequence: second });
    expect(job).toMatchObject({ total: 1 });
    expect((await fetched(pathIn(job))).records).toEqual([{ name: 'later' }]);
  });

  it('exports the ledger by its sequence, with the totals of transactions, and each list', async () => {
    const { job } = await start(server.acme, { kind: 'LEDGER', format: 'NDJSON' });
    const { records } = await fetched(pathIn(job));
    expect(records).toHaveLength(Number(job?.total));
    const { totals } = await fetched(
      await linkOf(server.acme, { kind: 'TRANSACTIONS', format: 'NDJSON', afterSequence: 1 }),
    );
    expect(totals).toEqual({
      count: 0,
      amount_total: 0,
      approved_amount: 0,
      denied_amount: 0,
      cancelled_amount: 0,
    });
    for (const name of Object.keys(EXPORTS)) {
      expect(await statusOf(await linkOf(server.acme, { kind: name.toUpperCase() })), name).toBe(200);
    }
  });

  it.each<[string, Fields, string, string]>([
    ['an unknown column', { columns: ['colour'] }, 'columns', '"colour" is no column'],
    ['a filter of an unknown field', { filter: { colour: {} } }, 'filter', '"colour" is not defined'],
    ['a filter that is a list', { filter: [1] }, 'filter', 'DeviceFilter'],
    ['a long filter', { filter: { serialNumber: { eq: LONG } } }, 'filter', 'at most 16384 bytes'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'timeZone', 'IANA time zone'],
  ])('refuses %s, and starts nothing', async (_what, given, path, message) => {
    const jobs = () => answered(server.acme, '{ jobs { totalCount } }');
    const before = await jobs();
    expect(await start(server.acme, { kind: 'DEVICES', ...given })).toMatchObject({
      job: null,
      userErrors: [
        { code: 'INVALID', path: ['input', path], message: expect.stringContaining(message) as string },
      ],
    });
    expect(await jobs()).toEqual(before);
  });

  it('is refused without the scope of the list, or of a column', async () => {
    const viewer = await server.member('acme', 'viewer');
    expect((await refused(viewer, START, { input: { kind: 'LEDGER' } })).code).toBe('FORBIDDEN');
    const hidden = { kind: 'MEMBERS', filter: { email: { contains: '@' } } };
    expect((await refused(viewer, START, { input: hidden })).code).toBe('FORBIDDEN');
    const columns = ['serial_number', 'created_by.email'];
    expect((await refused(viewer, START, { input: { kind: 'DEVICES', columns } })).code).toBe('FORBIDDEN');
    expect(await statusOf(await linkOf(viewer))).toBe(200);
    const ingest = await server.member('acme', 'admin', ['ingest']);
    expect((await refused(ingest, START, { input: { kind: 'DEVICES' } })).code).toBe('FORBIDDEN');
  });

  it('takes no Idempotency-Key, since its answer has a secret', async () => {
    const headers = { 'idempotency-key': 'one' };
    const body = { query: START, variables: { input: { kind: 'DEVICES' } } };
    const { body: reply } = await server.acme.client.post('/graphql', body, { headers });
    expect(JSON.stringify(reply)).toContain('Idempotency-Key');
    expect(JSON.stringify(reply)).not.toContain('key=');
  });
});

describe('a link to an export', () => {
  it('is shown to the person who started it only, with the scopes that it needs', async () => {
    const { job } = await start(server.acme, { kind: 'LEDGER' });
    const shownTo = async (member: Pick<Member, 'graphql'>) =>
      (await answered<{ job: Job | null }>(member, JOB, { id: job?.id })).job?.result ?? null;
    expect(await shownTo(server.acme)).toEqual(job?.result);
    expect(await shownTo(await server.member('acme', 'admin'))).toBeNull();
    const { tokenOf, callerWith } = tokenTools(server, 'id');
    const narrow = await tokenOf(server.acme, ['read']);
    expect(await shownTo(callerWith(narrow.secret))).toBeNull();
  });

  it('is 404 for a wrong, a foreign and an ended one, in one form that shows no other job', async () => {
    const path = await linkOf(server.acme);
    const [job = '', key = ''] = path.split('?key=');
    const [company, hash = ''] = key.split('-');
    const other = await linkOf(server.beta);
    const wrong = [
      `${job}?key=${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `${job}?key=${Number(company) + 1}-${hash}`,
      `${job}?key=${other.split('?key=')[1]}`,
      `${job}?key=`,
      job,
      `jobs/999999/file?key=${key}`,
      `jobs/x/file?key=${key}`,
      `jobs/99999999999999999999/file?key=99999999999999999999-${hash}`,
    ];
    for (const each of wrong) {
      const reply = await fetched(each);
      expect([reply.status, reply.code, reply.message], each).toEqual([
        404,
        'not_found',
        'No such link, or none any more.',
      ]);
      expect(reply.headers.get('content-type')).toContain('application/json');
    }
    expect(await statusOf(path)).toBe(200);
    expect((await server.anonymous.post(`/export/v1/${path}`)).status).toBe(405);
    server.clock.advance(DAY - MINUTE);
    expect(await statusOf(path)).toBe(200);
    server.clock.advance(MINUTE);
    expect(await statusOf(path)).toBe(404);
  });

  const changing = (field: string) => (member: Member) =>
    changed(server.acme, `mutation ($id: ID!) { ${field} { userErrors { message } } }`, {
      id: nodeId('User', member.caller.userId),
    });

  it.each<[string, (member: Member) => Promise<unknown>]>([
    ['is removed', changing('memberRemove(userId: $id)')],
    ['is disabled', changing('userDisable(id: $id)')],
    ['has another role', changing('memberSetRole(userId: $id, role: OPERATOR)')],
    ['has the token no more', (member) => server.revoke(member)],
  ])('ends when the person who started it %s', async (_what, lose) => {
    const member = await server.member('acme', 'admin');
    const path = await linkOf(member, { kind: 'LEDGER' });
    expect(await statusOf(path)).toBe(200);
    await lose(member);
    expect(await statusOf(path)).toBe(404);
  });

  it('needs the same statements however many columns of relations it has', async () => {
    const variables = { input: { kind: 'DEVICES' } };
    const few = await statementsFor(server, server.acme, START, variables);
    const columns = ['serial_number', 'logical_number.group.name', 'created_by.name'];
    const many = await statementsFor(server, server.acme, START, { input: { kind: 'DEVICES', columns } });
    expect(many).toHaveLength(few.length);
  });
});

describe('the cookie of a session', () => {
  it('counts for a link to an export in a page of the server, and for no other', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email);
    const cookie = browser.cookie ?? '';
    const company = (await companyOf(browser, server.url))['x-company'];
    const status = async (headers: Readonly<Record<string, string>>, path = '/export/v1/groups') =>
      (
        await server.anonymous.get(`${path}?company=${company}`, undefined, {
          headers: { cookie, ...headers },
        })
      ).status;
    const referer = `${server.url}/console/devices`;
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await status({ referer })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-origin' }, '/export/v1/tokens')).toBe(403);
    const others: Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site', referer },
      { 'sec-fetch-site': 'same-site', referer },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
      { referer: 'https://shop.example/' },
      {},
    ];
    for (const headers of others) expect(await status(headers), JSON.stringify(headers)).toBe(401);
  });
});
