import { describe, expect, it } from 'vitest';

import { createUnits } from '../../../src/database/units.js';
import { systemClock } from '../../../src/platform/clock.js';
import { record, report } from '../../domain/payments/transaction/records.js';
import { nodeId } from '../../support/dashboard.js';
import { fleet, recordAll } from '../../support/fleet.js';
import { useServer } from '../../support/server.js';
import { lastSequence, openStreams, subscribe, type Subscribed } from '../../support/subscribe.js';

const server = useServer();

interface Appended {
  readonly ledgerAppended: { readonly sequence: number; readonly entityType: string };
}
interface Recorded {
  readonly transactionRecorded: {
    readonly sequence: number;
    readonly transaction: { readonly databaseId: number; readonly serialNumber: string };
  };
}

const APPENDED = `subscription ($after: Int) {
  ledgerAppended(after: $after) { sequence action entityType after actor { name } company { name } }
}`;
const RECORDED = `subscription ($after: Int, $filter: TransactionFilter) {
  transactionRecorded(after: $after, filter: $filter) {
    sequence transaction { databaseId serialNumber status device { serialNumber } }
  }
}`;

const sequences = (events: readonly Appended[]): number[] =>
  events.map((event) => event.ledgerAppended.sequence);
const codeOf = async (subscription: Subscribed<unknown>): Promise<unknown> => {
  const ended = await subscription.ended;
  return Array.isArray(ended) ? (ended as { extensions: unknown }[])[0]?.extensions : ended;
};

/** The sequences of the company's ledger after one, from the database. */
async function written(companyId: number, after: number): Promise<number[]> {
  const rows = await server.place.sql<{ sequence: number }>(
    'select sequence from ledger where company_id = $1 and sequence > $2 order by sequence',
    [companyId, after],
  );
  return rows.map(({ sequence }) => sequence);
}

