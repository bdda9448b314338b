import type { Fields, Member, TestServer } from './server.js';

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

const REACH = `query ($id: ID!) { appVersion(id: $id) { reach { granted downloaded current } } }`;

export async function reachOf({ graphql }: Member, id: string): Promise<readonly number[]> {
  const { body } = await graphql<{ appVersion: { reach: Record<string, number> } }>(REACH, { id });
  const { granted = -1, downloaded = -1, current = -1 } = body.data.appVersion.reach;
  return [granted, downloaded, current];
}
