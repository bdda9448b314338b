import express from 'express';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';

import { ready, type Check, type Readiness } from '../../src/http/monitoring/health.js';
import { requestContext } from '../../src/http/request.js';
import { Slots, WaitingBytes } from '../../src/platform/client-limits.js';
import { useServerPerTest } from '../support/server.js';

const server = useServerPerTest();

/** Checks in the response of `/readyz` when all of them pass. */
const well = (): object =>
  Object.fromEntries(
    [...Object.keys(server.app.database.checks), 'running'].map((name) => [name, { ok: true }]),
  );

describe('/healthz', () => {
  it('is 200 while the process runs, without a query', async () => {
    const { result, statements } = await server.statements(() => server.anonymous.get('/healthz'));
    expect([result.status, result.body, statements]).toEqual([200, { status: 'ok' }, []]);
  });

  it('allows GET, HEAD and OPTIONS only', async () => {
    expect((await server.anonymous.request('HEAD', '/healthz')).status).toBe(200);
    const options = await server.anonymous.request('OPTIONS', '/healthz');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const reply = await server.anonymous.post('/healthz', {});
    expect([reply.status, reply.body.code]).toEqual([405, 'method_not_allowed']);
    expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('/readyz', () => {
  it('is 200 if all checks hold', async () => {
    const reply = await server.anonymous.get('/readyz');
    expect([reply.status, reply.body]).toEqual([200, { status: 'ready', checks: well() }]);
  });

  it('is 503 while the storage has a fault, and 200 after the next successful write', async () => {
    server.app.database.health.report('storage_full');
    const reply = await server.anonymous.get('/readyz');
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    const checks = { ...well(), database: { ok: false, problem: 'storage_full' } };
    expect(reply.body).toEqual({ status: 'not_ready', checks });
    await server.app.housekeeping.run();
    expect((await server.anonymous.get('/readyz')).status).toBe(200);
  });

  it('is 503 if the schema is of another version', async () => {
    await server.place.sql('delete from applied_migrations');
    const reply = await server.anonymous.get('/readyz');
    const migrations = { ok: false, problem: 'not_current' };
    expect([reply.status, reply.body.checks]).toMatchObject([503, { migrations, database: { ok: true } }]);
  });

  it('is 503 if a check fails, without the error', async () => {
    await server.place.sql('alter table applied_migrations rename to lost');
    const reply = await server.anonymous.get('/readyz');
    const migrations = { ok: false, problem: 'failed' };
    expect([reply.status, reply.body.checks]).toMatchObject([503, { migrations }]);
    expect(reply.text).not.toContain('kysely');
  });

  const holds: Check = () => Promise.resolve(null);
  const noted: Check = () => Promise.resolve({ note: 'running' });
  const full: Check = () => Promise.resolve('full');

  it.each<[string, Readiness['problem'], Check, number, object]>([
    ['ready', null, holds, 200, { disk: { ok: true }, running: { ok: true } }],
    ['ready with a note', null, noted, 200, { disk: { ok: true, note: 'running' } }],
    ['not ready where there is no room', null, full, 503, { disk: { ok: false, problem: 'full' } }],
    ['not ready before all is loaded', 'starting', holds, 503, { running: { problem: 'starting' } }],
    ['not ready once it stops', 'stopping', holds, 503, { running: { problem: 'stopping' } }],
  ])('is %s', async (_what, problem, disk, status, checks) => {
    const context = requestContext({ waiting: new WaitingBytes(), slots: new Slots() });
    const listening = createServer(
      express().use(context).get('/readyz', ready({ problem }, { disk })),
    ).listen(0);
    onTestFinished(() => void listening.close());
    const { port } = listening.address() as { port: number };
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([reply.status, await reply.json()]).toMatchObject([
      status,
      { status: status === 200 ? 'ready' : 'not_ready', checks },
    ]);
  });
});
