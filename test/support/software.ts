import type { Fields, Member, Reply, TestServer } from './server.js';

export interface Status {
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly attempts: number;
  readonly since: string;
  readonly device: { readonly serialNumber: string };
  readonly appVersion: { readonly number: string; readonly app: { readonly name: string } };
}

const STATUS = `state reason detail attempts since device { serialNumber } appVersion { number app { name } }`;

export const TERMINALS = `query ($id: ID!, $first: Int, $after: String, $filter: TerminalSoftwareFilter) {
  appVersion(id: $id) { terminals(first: $first, after: $after, filter: $filter) {
    nodes { ${STATUS} } pageInfo { hasNextPage endCursor } totalCount } } }`;

interface Page {
  readonly nodes: readonly Status[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
}

/** A page of the terminals of a version. */
export async function terminalsOf({ graphql }: Member, id: string, variables: object = {}): Promise<Page> {
  const { body } = await graphql<{ appVersion: { terminals: Page } }>(TERMINALS, { id, ...variables });
  return body.data.appVersion.terminals;
}

/** Serial numbers and states of the terminals of a version, in the order of the list. */
export async function statesOf(member: Member, id: string, filter: object = {}): Promise<readonly string[]> {
  const { nodes } = await terminalsOf(member, id, { filter });
  return nodes.map(({ device, state }) => `${device.serialNumber} ${state}`);
}

/** The software of a device by its serial number. */
export async function softwareOfDevice(
  { graphql }: Member,
  serialNumber: string,
): Promise<readonly Status[]> {
  const query = `query ($serialNumber: String!) { device(serialNumber: $serialNumber) { software { ${STATUS} } } }`;
  const { body } = await graphql<{ device: { software: readonly Status[] } }>(query, { serialNumber });
  return body.data.device.software;
}

/** The report of an installation by a terminal. */
export async function reportInstall(server: TestServer, token: string, body: Fields): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}` };
  return await server.anonymous.post('/terminal/v1/installs', body, { headers });
}
