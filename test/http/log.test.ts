import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { warningOfMany } from '../../src/http/monitoring/metrics.js';
import { createLogger, LogSink } from '../../src/platform/logger.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { ownServer, useServer } from '../support/server.js';

const server = useServer();

type Line = Record<string, unknown>;

/** Waits for the log line of a request. */
async function lineOf(requestId: string): Promise<Line> {
  const find = (): Line | undefined =>
    server.logs
      .map((text) => JSON.parse(text) as Line)
      .find((line) => line.request_id === requestId && line.msg === 'request');
  await expect.poll(find).toBeDefined();
  return find() ?? {};
}

const named = (id: string) => ({ headers: { 'x-request-id': id } });

describe('the log', () => {
  it('has one line for each request: caller, path template and status', async () => {
    const { client, caller } = server.acme;
    await client.post('groups', { name: 'logged' }, named('create-1'));
    const { time, duration_ms: duration, ...line } = await lineOf('create-1');
    expect(line).toEqual({
      level: 'info',
      msg: 'request',
      request_id: 'create-1',
      method: 'POST',
      path: '/v1/groups',
      status: 201,
      ip: '127.0.0.1',
      company_id: caller.companyId,
      user_id: caller.userId,
    });
    expect(String(time)).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    expect(duration).toBeGreaterThanOrEqual(0);
    expect(server.logs.filter((text) => text.includes('create-1'))).toHaveLength(1);
  });

  it.each([
    ['a query', 'query Fleet { viewer { role } }', 'query', 'Fleet'],
    ['a change', 'mutation Make { groupCreate(input: { name: "m" }) { group { id } } }', 'mutation', 'Make'],
    ['no name', '{ viewer { role } }', 'query', 'anonymous'],
    ['a name that may hide a number', 'query N4111111111111111 { viewer { role } }', 'query', 'other'],
  ])('has type and name of a GraphQL operation: %s', async (what, query, operation, name) => {
    const id = `operation-${what.replaceAll(' ', '-')}`;
    await server.acme.graphql(query, {}, named(id));
    expect(await lineOf(id)).toMatchObject({ path: '/graphql', operation, operation_name: name });
  });

  it.each([
    ['a record', 'GET', '/v1/groups/CONFIDENTIAL?x=CONFIDENTIAL', '/v1/groups/{group_name}', 404],
    ['the other name of a path', 'PUT', '/v1/devices/CONFIDENTIAL', '/v1/devices/{serial_number}', 404],
    ['a method that is not there', 'PATCH', '/v1/groups/CONFIDENTIAL', '/v1/groups/{group_name}', 405],
    ['a path that is not there', 'GET', '/v1/CONFIDENTIAL', '(unknown)', 404],
    ['a path that is not well encoded', 'GET', '/v1/groups/%ZZCONFIDENTIAL', '(unknown)', 400],
    ['health', 'GET', '/healthz?CONFIDENTIAL', '/healthz', 200],
  ])('has the path template of %s', async (what, method, path, template, status) => {
    const id = what.replaceAll(' ', '-');
    await server.acme.client.request(method, path, undefined, named(id));
    expect(await lineOf(id)).toMatchObject({ path: template, status });
    expect(server.logs.join('')).not.toContain('CONFIDENTIAL');
  });

  it('has no error for a request that is answered with 503', async () => {
    server.app.database.health.report('storage_full');
    await server.anonymous.get('/readyz', undefined, named('unavailable'));
    expect(await lineOf('unavailable')).toMatchObject({ level: 'info', status: 503 });
    await server.app.housekeeping.run();
  });

  it('has one warning with the number of all requests of ten seconds that are answered with 503', () => {
    vi.useFakeTimers();
    try {
      const warnings: unknown[] = [];
      const count = warningOfMany({ warn: (fields: unknown) => void warnings.push(fields) });
      for (let n = 0; n < 9_505; n += 1) count();
      expect(warnings).toEqual([]);
      vi.advanceTimersByTime(60_000);
      expect(warnings).toEqual([{ requests: 9_505, seconds: 10 }]);
      count();
      vi.advanceTimersByTime(60_000);
      expect(warnings.slice(1)).toEqual([{ requests: 1, seconds: 10 }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has no caller without a valid token', async () => {
    await server.anonymous.get('groups', undefined, named('nobody'));
    const line = await lineOf('nobody');
    expect(line).toMatchObject({ status: 401, path: '/v1/groups' });
    expect(Object.keys(line)).not.toContain('company_id');
  });

  it('marks requests whose client disconnected', async () => {
    const { token } = server.acme;
    const sent = request(`${server.url}/v1/groups?access_token=${token}`, {
      method: 'POST',
      headers: { 'x-request-id': 'gone', 'content-length': 10, expect: '100-continue' },
    });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    // The server waits for the body.
    await once(sent, 'continue');
    sent.destroy();
    expect(await lineOf('gone')).toMatchObject({ status: 499, aborted: true });
  });

  it('RI-34 has one line per request, whatever the texts contain', async () => {
    const { client } = server.acme;
    const text = 'first\r\nsecond \u001b[2J {"level":"fatal"} \u2028';
    const app = await client.post('apps', { name: 'escapes', description: text }, named('escapes-1'));
    expect(app.record('app').description).toBe(text);
    await client.post('logical_numbers', { number: 'escapes' });
    const target = { range: 'specific_logical_numbers', logical_numbers: 'escapes' };
    const headers = { 'user-agent': 'x'.repeat(10_000), 'x-request-id': 'escapes-2' };
    await client.post('notifications', { ...target, content: `SHOW_MESSAGE|${text}` }, { headers });
    const [stored] = (await client.get('notifications')).list('notifications');
    expect(stored?.content).toBe(`SHOW_MESSAGE|${text}`);
    expect(await lineOf('escapes-2')).toMatchObject({ status: 201 });
    for (const line of server.logs) expect(line).toMatch(/^[^\r\n\u001b]*\n$/);
  });

  it('has the stack of an unexpected error and the request id; the client sees neither', async () => {
    const broken = await ownServer();
    await broken.place.sql('alter table groups rename to lost');
    const reply = await broken.acme.client.get('groups/CONFIDENTIAL', undefined, named('broken-1'));
    expect([reply.status, reply.body]).toEqual([
      500,
      { message: 'Something went wrong on the server.', code: 'internal', request_id: 'broken-1' },
    ]);
    const line = broken.logs.find((text) => text.includes('"unexpected error"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ level: 'error', request_id: 'broken-1' });
    expect(line).toMatch(/(no such table: groups|relation .*groups.* does not exist).*src.database/);
    expect(broken.logs.join('')).not.toContain('CONFIDENTIAL');
  });

  it('omits properties of errors and secrets in their messages', () => {
    const lines: string[] = [];
    const token = 'a1'.repeat(20);
    const failed = new Error(`failed for ${token} at /v1/x?password=hunter2`, { cause: new Error('deep') });
    const error = Object.assign(failed, { code: 'E_SOME', parameters: ['CONFIDENTIAL'] });
    createLogger('info', { write: (line) => void lines.push(line) }).error({ err: error }, 'failed');
    expect(lines.join('')).not.toMatch(/CONFIDENTIAL|hunter2|a1a1a1a1/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { type: 'Error', code: 'E_SOME', cause: { type: 'Error' } },
    });
  });
});

describe('standard output', () => {
  it.each([
    ['a full disk', '/dev/full', false],
    ['a closed descriptor', '/dev/null', true],
  ])('CF-31 counts the lines lost to %s, and continues', (_what, path, isClosed) => {
    const descriptor = openSync(path, 'w');
    if (isClosed) closeSync(descriptor);
    const sink = new LogSink(descriptor);
    for (let n = 0; n < 3; n += 1) sink.write('a line\n');
    if (!isClosed) closeSync(descriptor);
    expect(sink.lost).toBe(3);
  });

  it('buffers for a slow reader without blocking, and loses nothing', async () => {
    const folder = scratchFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    // Open for both, so that neither end waits for the other.
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const sink = new LogSink(descriptor);
    const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} of many that do not fit\n`);
    for (const line of lines) sink.write(line);
    const expected = lines.join('');
    let read = '';
    const readMore = (): number => {
      const bytes = Buffer.alloc(64 * 1024);
      return (read += bytes.toString('utf8', 0, readSync(descriptor, bytes))).length;
    };
    await expect.poll(readMore).toBe(expected.length);
    expect([read === expected, sink.lost]).toEqual([true, 0]);
    closeSync(descriptor);
    removeFolder(folder);
  });
});
