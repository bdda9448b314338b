import { beforeAll, expect, it } from 'vitest';

import { eventOf } from '../../../../src/mqtt/confirmations.js';
import { notify } from '../../../support/deliveries.js';
import { useServer } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';

const server = useServer();
let token: string;
beforeAll(async () => {
  ({ token } = await newTerminal(server.acme, 'T-1'));
});

/** Bodies with the id in place of ID, and whether they confirm. */
const FORMS: readonly (readonly [form: string, isConfirmation: boolean])[] = [
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
  await notify(server, server.acme, 'text', 'number of T-1');
  const headers = { authorization: `Bearer ${token}` };
  const path = `${server.url}/terminal/v1/notifications`;
  const taken = await (await fetch(path, { headers })).text();
  const id = /"id":"(\d+)"/.exec(taken)?.[1] ?? '';
  const body = form.replace('ID', id);
  const { status } = await fetch(`${path}/confirm`, { method: 'POST', headers, body });
  expect([status === 200, eventOf(Buffer.from(body))]).toEqual([isConfirmation, isConfirmation ? id : null]);
  // The next form gets a message of its own.
  await fetch(`${path}/confirm`, { method: 'POST', headers, body: `{"type":"pnconf","event":"${id}"}` });
});
