import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../support/client.js';
import { faultyPostgres, type OwnServer } from '../../support/postgres/boot.js';
import { killPrograms, startProgram } from '../../support/program.js';
import { recovered } from '../load.js';
import { killRounds } from '../rounds.js';
import { addCompany, placeOf } from './gateway.js';

const WRITERS = 8;
/** One by each signal; `npm run faults` makes many more. */
const ROUNDS = 2;

let server: OwnServer;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres();
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.stop());

interface Change {
  readonly name: string;
  readonly key: string;
}

interface Outcomes {
  readonly acknowledged: Change[];
  readonly unknown: Change[];
}

async function createGroups(client: Client, isGone: () => boolean, outcomes: Outcomes): Promise<void> {
  while (!isGone()) {
    const change = { name: `group ${randomUUID()}`, key: randomUUID() };
    const status = await create(client, change);
    (status === 201 ? outcomes.acknowledged : outcomes.unknown).push(change);
    expect([0, 201, 503]).toContain(status);
  }
}

async function create(client: Client, { name, key }: Change): Promise<number> {
  const headers = { 'Idempotency-Key': key };
  return await client.post('groups', { name }, { headers }).then(
    ({ status }) => status,
    () => 0,
  );
}

async function settle(client: Client, change: Change): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const status = await create(client, change);
    if (status === 201) return;
    if (status !== 503 || attempt === 100) throw new Error(`It ended with ${status}.`);
    await sleep(100);
  }
}

describe('CF-18 a crash of PostgreSQL during commits', () => {
  it('loses nothing acknowledged; a repeated key settles what is not known, with one effect', async () => {
    const program = await startProgram(server.url);
    const client = program.client(token);
    const outcomes: Outcomes = { acknowledged: [], unknown: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      await recovered(client);
      let isGone = false;
      const writing = Array.from({ length: WRITERS }, () => createGroups(client, () => isGone, outcomes));
      await sleep(1_000 + Math.random() * 500);
      await server.end(round % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
      isGone = true;
      await Promise.all(writing);
      await server.start();
    }
    await recovered(client);
    for (const change of outcomes.unknown) await settle(client, change);
    const { acknowledged, unknown } = outcomes;
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(unknown.length).toBeGreaterThan(0);
    const names = [...acknowledged, ...unknown].map(({ name }) => name).sort();
    const stored = await server.admin("select name from groups where name like 'group %'");
    expect(stored.map(({ name }) => String(name)).sort()).toEqual(names);
    const recorded = await server.admin(`select count(*) as total from ledger where entity_type = 'group'
      and action = 'create' and entity_id in (select id from groups where name like 'group %')`);
    expect(Number(recorded[0]?.total)).toBe(names.length);
    expect(program.process.exitCode).toBeNull();
  });

  it('loses nothing in mixed writes', async () => {
    const { acknowledged, problems } = await killRounds({
      rounds: 1,
      place: placeOf(server),
      token: await addCompany(server.url),
      databaseServer: server,
    });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(0);
  });
});