describe('ledgerAppended', () => {
  it('starts with the next change, and shows its actor', async () => {
    const before = await openStreams(server);
    await fleet.group(server.acme.client, 'before');
    const { until, stop } = subscribe<Appended>(server, server.acme, APPENDED);
    await expect.poll(() => openStreams(server)).toBe(before + 1);
    await fleet.group(server.acme.client, 'after');
    const [event] = await until(1);
    expect(event).toEqual({
      ledgerAppended: {
        sequence: await lastSequence(server.acme),
        action: 'create',
        entityType: 'group',
        after: expect.objectContaining({ name: 'after' }) as object,
        actor: { name: 'admin of Acme Pagamentos' },
        company: { name: 'Acme Pagamentos' },
      },
    });
    stop();
    await expect.poll(() => openStreams(server)).toBe(0);
  });

  it('resumes after any sequence, in order, across pages', async () => {
    const after = await lastSequence(server.acme);
    const serials = Array.from({ length: 350 }, (_, n) => `PAGE-${n}`);
    await server.acme.graphql(`mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count } }`, {
      s: serials,
    });
    const own = await written(server.acme.caller.companyId, after);
    expect(own.length).toBeGreaterThanOrEqual(350);
    const all = subscribe<Appended>(server, server.acme, APPENDED, { after });
    expect(sequences(await all.until(own.length))).toEqual(own);
    const half = subscribe<Appended>(server, server.acme, APPENDED, { after: own[199] });
    expect(sequences(await half.until(own.length - 200))).toEqual(own.slice(200));
    all.stop();
    half.stop();
  });

  it('runs no statements after its end', async () => {
    await expect.poll(() => openStreams(server)).toBe(0);
    const [first, second] = [0, 1].map(() => subscribe(server, server.acme, APPENDED));
    await expect.poll(() => openStreams(server)).toBe(2);
    const isLook = (text: string): boolean => /^\s*select\b[^]*last_drawn from counters/.test(text);
    let looks = 0;
    const unwatch = server.app.database.watchStatements((text) => (looks += isLook(text) ? 1 : 0));
    await fleet.group(server.acme.client, crypto.randomUUID());
    // With the event and at the next poll, once for both.
    await expect.poll(() => looks).toBeGreaterThanOrEqual(2);
    first?.stop();
    second?.stop();
    await expect.poll(() => openStreams(server)).toBe(0);
    looks = 0;
    await fleet.group(server.acme.client, crypto.randomUUID());
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    unwatch();
    expect(looks).toBe(0);
  });

  it('GQ-16 never delivers changes of another company', async () => {
    const after = await lastSequence(server.acme);
    const { events, until, stop } = subscribe<Appended>(server, server.acme, APPENDED, { after });
    const afterTheirs = await lastSequence(server.beta);
    const other = subscribe<Appended>(server, server.beta, APPENDED, { after: afterTheirs });
    for (let n = 0; n < 10; n += 1) {
      await fleet.group(server.beta.client, `theirs-${n}`);
      await fleet.group(server.acme.client, `ours-${n}`);
    }
    await until(10);
    await other.until(10);
    const { companyId } = server.acme.caller;
    expect(sequences(events)).toEqual(await written(companyId, after));
    expect(JSON.stringify(events)).not.toMatch(/theirs|Beta/);
    expect(JSON.stringify(other.events)).not.toMatch(/ours|Acme/);
    stop();
    other.stop();
  });

  it('delivers what another process writes', async () => {
    const after = await lastSequence(server.acme);
    const { until, stop } = subscribe<Appended>(server, server.acme, APPENDED, { after });
    const database = await server.place.open();
    const units = createUnits(database, systemClock);
    await units.write(server.acme.caller, (work) => recordAll(work, [report()]));
    await database.close();
    const [event] = await until(1);
    expect(event?.ledgerAppended.entityType).toBe('transaction');
    stop();
  });

  it('shows others than administrators only records that they may read, by a filter too', async () => {
    const viewer = await server.member('acme', 'viewer');
    const after = await lastSequence(server.acme);
    const filtered = `subscription ($after: Int, $filter: LedgerEntryFilter) {
      ledgerAppended(after: $after, filter: $filter) { sequence entityType } }`;
    const types = { entityType: { in: ['membership', 'user', 'access_token', 'device_token', 'device'] } };
    const all = subscribe<Appended>(server, viewer, APPENDED, { after });
    const some = subscribe<Appended>(server, viewer, filtered, { after, filter: types });
    const device = await fleet.device(server.acme.client, 'followed');
    await server.member('acme', 'operator');
    await server.acme.graphql('mutation ($id: ID!) { deviceTokenIssue(deviceId: $id) { token } }', {
      id: nodeId('Device', device),
    });
    await fleet.group(server.acme.client, 'last followed');
    const typesIn = (events: readonly Appended[]) => events.map((event) => event.ledgerAppended.entityType);
    expect(typesIn(await all.until(2))).toEqual(['device', 'group']);
    expect(typesIn(await some.until(1))).toEqual(['device']);
    const rest = subscribe<Appended>(server, viewer, APPENDED, { after: sequences(all.events)[0] ?? 0 });
    expect(typesIn(await rest.until(1))).toEqual(['group']);
    for (const { stop } of [all, some, rest]) stop();
  });

  it('needs an existing sequence', async () => {
    const negative = subscribe(server, server.acme, APPENDED, { after: -1 });
    expect(await codeOf(negative)).toMatchObject({ code: 'BAD_USER_INPUT' });
    const ahead = subscribe(server, server.acme, APPENDED, { after: 2_000_000_000 });
    const last = await lastSequence(server.acme);
    expect(await codeOf(ahead)).toEqual({ code: 'EVENTS_AHEAD', last });
    const none = subscribe(server, server.acme, APPENDED, { after: last });
    await fleet.group(server.acme.client, 'the next one');
    expect(await none.until(1)).toHaveLength(1);
    none.stop();
  });
});

