import { describe, expect, it } from 'vitest';

import { answered, changed, nodeId, statementsFor } from '../../../support/dashboard.js';
import { ledgerOf, softwareOf } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();

const SET = `mutation ($id: ID!, $fileIds: [ID!]!) { appVersionSetFiles(id: $id, fileIds: $fileIds) {
  appVersion { files(orderBy: { field: ID }) { nodes { databaseId } } } userErrors { message path code } } }`;
const fileIds = (...ids: number[]): string[] => ids.map((id) => nodeId('File', id));
const found = (...ids: number[]) => ({ nodes: ids.map((databaseId) => ({ databaseId })) });

async function versionIn({ client }: Member, fields: Fields = {}): Promise<number> {
  const software = softwareOf(client);
  return (await software.version(await software.app(), fields)).id as number;
}

describe('files of app versions', () => {
  it('are the same from both sides, on each page and in each order', async () => {
    const software = softwareOf(server.acme.client);
    const [one, two, three] = [await software.file(), await software.file(), await software.file()];
    const first = await versionIn(server.acme, { file_ids: [three, one] });
    const second = await versionIn(server.acme, { file_ids: [one, two, three] });
    const page = '(first: 2, orderBy: { field: ID, direction: DESC })';
    expect(
      await answered(
        server.acme,
        `query ($version: Int!, $file: Int!) {
          appVersion(databaseId: $version) { files${page} { totalCount nodes { databaseId } pageInfo { hasNextPage } } }
          file(databaseId: $file) { appVersions${page} { totalCount nodes { databaseId } pageInfo { hasNextPage } } } }`,
        { version: second, file: one },
      ),
    ).toEqual({
      appVersion: { files: { totalCount: 3, ...found(three, two), pageInfo: { hasNextPage: true } } },
      file: { appVersions: { totalCount: 2, ...found(second, first), pageInfo: { hasNextPage: false } } },
    });
  });

  it('are replaced, also in REST', async () => {
    const { acme } = server;
    const software = softwareOf(acme.client);
    const [one, two] = [await software.file(), await software.file()];
    const path = await software.app();
    const { id } = (await software.version(path, { file_ids: [one] })) as { id: number };
    const version = nodeId('AppVersion', id);
    for (const ids of [[two, one], [two], []]) {
      const after = [...ids].sort((a, b) => a - b);
      expect(await changed(acme, SET, { id: version, fileIds: fileIds(...ids) })).toEqual({
        appVersion: { files: found(...after) },
        userErrors: [],
      });
      const shown = (await acme.client.get(`${path}/${id}`)).record('app_version');
      expect(shown.file_ids).toEqual(after);
    }
    const updates = (await ledgerOf(server, acme, 'app_version', id)).filter(
      ({ action }) => action === 'update',
    );
    expect(updates.map(({ after }) => after?.fileIds)).toEqual([[one, two], [two], []]);
  });

  it('are removed from versions, which count a change, when they are deleted', async () => {
    const { acme } = server;
    const file = await softwareOf(acme.client).file();
    const version = await versionIn(acme, { file_ids: [file] });
    const remove = 'mutation ($id: ID!) { fileDelete(id: $id) { deletedId } }';
    await changed(acme, remove, { id: nodeId('File', file) });
    expect(
      await answered(acme, 'query ($id: Int!) { appVersion(databaseId: $id) { files { totalCount } } }', {
        id: version,
      }),
    ).toEqual({ appVersion: { files: { totalCount: 0 } } });
  });

  it('AT-11 must belong to the company, like the version', async () => {
    const theirs = await softwareOf(server.acme.client).file();
    const own = await softwareOf(server.beta.client).file();
    const version = nodeId('AppVersion', await versionIn(server.beta, { file_ids: [own] }));
    const attempt = (id: string, ...ids: string[]) => changed(server.beta, SET, { id, fileIds: ids });
    const invalid = [{ path: ['fileIds'], code: 'INVALID' }];
    const foreign = await attempt(version, ...fileIds(own, theirs));
    expect(foreign).toMatchObject({ appVersion: null, userErrors: invalid });
    expect(foreign).toEqual(await attempt(version, ...fileIds(own, 9e6)));
    expect(await attempt(version, version)).toMatchObject({ appVersion: null, userErrors: invalid });
    const missing = [{ path: ['id'], code: 'NOT_FOUND' }];
    const theirVersion = nodeId('AppVersion', await versionIn(server.acme));
    expect(await attempt(theirVersion)).toMatchObject({ appVersion: null, userErrors: missing });
    expect(await attempt(nodeId('AppVersion', 9e6))).toEqual(await attempt(theirVersion));
    const query =
      'query ($id: ID!) { node(id: $id) { ... on AppVersion { files { nodes { databaseId } } } } }';
    expect(await answered(server.beta, query, { id: version })).toEqual({ node: { files: found(own) } });
  });

  it('have their checksums read in one statement, for files and for app versions', async () => {
    const query = `{ files(first: 5) { nodes { sha256 } } appVersions(first: 5) { nodes { sha256 } } }`;
    const member = await server.member('acme', 'viewer');
    const statements = await statementsFor(server, member, query);
    expect(statements.filter((statement) => statement.includes('from "contents"'))).toHaveLength(1);
  });
});
