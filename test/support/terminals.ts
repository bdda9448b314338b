import { changed, nodeId } from './dashboard.js';
import { fleet } from './fleet.js';
import type { Fields, Reply, Member, TestServer } from './server.js';

export const ISSUE = `mutation ($id: ID!) {
  deviceTokenIssue(deviceId: $id) { token device { serialNumber } userErrors { message path code } } }`;
export const REVOKE = `mutation ($id: ID!) {
  deviceTokenRevoke(deviceId: $id) { device { serialNumber } userErrors { message path code } } }`;

interface Issued {
  readonly token: string;
}

export async function issueToken(member: Member, deviceId: number): Promise<string> {
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
export async function report(
  server: TestServer,
  token: string,
  body: Fields = {},
  named?: string,
): Promise<Reply> {
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
