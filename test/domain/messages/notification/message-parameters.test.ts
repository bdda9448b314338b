import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { messageOf } from '../../../../src/mqtt/confirmations.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { reachable } from '../../../support/deliveries.js';
import { startAedes, type AedesBroker } from '../../../support/mqtt/brokers.js';
import { connectTerminals } from '../../../support/mqtt/terminals.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { startServer, type Fields, type TestServer } from '../../../support/server.js';
import { handleMessage, HANDLERS, newTerminal } from '../../../support/terminals.js';
import { waitFor } from '../../../support/wait-for.js';
import { httpTerminal } from '../../../support/waiting-terminal.js';

let broker: AedesBroker;
let server: TestServer;
beforeAll(async () => {
  broker = await startAedes();
  server = await startServer({ mqtt: broker.settings });
  await reachable(server.acme, 'over MQTT');
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});

async function send(content: string, number: string, more: Fields = {}): Promise<number> {
  const { client } = server.acme;
  const fields = { content, range: 'specific_logical_numbers', logical_numbers: number, ...more };
  return (await client.post('notifications', fields)).status;
}

/** A message in the form in which a transport carries it. */
interface Carried {
  readonly message: string;
  readonly app?: string;
}

/** Sends a notification to a new terminal; resolves to what arrives. */
type Arrival = (content: string, more?: Fields) => Promise<Carried>;
let terminals = 0;

async function newNumber(): Promise<{ readonly number: string; readonly token: string }> {
  terminals += 1;
  const { token } = await newTerminal(server.acme, `T-${terminals}`);
  return { number: `number of T-${terminals}`, token };
}

const TRANSPORTS: Readonly<Record<string, Arrival>> = {
  poll: async (content, more) => {
    const { number, token } = await newNumber();
    await send(content, number, more);
    const { body } = await httpTerminal(server.url, token).get('/notifications?wait=10');
    return (body.notifications as readonly Carried[])[0] ?? { message: '' };
  },
  stream: async (content, more) => {
    const { number, token } = await newNumber();
    const stream = await httpTerminal(server.url, token).stream();
    await send(content, number, more);
    await waitFor(() => expect(stream.ids().length).toBe(1));
    stream.close();
    return JSON.parse(/^data: (.+)$/m.exec(stream.text())?.[1] ?? '') as Carried;
  },
  MQTT: async (content, more) => {
    const simulated = await connectTerminals(broker.port);
    const payloads: string[] = [];
    simulated.client.on('message', (_topic, payload) => payloads.push(payload.toString()));
    await send(content, 'over MQTT', more);
    await waitFor(() => expect(payloads.length).toBe(1));
    await simulated.stop();
    return JSON.parse(payloads[0] ?? '') as Carried;
  },
};

/** Time of queueing of the last delivery as clocks in Sao Paulo show it (UTC-3 all year). */
async function queuedInSaoPaulo(): Promise<string> {
  const [row] = await server.place.sql<{ at: number }>(
    'select max(queued_at) as at from notification_deliveries',
  );
  const local = new Date(Number(row?.at) - 3 * 3_600_000).toISOString();
  return local.replace(/^(\d+)-(\d\d-\d\d)T(\d\d:\d\d).*$/, '$2-$1 $3');
}

describe.each(Object.entries(TRANSPORTS))('RU-55 a message over %s', (_name, arrival) => {
  beforeAll(async () => {
    await mutated(server.acme, 'companySetTimeZone', { timeZone: 'America/Sao_Paulo' });
  });

  it('gets the time of queueing as the second parameter of SHOW_MESSAGE', async () => {
    for (const content of [
      'Closed on Sunday',
      'SHOW_MESSAGE|Closed on Sunday',
      'SHOW_MESSAGE|Closed on Sunday|',
    ]) {
      const { message } = await arrival(content);
      expect(handleMessage(message)).toMatchObject({
        action: 'SHOW_MESSAGE',
        isExecuted: true,
        parameters: ['Closed on Sunday', await queuedInSaoPaulo()],
      });
    }
  });

  it('goes as it is with parameters of its own', async () => {
    const own = 'SHOW_MESSAGE|TEST1|12-20-2017 18:23';
    const { message } = await arrival(own);
    expect(message).toBe(`${handleMessage(message).id}|${own}`);
    expect(handleMessage(message).isExecuted).toBe(true);
    expect((await arrival('RELOAD|a|b|c')).message).toMatch(/^\d+\|RELOAD\|a\|b\|c$/);
  });

  it.each([
    ['ruby', 'rb', ''],
    ['posxml', 'posxml', '.posxml'],
  ])('RU-93 runs the app that handles it, written in %s', async (language, suffix, ending) => {
    const name = `handler${terminals}`;
    const app = await server.acme.client.post('apps', { name: `${name}.${suffix}`, language });
    const more = { kind: 'processing', app_id: app.record('app').id };
    for (const content of ['Sync', 'PROCESSING_MESSAGE|Sync']) {
      const carried = await arrival(content, more);
      const parameters = [`${name}${ending}`, 'Sync'];
      expect(handleMessage(carried.message)).toMatchObject({
        action: 'PROCESSING',
        parameters,
        isExecuted: true,
      });
      expect(carried.app).toBe(`acmepagamentos_${name}.${suffix}`);
    }
    const without = await arrival('Sync', { kind: 'processing' });
    expect(['app' in without, handleMessage(without.message).action]).toEqual([false, 'PROCESSING_MESSAGE']);
  });
});

