import express from 'express';
import { createServer } from 'node:http';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createMetrics, kindOf, type Metrics, statementMetrics } from '../../src/http/monitoring/metrics.js';
import { OperationNames } from '../../src/http/monitoring/operations.js';
import { requestContext } from '../../src/http/request.js';
import { Slots, WaitingBytes } from '../../src/platform/client-limits.js';
import { NO_SOURCES } from '../documents/printed-tables.js';
import { useServerPerTest } from '../support/server.js';
import { subscribe } from '../support/subscribe.js';

const WATCH = 'subscription Watch { ledgerAppended { sequence } }';
const server = useServerPerTest();

const operations = (type: string, name: string): Promise<number> =>
  server.metric(`graphql_operation_duration_seconds_count{type="${type}",name="${name}"}`);

describe('durations of GraphQL operations', () => {
  it('are by type and name, over every transport', async () => {
    const { graphql } = server.acme;
    await graphql('query Fleet { groups(first: 1) { nodes { id } } }');
    await graphql('query Fleet { groups(first: 2) { nodes { id } } }');
    await graphql('{ viewer { role } }');
    await graphql('mutation Make { groupCreate(input: { name: "g" }) { group { id } } }');
    await graphql('query Fleet { unknown }');
    const { until, stop } = subscribe(server, server.acme, WATCH);
    await expect.poll(() => server.metric('graphql_streams_open{transport="websocket"}')).toBe(1);
    await server.acme.client.post('groups', { name: 'h' });
    await until(1);
    stop();
    expect(await operations('query', 'Fleet')).toBe(2);
    expect(await operations('query', 'anonymous')).toBe(1);
    expect(await operations('mutation', 'Make')).toBe(1);
    // The beginning of the stream and one event.
    expect(await operations('subscription', 'Watch')).toBe(2);
  });

  it('tell 200 names apart, and no name that may hide a number', async () => {
    const names = new OperationNames();
    const shown = Array.from({ length: 1_000 }, (_, n) => names.shown(`Q${n}`));
    expect(new Set(shown)).toEqual(new Set([...Array.from({ length: 200 }, (_, n) => `Q${n}`), 'other']));
    expect([names.shown('Q3'), names.shown('Q999'), names.shown(null)]).toEqual(['Q3', 'other', 'anonymous']);
    const fresh = new OperationNames();
    for (const name of ['_4111111111111111', 'a'.repeat(65), 'a b', '', 'é']) {
      expect(fresh.shown(name)).toBe('other');
    }
    for (let n = 0; n < 210; n += 1) await server.acme.graphql(`query N${n} { viewer { role } }`);
    const { text } = await server.anonymous.get('/metrics');
    expect(text.match(/^graphql_operation_duration_seconds_count/gm)).toHaveLength(201);
    expect(await operations('query', 'other')).toBe(10);
  });
});

describe('waiting', () => {
  it('of a change is measured by what it waits for', async () => {
    const total = (what: string) => server.metric(`database_wait_seconds_count{for="${what}"}`);
    const kinds = server.app.database.isShared
      ? ['queue', 'connection', 'company', 'commit']
      : ['queue', 'commit'];
    await server.acme.client.get('groups');
    const before = await Promise.all(kinds.map(total));
    await server.acme.client.post('groups', { name: 'waits' });
    const after = await Promise.all(kinds.map(total));
    expect(after.map((count, index) => count > (before[index] ?? 0))).toEqual(kinds.map(() => true));
  });
});

describe('SQL statements', () => {
  it('are counted and measured by kind, also those of reader threads and those that fail', async () => {
    const total = (kind: string) => server.metric(`sql_statements_total{kind="${kind}"}`);
    // In the background, the first request notes when the token was used.
    await server.acme.client.get('groups');
    const used = 'select id from access_tokens where last_used_at is not null';
    await expect.poll(() => server.place.sql(used)).toHaveLength(1);
    // The first request for the metrics reads figures in the background.
    await expect
      .poll(() => server.metric('retention_oldest_timestamp_seconds{kind="ledger"}'))
      .toBeGreaterThan(0);
    await expect.poll(() => server.metric('database_table_bytes{table="groups"}')).toBeGreaterThan(0);
    const writes = await total('write');
    const { statements } = await server.statements(() => server.acme.client.post('groups', { name: 'g' }));
    const changes = statements.filter((text) => kindOf(text) === 'write');
    expect(changes.length).toBeGreaterThan(1);
    expect((await total('write')) - writes).toBe(changes.length);
    expect(await server.metric('sql_statement_duration_seconds_count{kind="write"}')).toBe(
      await total('write'),
    );
    /** Reads counted meanwhile, in a round without a look for webhooks in the background. */
    const readsOf = (use: () => Promise<unknown>) =>
      expect.poll(async () => {
        const before = await total('read');
        await use();
        return (await total('read')) - before;
      });
    const { units, database } = server.app;
    await readsOf(() =>
      units.read(
        server.acme.caller,
        (work) => work.db.selectFrom('groups').select('id').where('company_id', '=', 1).execute(),
        { examines: true },
      ),
    ).toBe(1);
    const failing = database.reads.selectFrom('nothing' as 'groups').select('id');
    await readsOf(() => expect(failing.execute()).rejects.toThrow()).toBe(1);
  });
});

describe('connections of a pool', () => {
  it('are shown by state where there is one', async () => {
    const connections = { used: 3, idle: 7, waiting: 1 };
    const database = { ...NO_SOURCES.database, connections: () => connections };
    const text = await textOf(createMetrics({ ...NO_SOURCES, database }));
    for (const [state, number] of Object.entries(connections)) {
      expect(text).toContain(`database_connections{state="${state}"} ${number}`);
    }
    expect(text).not.toMatch(/^(?:records|deliveries_queued|database_backup_age_seconds)[ {]/m);
    const own = (await server.anonymous.get('/metrics')).text;
    const states = Object.keys(server.app.database.connections());
    expect(own.match(/^database_connections\{/gm) ?? []).toHaveLength(states.length);
  });
});

/** Response text of the metrics handler. */
async function textOf({ handler }: Metrics): Promise<string> {
  const context = requestContext({ waiting: new WaitingBytes(), slots: new Slots() });
  const listening = createServer(express().use(context).get('/', handler)).listen(0);
  onTestFinished(() => void listening.close());
  const { port } = listening.address() as { port: number };
  return await (await fetch(`http://127.0.0.1:${port}/`)).text();
}

describe('measured SQL statements', () => {
  it.each([
    ['select 1', 'read'],
    ['  \nselect 1', 'read'],
    ['pragma data_version', 'read'],
    ['with t as (select 1) select * from t', 'read'],
    ['with t as (select 1) insert into groups select * from t', 'write'],
    ['with t as (select 1) update "groups" set name = ?', 'write'],
    ['insert into groups values (?)', 'write'],
    ['UPDATE groups SET name = ?', 'write'],
    ['delete from groups', 'write'],
    ['replace into groups values (?)', 'write'],
    ['', 'read'],
  ])('are of a kind: %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('take the time from their call to their end', async () => {
    const register = new Registry();
    let now = 0;
    const started = statementMetrics(register, { elapsed: () => now });
    const end = started('select 1');
    now += 250;
    end();
    expect(await register.metrics()).toContain('sql_statement_duration_seconds_sum{kind="read"} 0.25');
  });
});
