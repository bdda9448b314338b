import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';

import { changed, nodeId } from './dashboard.js';
import { fleet } from './fleet.js';
import type { Fields, Reply, Member, TestServer } from './server.js';

const ISSUE = 'mutation ($id: ID!) { deviceTokenIssue(deviceId: $id) { token } }';

interface Issued {
  readonly token: string;
}

export async function issueToken(member: Pick<Member, 'graphql'>, deviceId: number): Promise<string> {
  return (await changed<Issued>(member, ISSUE, { id: nodeId('Device', deviceId) })).token;
}

/** Creates a device under a logical number of its own; resolves to its id and token. */
export async function newTerminal(
  member: Member,
  serialNumber: string,
): Promise<{ readonly id: number; readonly token: string }> {
  const number = await fleet.logicalNumber(member.client, `number of ${serialNumber}`);
  const id = await fleet.device(member.client, serialNumber, { logical_number_id: number });
  return { id, token: await issueToken(member, id) };
}

/** A request of a terminal; `named` is the serial number in the header. */
export async function report(server: TestServer, token: string, body = {}, named?: string): Promise<Reply> {
  const encoded = named === undefined ? {} : { 'x-serial-number': Buffer.from(named).toString('latin1') };
  const headers = { authorization: `Bearer ${token}`, ...encoded };
  return await server.anonymous.post('/terminal/v1/report', body, { headers });
}

/** GET below /terminal/v1 with the token of a device, for example `manifest`. */
export async function getAsTerminal(
  server: TestServer,
  token: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const all = { authorization: `Bearer ${token}`, ...headers };
  return await server.anonymous.get(`/terminal/v1/${path}`, undefined, { headers: all });
}

/** Status and code of a reply, for example `403 terminal_disabled`. */
export const outcomeOf = ({ status, body: { code } }: Reply): string =>
  typeof code === 'string' ? `${status} ${code}` : String(status);

/** Error handler of parts that must not fail. */
export const fails = (error: unknown): never => {
  throw error;
};

/**
 * A pushed message as the framework of a terminal reads it: split at its pipes into the id, the action and
 * the parameters. Each handler takes a fixed number of parameters; a message with another number is confirmed
 * but not executed.
 */
export interface HandledMessage {
  readonly id: string;
  readonly action: string;
  readonly parameters: readonly string[];
  readonly isExecuted: boolean;
}

/** Number of parameters that the handlers of the framework and of its main application take. */
export const HANDLERS: Readonly<Record<string, number>> = {
  SHOW_MESSAGE: 2,
  PROCESSING: 2,
  ...Object.fromEntries(
    'APP_UPDATE SETUP_DEVICE_CONFIG RESET_DEVICE_CONFIG REBOOT SYSTEM_UPDATE CANCEL_SYSTEM_UPDATE TIMEZONE_UPDATE'
      .split(' ')
      .map((action) => [action, 0]),
  ),
};

/** Ruby's `split` drops empty parts at the end. */
export function handleMessage(message: string): HandledMessage {
  const [id = '', action = '', ...parameters] = message.replace(/\|+$/, '').split('|');
  return { id, action, parameters, isExecuted: HANDLERS[action] === parameters.length };
}

/** `17|SHOW_MESSAGE|text` of a message that got the time of queueing as its second parameter. */
export const withoutTime = (message: string): string => message.replace(/\|\d\d-\d\d-\d{4} \d\d:\d\d$/, '');

/** Asks for an asset by its name, to which a query may be added. */
export async function getAsset(
  server: Pick<TestServer, 'url'>,
  token: string,
  name: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
) {
  const all = { authorization: `Bearer ${token}`, ...headers };
  const response = await fetch(`${server.url}/terminal/v1/assets/${name}`, { method, headers: all });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** The requests for assets that are recorded of a terminal, newest first. */
export async function assetRequests({ client }: Member, serialNumber: string): Promise<readonly Fields[]> {
  const query = { serial_number: serialNumber, transaction_type: 'get_asset', per_page: 100 };
  return (await client.get('transactions', undefined, { query })).list('transactions');
}

const REACH = `query ($id: ID!) { appVersion(id: $id) { reach { granted downloaded current } }
  devices(first: 0, filter: { version: { eq: $id } }) { totalCount } }`;

interface Reached {
  readonly appVersion: { readonly reach: Record<string, number> };
  readonly devices: { readonly totalCount: number };
}

/** The reach of a version, whose `current` the filter of devices must find too. */
export async function reachOf({ graphql }: Member, id: string): Promise<readonly number[]> {
  const { devices, appVersion } = (await graphql<Reached>(REACH, { id })).body.data;
  const { granted = -1, downloaded = -1, current = -1 } = appVersion.reach;
  expect(devices.totalCount).toBe(current);
  return [granted, downloaded, current];
}

/** A terminal that has asked for an asset, and reads nothing but the first bytes of the response. */
export async function openSlowly({ url }: Pick<TestServer, 'url'>, token: string, name: string) {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [`GET /terminal/v1/assets/${name} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
  socket.write([...head, 'Connection: close', '', ''].join('\r\n'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  let received = first.length;
  return {
    destroy: () => socket.resetAndDestroy(),
    /** Reads on; resolves to the number of bytes of the whole response when the connection has ended. */
    rest: async () => {
      socket.on('data', (bytes: Buffer) => (received += bytes.length));
      socket.resume();
      await closed;
      return received;
    },
  };
}