describe('RU-93 a message is executed by terminals, or its sender is warned', () => {
  const contents = Object.entries(HANDLERS).flatMap(([action, takes]) =>
    [0, 1, 2, 3, 4].map((count): [content: string, isWarned: boolean] => {
      // The server adds the second parameter of SHOW_MESSAGE.
      const isExecuted = takes === count || (action === 'SHOW_MESSAGE' && count < 2);
      return [`${action}|${Array.from({ length: count }, () => 'x').join('|')}`, !isExecuted];
    }),
  );

  it.each<[content: string, isWarned: boolean]>([
    ...contents,
    ['Hello', false],
    ['OWN_ACTION|a|b|c', false],
    ['PROCESSING_MESSAGE|Sync', true],
  ])('%s: %s', async (content, isWarned) => {
    const { client, graphql } = server.acme;
    const target = { logicalNumbers: ['over MQTT'] };
    const sent = await graphql<{ notificationSend: { warnings: readonly string[] } }>(
      'mutation ($input: NotificationSendInput!) { notificationSend(input: $input) { warnings } }',
      { input: { content, target } },
    );
    const fields = { content, range: 'specific_logical_numbers', logical_numbers: 'over MQTT' };
    const { status, headers } = await client.post('notifications', fields);
    const warning = headers.get('x-warning');
    expect(status).toBe(201);
    expect(sent.body.data.notificationSend.warnings).toEqual(warning === null ? [] : [warning]);
    expect(warning).toEqual(isWarned ? expect.stringMatching(/^content: terminals execute [A-Z_]+ /) : null);
  });
});

describe('RU-55 a text that terminals would read as several parameters', () => {
  it.each(['a|b', 'line\nline', 'line\r\nline', 'lower|case'])('%j is refused', async (content) => {
    const { number } = await newNumber();
    for (const kind of ['show', 'processing']) {
      expect(await send(content, number, { kind })).toBe(422);
      const input = { content, kind: kind.toUpperCase(), target: { logicalNumbers: [number] } };
      await expectRefused(server.acme, 'notificationSend', { input }, 'INVALID input.content');
    }
  });
});

describe('companySetTimeZone', () => {
  it('refuses a zone that does not exist, and changes nothing', async () => {
    const variables = { timeZone: 'Brasilia' };
    await expectRefused(server.beta, 'companySetTimeZone', variables, 'INVALID timeZone');
    const id = nodeId('Company', server.beta.caller.companyId);
    const query = 'query ($id: ID!) { node(id: $id) { ... on Company { timeZone } } }';
    expect(await answered(server.beta, query, { id })).toEqual({ node: { timeZone: 'UTC' } });
  });
});

/** Bodies with the id in place of ID, and whether they confirm. */
const FORMS: readonly [form: string, isConfirmation: boolean][] = [
  ['{"type":"pnconf","event":"ID"}', true],
  ['{"type":"pnconf","event":ID}', true],
  ['\uFEFF{"type":"pnconf","event":"ID"}', true],
  ['\uFEFF{"event":ID,"type":"pnconf"}', true],
  [' {"event":"ID","type":"pnconf","more":[1]}\r\n', true],
  ['{"type":"pnconf","event":"0ID"}', false],
  ['{"type":"pnconf","event":"ID "}', false],
  ['{"type":"pnconf","event":-ID}', false],
  ['{"type":"pnconf","event":ID.5}', false],
  ['{"type":"pnconf","event":["ID"]}', false],
  ['{"type":"pnconf","event":null}', false],
  ['{"type":"PNCONF","event":"ID"}', false],
  ['{"event":"ID"}', false],
  ['["pnconf","ID"]', false],
];

it.each(FORMS)('RU-36 %j is read alike over HTTP and MQTT', async (form, isConfirmation) => {
  const { number, token } = await newNumber();
  await send('text', number);
  const headers = { authorization: `Bearer ${token}` };
  const path = `${server.url}/terminal/v1/notifications`;
  const taken = await (await fetch(`${path}?wait=10`, { headers })).text();
  const id = /"id":"(\d+)"/.exec(taken)?.[1] ?? '';
  const body = form.replace('ID', id);
  const { status } = await fetch(`${path}/confirm`, { method: 'POST', headers, body });
  expect([status === 200, messageOf(Buffer.from(body))?.event ?? null]).toEqual([
    isConfirmation,
    isConfirmation ? id : null,
  ]);
});
