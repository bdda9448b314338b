import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createTracing, summaryOf } from '../../../src/platform/tracing.js';
import { startCollector } from '../../support/collector.js';

const MAX_SPANS = 4_096;
const BATCH_MS = 1_000;

/** Accepts connections, and says nothing. */
async function silentCollector(): Promise<string> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

function open(url: string, warnings: object[] = []) {
  const logger = { warn: (line: object) => void warnings.push(line) };
  return createTracing({ url, share: 1, databaseSystem: 'sqlite', logger });
}

describe('spans that cannot be sent', () => {
  it('are dropped beyond a limit, also while others are on their way, with one warning', async () => {
    const warnings: object[] = [];
    const tracing = open(await silentCollector(), warnings);
    for (let n = 0; n < 10_000; n += 1) tracing.operation(true).end('query', null);
    expect(tracing.dropped()).toBe(10_000 - MAX_SPANS);
    await new Promise((resolve) => setTimeout(resolve, 1.5 * BATCH_MS));
    for (let n = 0; n < 100; n += 1) tracing.operation(true).end('query', null);
    expect(tracing.dropped()).toBe(10_100 - MAX_SPANS);
    expect(warnings).toEqual([{ dropped: 1, reason: 'too many spans wait to be sent' }]);
    // The collector never answers.
    await tracing.stop();
  });

  it('are all sent where the collector takes them', async () => {
    const collector = await startCollector();
    const tracing = open(collector.url);
    for (let n = 0; n < 1_000; n += 1) tracing.operation(true).end('query', null);
    await tracing.stop();
    expect([collector.spans().length, tracing.dropped()]).toEqual([1_000, 0]);
  });
});

describe('the span of a statement', () => {
  it('has 1,000 characters of its text, and the code of its error without the message', async () => {
    const collector = await startCollector();
    const tracing = open(collector.url);
    const operation = tracing.operation(true);
    operation.run(() => {
      tracing.statement(`select ${'a, '.repeat(1_000)} from devices`)?.();
      tracing.statement('insert into groups values (?)')?.(
        Object.assign(new Error('UNIQUE: secret'), { code: 'SQLITE_CONSTRAINT_UNIQUE' }),
      );
    });
    operation.end('query', null);
    // Statements after the end of the operation get no span.
    operation.run(() => expect(tracing.statement('select 1')).toBeNull());
    expect(tracing.statement('select 1')).toBeNull();
    await tracing.stop();
    const [long, failed] = collector.spans();
    expect(String(long?.attributes['db.query.text'])).toHaveLength(1_000);
    expect(failed).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'SQLITE_CONSTRAINT_UNIQUE' },
    });
    expect(collector.spans()).toHaveLength(3);
    expect(collector.bodies.join()).not.toContain('secret');
  });

  it.each([
    ['select "a" from "devices" where "company_id" = ?', 'SELECT devices'],
    ['\n  insert into groups (id) values (?)', 'INSERT groups'],
    ['update "logical_numbers" set "group_id" = ?', 'UPDATE logical_numbers'],
    ['delete from parameters where company_id = ?', 'DELETE parameters'],
    ['with p as (select value from json_each(?)) delete from apps where id in p', 'DELETE json_each'],
    ['select 1', 'SELECT'],
    ['pragma wal_checkpoint(truncate)', 'PRAGMA'],
    ['', 'OTHER'],
  ])('is named by what it does: %s', (sql, summary) => {
    expect(summaryOf(sql).summary).toBe(summary);
  });
});
