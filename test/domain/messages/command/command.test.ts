import { beforeEach, describe, expect, it } from 'vitest';

import { isSent } from '../../../../src/domain/base/webhook/webhook.rules.js';
import { DAY, HOUR, SECOND } from '../../../../src/platform/clock.js';
import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { notify } from '../../../support/deliveries.js';
import { MANY } from '../../../support/fleet.js';
import { mutated, mutationOf } from '../../../support/mutations.js';
import { type Fields, type Member, useServerPerTest } from '../../../support/server.js';
import { stockedTerminal } from '../../../support/stocked-terminal.js';
import { subscribe } from '../../../support/subscribe.js';
import { getAsTerminal, handleMessage, newTerminal, report } from '../../../support/terminals.js';
import { tokenTools } from '../../../support/tokens.js';
import { httpTerminal, type HttpTerminal } from '../../../support/waiting-terminal.js';

const server = useServerPerTest();
let acme: Member;
let terminal: HttpTerminal;
let device: number;
let token: string;
beforeEach(async () => {
  ({ acme } = server);
  ({ id: device, token } = await newTerminal(acme, 'T-1'));
  terminal = httpTerminal(server.url, token);
});

/** Terminals that report at the same time. */
const TOGETHER = 12;

interface Listed {
  readonly totalCount: number;
  readonly nodes: readonly { readonly id: string; readonly state: string }[];
}

interface Sent {
  readonly command: { readonly id: string };
  readonly count: number;
}

const target = (...ids: number[]) => ({ ids: ids.map((id) => nodeId('Device', id)) });
const send = async (action: string, more: object = {}, ...ids: number[]): Promise<string> => {
  const given = { input: { action, ...more }, target: target(...(ids.length > 0 ? ids : [device])) };
  return (await mutated<Sent>(acme, 'commandSend', given, 'command { id } count')).command.id;
};
const refused = async (member: Pick<Member, 'graphql'>, input: object) =>
  await changed(member, mutationOf('commandSend'), { input, target: target(device) });

const errorOf = async (member: Pick<Member, 'graphql'>, input: object): Promise<unknown> => {
  const { body } = await member.graphql(mutationOf('commandSend'), { input, target: target(device) });
  return body.errors?.[0]?.extensions.code;
};

/** A report of a command, as firmware sends it. Resolves to the status. */
async function tell(id: number | string, body: Fields, own = token): Promise<number> {
  const headers = { authorization: `Bearer ${own}` };
  return (await server.anonymous.post(`/terminal/v1/commands/${id}`, body, { headers })).status;
}

const COMMANDS = `query ($id: ID!) { node(id: $id) { ... on Device { commands {
  nodes { state code detail command { action parameters urgent } } } } } }`;
interface Shown {
  readonly node: { readonly commands: { readonly nodes: readonly { readonly state: string }[] } };
}
const commandsOf = async (id = device) =>
  (await answered<Shown>(acme, COMMANDS, { id: nodeId('Device', id) })).node.commands.nodes;
const states = async (id = device) => (await commandsOf(id)).map(({ state }) => state);
const history = async () => {
  const query = `query ($id: ID!) { node(id: $id) { ... on Device { history { nodes { action after } } } } }`;
  interface History {
    readonly node: { readonly history: { readonly nodes: { action: string; after: object | null }[] } };
  }
  const { node } = await answered<History>(acme, query, { id: nodeId('Device', device) });
  return node.history.nodes.filter(({ action }) => action.startsWith('command_'));
};

