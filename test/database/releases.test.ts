import { describe, expect, it, onTestFinished } from 'vitest';

import {
  keepRelease,
  placeOfRelease,
  type Release,
  releaseOf,
  releases,
} from '../support/databases/releases.js';
import { createGraphql } from '../support/graphql.js';
import { populate } from '../support/populated.js';
import { openServer, startServer } from '../support/server.js';

const LISTS = [
  'groups',
  'logicalNumbers',
  'devices',
  'apps',
  'files',
  'parameters',
  'metacontents',
  'notifications',
  'commands',
  'users',
  'webhooks',
  'jobs',
  'ledger',
];

/** Totals of lists, and records from groups to their files. */
const QUERIES = [
  `{ ${LISTS.map((list) => `${list}(first: 1) { totalCount nodes { id } }`).join(' ')} }`,
  `{ groups(first: 5) { nodes { name revision logicalNumbers(first: 5) { nodes { number effectiveParameters { key value }
    devices(first: 5) { nodes { serialNumber enabled meta } }
    appVersions(first: 5) { nodes { number sha256 app { name } files(first: 5) { nodes { name crc size } } } } } } } } }`,
  '{ exportSchedules { name hour } }',
  `{ ledger(first: 100) { nodes { sequence action entityType entityId } } }`,
];

async function answersOf(url: string, token: string): Promise<unknown[]> {
  const graphql = createGraphql(url, token);
  const answers: unknown[] = [];
  for (const query of QUERIES) {
    const { body } = await graphql(query);
    expect(body).not.toHaveProperty('errors');
    answers.push(body.data);
  }
  return answers;
}

async function answersOfPlace(url: string, token: string): Promise<unknown[]> {
  const app = await openServer(url);
  onTestFinished(() => app.stop(1_000));
  return await answersOf(await app.start(), token);
}

// `RELEASE=1.1.0` keeps a database of this state.
const { RELEASE } = process.env;
if (RELEASE !== undefined) {
  it(`a database of ${RELEASE} is kept`, async () => {
    const server = await startServer();
    await populate(server, server.acme, 4);
    const release: Release = {
      token: server.acme.token,
      answers: await answersOf(server.url, server.acme.token),
    };
    await server.app.stop(1_000);
    await keepRelease(RELEASE, server.place, release);
    await server.place.remove();
  });
}

describe.each(releases())('a database of %s', (version) => {
  it('is brought up to date, is sound, and has the records that it had', async () => {
    const place = await placeOfRelease(version);
    onTestFinished(() => place.remove());
    const { token, answers } = releaseOf(version);
    expect(await answersOfPlace(place.url, token)).toEqual(answers);
    expect(await place.check()).toEqual([]);
  });
});