/** The id of the last transaction. */
async function lastTransaction(): Promise<number> {
  const query = 'select max(id) as last from transactions where company_id = $1';
  const [{ last } = { last: 0 }] = await server.place.sql<{ last: number | null }>(query, [
    server.acme.caller.companyId,
  ]);
  return last ?? 0;
}

describe('transactionRecorded', () => {
  const serials = (events: readonly Recorded[]): string[] =>
    events.map((event) => event.transactionRecorded.transaction.serialNumber);

  it('delivers recorded transactions with their relations to callers with the scope read', async () => {
    const viewer = await server.member('acme', 'viewer');
    await fleet.device(server.acme.client, 'TERMINAL-1');
    const after = await lastTransaction();
    const { until, stop } = subscribe<Recorded>(server, viewer, RECORDED, { after });
    await record(server, server.beta, [report({ serialNumber: 'THEIRS' })]);
    await record(server, server.acme, [
      report({ serialNumber: 'TERMINAL-1' }),
      report({ serialNumber: 'NONE' }),
    ]);
    const events = await until(2);
    expect(serials(events)).toEqual(['TERMINAL-1', 'NONE']);
    expect(events[0]?.transactionRecorded).toMatchObject({
      transaction: { status: 'SUCCESS', device: { serialNumber: 'TERMINAL-1' } },
    });
    for (const { transactionRecorded: each } of events)
      expect(each.sequence).toBe(each.transaction.databaseId);
    stop();
  });

  it('is limited by a filter, and searches a range of ids at a time', async () => {
    const after = await lastTransaction();
    const many = Array.from({ length: 900 }, (_, n) =>
      report({ serialNumber: n % 300 === 299 ? 'RARE' : 'OFTEN' }),
    );
    for (let n = 0; n < 5; n += 1) await record(server, server.acme, many);
    const filter = { serialNumber: { eq: 'RARE' } };
    const { result, statements } = await server.statements(async () => {
      const rare = subscribe<Recorded>(server, server.acme, RECORDED, { after, filter });
      const events = await rare.until(15);
      await record(
        server,
        server.acme,
        ['OFTEN', 'RARE'].map((serialNumber) => report({ serialNumber })),
      );
      await rare.until(16);
      rare.stop();
      return events;
    });
    expect(serials(result)).toEqual(Array.from({ length: 16 }, () => 'RARE'));
    const reads = statements.filter((text) => text.includes('from "transactions" as "t"'));
    // 4,500 ids in ranges of 2,000, and the last one.
    expect(reads.length).toBeGreaterThanOrEqual(4);
    expect(reads.length).toBeLessThan(8);
  });

  it('reports a gap after retention, with the sequence to resume after', async () => {
    const end = await lastTransaction();
    await record(server, server.acme, [report(), report(), report()]);
    await server.place.sql('delete from transactions where id <= $1', [end + 1]);
    const extensions = { code: 'EVENTS_GONE', resumeAfter: end + 1 };
    expect(await codeOf(subscribe(server, server.acme, RECORDED, { after: end }))).toEqual(extensions);
    const resumed = subscribe<Recorded>(server, server.acme, RECORDED, { after: extensions.resumeAfter });
    const events = await resumed.until(2);
    expect(events.map((event) => event.transactionRecorded.sequence)).toEqual([end + 2, end + 3]);
    resumed.stop();
    await server.place.sql('delete from transactions');
    const nothing = subscribe<Recorded>(server, server.acme, RECORDED, { after: end + 2 });
    expect(await codeOf(nothing)).toEqual({ code: 'EVENTS_GONE', resumeAfter: end + 3 });
    const last = subscribe<Recorded>(server, server.acme, RECORDED, { after: end + 3 });
    await record(server, server.acme, [report({ serialNumber: 'NEW' })]);
    expect(serials(await last.until(1))).toEqual(['NEW']);
    last.stop();
  });
});