describe('a command', () => {
  it('CM-05 reaches its terminal in the form of the origin, and ends by the word of the terminal', async () => {
    await send('REBOOT', { expiresAt: new Date(server.clock.now().getTime() + HOUR).toISOString() });
    expect(await states()).toEqual(['WAITING']);
    const { body } = await terminal.get('/notifications');
    const instant: unknown = expect.stringMatching(/^20.+Z$/);
    const given = { id: '1', message: '1|REBOOT|', command: '1', expires_at: instant, queued_at: instant };
    expect(body).toEqual({ notifications: [given] });
    expect(await states()).toEqual(['SENT']);
    expect((await terminal.confirm(1)).status).toBe(200);
    expect(await states()).toEqual(['CONFIRMED']);
    expect(await tell(1, { state: 'done' })).toBe(200);
    expect(await tell(1, { state: 'done' })).toBe(200);
    expect(await states()).toEqual(['DONE']);
    expect(await tell(1, { state: 'failed' })).toBe(422);
    expect(await states()).toEqual(['DONE']);
    expect((await history()).map(({ action }) => action)).toEqual(['command_done', 'command_confirmed']);
  });

  it.each([
    ['failed', 'BATTERY', 'BATTERY'],
    ['refused', undefined, 'REFUSED'],
  ])('that has %s says why', async (state, code, shown) => {
    await send('SYSTEM_UPDATE');
    await terminal.get('/notifications');
    expect(await tell(1, { state, code, detail: '4 %' })).toBe(200);
    expect(await commandsOf()).toMatchObject([{ state: 'FAILED', code: shown, detail: '4 %' }]);
    expect(await history()).toMatchObject([
      { action: 'command_failed', after: { command: 'SYSTEM_UPDATE', code: shown } },
    ]);
    expect((await terminal.get('/notifications')).messages).toEqual([]);
  });

  it('is reported by many terminals at once in few changes, each with an answer of its own', async () => {
    const others: Awaited<ReturnType<typeof newTerminal>>[] = [];
    while (others.length < TOGETHER) others.push(await newTerminal(acme, `T-${others.length + 2}`));
    await send('REBOOT', {}, ...others.map((each) => each.id));
    const given: string[] = [];
    for (const other of others) {
      const { messages } = await httpTerminal(server.url, other.token).get('/notifications');
      given.push(messages[0]?.split('|')[0] ?? '');
    }
    // The first one tells of the command of the second one.
    const told = (n: number): string => given[Math.max(n, 1)] ?? '';
    let answers: number[] = [];
    const { statements } = await server.statements(async () => {
      answers = await Promise.all(others.map((other, n) => tell(told(n), { state: 'done' }, other.token)));
    });
    expect(answers).toEqual(others.map((_, n) => (n === 0 ? 404 : 200)));
    const changes = statements.filter((text) => /^\s*update notification_deliveries/.test(text));
    // Each unit has one that ends commands and one that makes the next ones due.
    expect(changes.length).toBeLessThan(2 * (TOGETHER - 1));
    const [first, ...done] = await Promise.all(others.map((each) => states(each.id)));
    expect([first, ...done]).toEqual([['SENT'], ...done.map(() => ['DONE'])]);
  });

  it('CM-05 is not told of by a terminal that was not given it', async () => {
    const other = await newTerminal(acme, 'T-2');
    await send('REBOOT');
    expect(await tell(1, { state: 'done' })).toBe(404);
    await terminal.get('/notifications');
    expect(await tell(1, { state: 'done' }, other.token)).toBe(404);
    expect(await tell('x', { state: 'done' })).toBe(404);
    expect(await states()).toEqual(['SENT']);
  });

  it('goes before notifications, and an urgent one before others that wait or are held', async () => {
    await notify(server, acme, 'Hello', 'number of T-1');
    await send('TIMEZONE_UPDATE');
    await terminal.get('/notifications');
    await send('APP_UPDATE');
    await send('REBOOT', { urgent: true });
    expect((await terminal.get('/notifications')).messages).toEqual(['4|REBOOT|']);
    server.clock.advance(31 * SECOND);
    expect((await terminal.get('/notifications')).messages).toEqual([
      '4|REBOOT|',
      '2|TIMEZONE_UPDATE|',
      '3|APP_UPDATE|',
      '1|SHOW_MESSAGE|Hello',
    ]);
  });

  it('is for its device alone, whatever logical number it has', async () => {
    const { id: other, token: own } = await newTerminal(acme, 'T-2');
    const { client } = acme;
    const number = (await client.get(`devices/${device}`)).record('device').logical_number_id;
    expect((await client.put('devices/T-2', { logical_number_id: number })).status).toBe(200);
    await send('REBOOT', {}, other);
    expect((await terminal.get('/notifications')).messages).toEqual([]);
    expect((await httpTerminal(server.url, own).get('/notifications')).messages).toEqual(['1|REBOOT|']);
    expect(await states(other)).toEqual(['SENT']);
  });

  it('CM-06 is never given after its end, and replaced by the same one that is sent again', async () => {
    const end = new Date(server.clock.now().getTime() + HOUR).toISOString();
    await send('REBOOT', { expiresAt: end });
    await send('APP_UPDATE');
    await send('REBOOT', { expiresAt: end });
    expect(await states()).toEqual(['REPLACED', 'WAITING', 'WAITING']);
    server.clock.advance(HOUR);
    expect((await terminal.get('/notifications')).messages).toEqual(['2|APP_UPDATE|']);
    await server.app.housekeeping.run();
    expect(await states()).toEqual(['REPLACED', 'SENT', 'EXPIRED']);
    expect((await history()).map(({ action }) => action)).toEqual(['command_expired', 'command_replaced']);
  });

  it('can be cancelled for all terminals, or for one, until they confirm it', async () => {
    const { id: other } = await newTerminal(acme, 'T-2');
    const id = await send('REBOOT', {}, device, other);
    const [first] = (
      await answered<{ node: { terminals: { nodes: { id: string }[] } } }>(
        acme,
        'query ($id: ID!) { node(id: $id) { ... on Command { terminals { nodes { id } } } } }',
        { id },
      )
    ).node.terminals.nodes;
    const selection = 'count command { state summary { waiting cancelled } }';
    const cancel = async (given: string | undefined) =>
      await mutated(acme, 'commandCancel', { id: given }, selection);
    expect(await cancel(first?.id)).toEqual({
      count: 1,
      command: { state: 'OPEN', summary: { waiting: 1, cancelled: 1 } },
    });
    expect(await cancel(id)).toEqual({
      count: 1,
      command: { state: 'ENDED', summary: { waiting: 0, cancelled: 2 } },
    });
    expect(await cancel(id)).toEqual({
      count: 0,
      command: { state: 'ENDED', summary: { waiting: 0, cancelled: 2 } },
    });
    expect((await terminal.get('/notifications')).messages).toEqual([]);
  });

  it('is listed as one that waits until it waits for no terminal', async () => {
    const other = await newTerminal(acme, 'T-2');
    const first = await send('REBOOT', {}, device, other.id);
    const second = await send('TIMEZONE_UPDATE');
    const listed = async (state: object): Promise<readonly string[]> => {
      const query = `query ($filter: CommandFilter) {
        commands(filter: $filter, orderBy: { field: ID }) { totalCount nodes { id state } } }`;
      const { commands } = await answered<{ commands: Listed }>(acme, query, { filter: { state } });
      expect(commands.totalCount).toBe(commands.nodes.length);
      return commands.nodes.map(({ id, state: shown }) => `${id === first ? 'first' : 'second'} ${shown}`);
    };
    expect(await listed({ eq: 'OPEN' })).toEqual(['first OPEN', 'second OPEN']);
    expect(await listed({ eq: 'ENDED' })).toEqual([]);
    await mutated(acme, 'commandCancel', { id: second }, 'count');
    await terminal.get('/notifications');
    await terminal.confirm(1);
    expect(await listed({ eq: 'OPEN' })).toEqual(['first OPEN']);
    expect(await listed({ eq: 'ENDED' })).toEqual(['second ENDED']);
    expect(await listed({ in: ['OPEN', 'ENDED'] })).toEqual(['first OPEN', 'second ENDED']);
    await mutated(acme, 'commandCancel', { id: first }, 'count');
    expect(await listed({ eq: 'ENDED' })).toEqual(['first ENDED', 'second ENDED']);
  });

  it('of a restart is done once the terminal reports a later start', async () => {
    await report(server, token, { meta: { started_at: '2026-11-01T00:00:00Z' } });
    await send('REBOOT');
    await terminal.get('/notifications');
    await terminal.confirm(1);
    await report(server, token, { meta: { started_at: '2026-11-01T00:00:00Z', battery_level: '80' } });
    expect(await states()).toEqual(['CONFIRMED']);
    await report(server, token, { meta: { started_at: '2026-11-02T00:00:00Z' } });
    expect(await states()).toEqual(['DONE']);
  });

  it('of an update is done once the terminal is known to have its versions', async () => {
    const stocked = await stockedTerminal(acme, 'pay');
    const own = httpTerminal(server.url, stocked.token);
    await send('APP_UPDATE', {}, stocked.deviceId);
    await own.get('/notifications');
    await own.confirm(1);
    const { apps } = (await own.get('/manifest')).body as {
      readonly apps: readonly { readonly name: string; readonly crc: string }[];
    };
    const [asset = { name: '', crc: '' }] = apps;
    const path = `assets/${encodeURIComponent(asset.name)}`;
    const ask = async (crc: string) =>
      (await getAsTerminal(server, stocked.token, `${path}?crc=${crc}`)).status;
    expect(await ask('0000')).toBe(200);
    expect(await states(stocked.deviceId)).toEqual(['CONFIRMED']);
    expect(await ask(asset.crc)).toBe(304);
    expect(await states(stocked.deviceId)).toEqual(['DONE']);
  });

  it('of a log is done once a log that names it is stored', async () => {
    await send('SEND_LOG');
    await terminal.get('/notifications');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
    const upload = async (query: string) =>
      (
        await fetch(`${server.url}/terminal/v1/logs?name=main.log&${query}`, {
          method: 'POST',
          headers,
          body: 'x',
        })
      ).status;
    expect(await upload('at=2026-11-01T00:00:00Z&command=2')).toBe(200);
    expect(await states()).toEqual(['SENT']);
    expect(await upload('at=2026-11-02T00:00:00Z&command=1')).toBe(200);
    expect(await states()).toEqual(['DONE']);
  });

  it('is followed, with its ends in webhooks and alerts by their names', async () => {
    expect(
      ['command.*', 'command.done', 'device.command_done'].map((type) => isSent([type], 'command.done')),
    ).toEqual([true, true, false]);
    const id = await send('SYSTEM_UPDATE');
    const query =
      'subscription ($id: ID!) { commandChanged(id: $id, after: 0) { terminal { state device { serialNumber } } } }';
    const followed = subscribe(server, acme, query, { id });
    const event = (state: string) => ({
      commandChanged: { terminal: { state, device: { serialNumber: 'T-1' } } },
    });
    await followed.until(1);
    await terminal.get('/notifications');
    await followed.until(2);
    await tell(1, { state: 'failed' });
    expect(await followed.until(3)).toEqual([event('WAITING'), event('SENT'), event('FAILED')]);
  });

  it('for more devices than one transaction queues is queued by a job', async () => {
    const { companyId, userId } = acme.caller;
    await insertMany(server.place, ['devices', companyId, MANY], (n) => ({
      serial_number: `many ${n}`,
      enabled: true,
      meta: '{}',
      tags: '[]',
      ...audited(userId),
    }));
    const input = { action: 'APP_UPDATE' };
    const dry = { input, target: { all: true }, dryRun: true };
    expect(await mutated(acme, 'commandSend', dry, 'count command { id }')).toEqual({
      count: MANY + 1,
      command: null,
    });
    const wrong = { input, target: { all: true }, expectCount: MANY };
    const { userErrors } = await changed(acme, mutationOf('commandSend'), wrong);
    expect(userErrors).toMatchObject([{ path: ['expectCount'] }]);
    const { command } = await mutated<Sent>(
      acme,
      'commandSend',
      { input, target: { all: true }, expectCount: MANY + 1 },
      'command { id }',
    );
    const open = '{ commands(filter: { state: { eq: OPEN } }) { totalCount } }';
    expect(await answered(acme, open)).toEqual({ commands: { totalCount: 1 } });
    await server.app.housekeeping.steps.idle();
    expect(await answered(acme, open)).toEqual({ commands: { totalCount: 1 } });
    const query = 'query ($id: ID!) { node(id: $id) { ... on Command { summary { waiting } } } }';
    expect(await answered(acme, query, { id: command.id })).toEqual({
      node: { summary: { waiting: MANY + 1 } },
    });
  });
});

