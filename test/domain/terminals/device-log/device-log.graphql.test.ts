import { describe, expect, it } from 'vitest';

import { answered, nodeId, refused, statementsFor } from '../../../support/dashboard.js';
import { sendLog } from '../../../support/device-logs.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';
import { newTerminal } from '../../../support/terminals.js';

const server = useServer();
const AT = '2026-03-01T12:00:00.000Z';

let terminals = 0;
async function terminalWith(...texts: readonly string[]) {
  const { id, token } = await newTerminal(server.acme, `GQL ${(terminals += 1)}`);
  const ids: number[] = [];
  for (const [n, text] of texts.entries()) {
    const { body } = await sendLog(server, token, `?name=log${n}.txt&at=${AT}&command=7`, text);
    ids.push(Number(body.id));
  }
  return { device: nodeId('Device', id), token, ids };
}

const LOGS = `query ($id: ID!) { device(id: $id) { logs(first: 2) { totalCount pageInfo { hasNextPage }
  nodes { databaseId name at size lineCount parts receivedParts commandId createdAt device { id } } } } }`;
const LINES = `query ($id: ID!, $search: String, $first: Int, $after: Int) { deviceLog(id: $id) {
  lines(search: $search, first: $first, after: $after) { nodes { number text } endLine hasNextPage } } }`;

const linesOf = async (log: number, args: Fields = {}, member: Member = server.acme) =>
  (
    await answered<{ deviceLog: { lines: unknown } | null }>(member, LINES, {
      id: nodeId('DeviceLog', log),
      ...args,
    })
  ).deviceLog;

describe('Device.logs', () => {
  it('has the logs of the device, the newest first, with what is known of each', async () => {
    const { device, ids } = await terminalWith('a\n', 'b\n', 'pan 4111111111111111\nc');
    const { device: found } = await answered<{ device: Fields }>(server.acme, LOGS, { id: device });
    expect(found).toMatchObject({ logs: { totalCount: 3, pageInfo: { hasNextPage: true } } });
    const newest = {
      databaseId: ids[2],
      name: 'log2.txt',
      at: AT,
      size: 22,
      lineCount: 2,
      parts: 1,
      receivedParts: 1,
      commandId: 7,
      createdAt: expect.stringMatching(/Z$/) as string,
      device: { id: device },
    };
    expect(found).toMatchObject({ logs: { nodes: [newest, { databaseId: ids[1] }] } });
  });

  it('is read for many devices in as many statements as for one', async () => {
    const some = await Promise.all([terminalWith('a\n'), terminalWith('b\n'), terminalWith('c\n')]);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Device {
      logs(first: 1) { nodes { lines(first: 1) { nodes { text } } } } } } }`;
    const ids = some.map(({ device }) => device);
    const of = (asked: readonly string[]) => statementsFor(server, server.acme, query, { ids: asked });
    const one = await of(ids.slice(0, 1));
    expect(one.length).toBeGreaterThan(2);
    expect((await of(ids)).length, one.join('\n')).toBe(one.length);
  });

  it('changes with an event of the device, when all parts of a log have arrived', async () => {
    const { device, token } = await terminalWith();
    const query = 'subscription { deviceChanged { kind deviceId } }';
    const { until } = subscribe(server, server.acme, query);
    const send = (part: number) => sendLog(server, token, `?at=${AT}&part=${part}&parts=2`, `${part}\n`);
    await send(1);
    await expect.poll(async () => (await send(2)).status).toBe(200);
    expect(await until(1)).toContainEqual({ deviceChanged: { kind: 'CHANGED', deviceId: device } });
  });
});

describe('DeviceLog.lines', () => {
  it('is a page of lines, or of those with a text', async () => {
    const { ids } = await terminalWith('boot\nError 1\nok\nerror 2\n');
    const [log = 0] = ids;
    expect(await linesOf(log, { first: 2 })).toEqual({
      lines: {
        nodes: [
          { number: 1, text: 'boot' },
          { number: 2, text: 'Error 1' },
        ],
        endLine: 2,
        hasNextPage: true,
      },
    });
    expect(await linesOf(log, { search: 'ERROR', after: 2 })).toEqual({
      lines: { nodes: [{ number: 4, text: 'error 2' }], endLine: 4, hasNextPage: false },
    });
  });

  it.each([
    [{ first: 0 }, 'first takes 1 to 500, not 0.'],
    [{ first: 501 }, 'first takes 1 to 500, not 501.'],
    [{ after: -1 }, 'after takes 0 or the number of a line, not -1.'],
    [{ search: 'x'.repeat(201) }, 'search takes up to 200 characters, not 201.'],
  ])('refuses %o', async (args, message) => {
    const { ids } = await terminalWith('a\n');
    const given = { id: nodeId('DeviceLog', ids[0] ?? 0), ...args };
    expect(await refused(server.acme, LINES, given)).toMatchObject({ code: 'BAD_USER_INPUT', message });
  });

  it('costs so much that an operation reads few logs', async () => {
    const query = '{ deviceLogs(first: 100) { nodes { lines { endLine } } } }';
    expect(await refused(server.acme, query)).toMatchObject({
      message: expect.stringContaining('too many records') as string,
    });
  });
});

describe('a log, downloaded', () => {
  const fetched = (log: number | string, member: Pick<Member, 'client'> = server.acme) =>
    member.client.get(`/export/v1/logs/${log}`);

  it('is a text file with the name of the terminal and of the log', async () => {
    const { ids } = await terminalWith('boot\r\nação\npan 4111111111111111');
    const file = await fetched(ids[0] ?? 0);
    expect(file.status).toBe(200);
    expect(file.text).toBe('boot\r\nação\npan 411111******1111');
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="GQL ${terminals} log0.txt"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('may be large', async () => {
    const text = 'some line of a log\n'.repeat(50_000);
    const { ids } = await terminalWith(text);
    expect((await fetched(ids[0] ?? 0)).text).toBe(text);
  });

  it('is for members of the company, with their tokens', async () => {
    const { ids, token } = await terminalWith('a\n');
    const [log = 0] = ids;
    expect((await fetched(log, await server.member('acme', 'viewer'))).status).toBe(200);
    expect(await fetched(log, server.beta)).toMatchObject({ status: 404, body: { message: 'No such log.' } });
    expect(await linesOf(log, {}, server.beta)).toBeNull();
    expect((await fetched('x')).status).toBe(404);
    const path = `/export/v1/logs/${log}`;
    expect((await server.anonymous.get(path)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.anonymous.get(path, undefined, { headers })).status).toBe(403);
  });
});