describe('what may be sent', () => {
  it('CM-07 by operators is what does no harm', async () => {
    const { tokenOf, callerWith } = tokenTools(server, 'id');
    const operator = callerWith((await tokenOf(acme, ['read', 'write'])).secret);
    for (const action of ['RESET_DEVICE_CONFIG', 'FORMAT'])
      expect(await errorOf(operator, { action })).toBe('FORBIDDEN');
    expect(await refused(operator, { action: 'SEND_LOG', parameters: ['main'] })).toEqual({ userErrors: [] });
    for (const action of ['RESET_DEVICE_CONFIG', 'FORMAT'])
      expect(await refused(acme, { action })).toEqual({ userErrors: [] });
    expect(await states()).toEqual(['WAITING', 'WAITING', 'WAITING']);
  });

  it.each([
    [{ action: 'reboot' }, 'action'],
    [{ action: 'SHOW_MESSAGE' }, 'action'],
    [{ action: 'REBOOT', parameters: ['now'] }, 'parameters'],
    [{ action: 'SEND_LOG', parameters: ['a', 'b', 'c', 'd', 'e'] }, 'parameters'],
    [{ action: 'SEND_LOG', parameters: ['a|b'] }, 'parameters'],
    [{ action: 'REBOOT', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ action: 'REBOOT', expiresAt: new Date(Date.now() + 400 * DAY).toISOString() }, 'expiresAt'],
  ])('is not %j', async (input, field) => {
    const { userErrors } = await refused(acme, input);
    expect(userErrors).toMatchObject([{ code: 'INVALID' }]);
    expect(userErrors[0]?.path.slice(0, 2)).toEqual(['input', field]);
    expect(await states()).toEqual([]);
  });

  it('to no device', async () => {
    const none = { input: { action: 'REBOOT' }, target: { filter: { serialNumber: { eq: 'none' } } } };
    const { userErrors } = await changed(acme, mutationOf('commandSend'), none);
    expect(userErrors).toMatchObject([{ path: ['target'], code: 'INVALID' }]);
  });

  it.each([
    'APP_UPDATE',
    'SETUP_DEVICE_CONFIG',
    'RESET_DEVICE_CONFIG',
    'REBOOT',
    'SYSTEM_UPDATE',
    'CANCEL_SYSTEM_UPDATE',
    'TIMEZONE_UPDATE',
  ])('is executed by terminals of the origin: %s', async (action) => {
    await send(action);
    const [message = ''] = (await terminal.get('/notifications')).messages;
    expect(handleMessage(message)).toEqual({ id: '1', action, parameters: [], isExecuted: true });
  });
});
