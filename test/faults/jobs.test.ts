import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { replyOf } from '../support/graphql.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { serveHere, startProgram, type Program } from '../support/program.js';
import type { Fields } from '../support/server.js';
import { carrying } from '../support/uploading.js';
import { useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

const ROWS = 1_200;
const SOON = { interval: 5 };

const IMPORT = `mutation ($file: Upload!) {
  fleetImport(input: { file: $file }) { job { total } userErrors { message } } }`;
const FLEET = Array.from({ length: ROWS }, (_, n) => `SN-${n},number ${n},"{""key"":""${n}""}"`);
const FILE = ['serial_number,logical_number,parameters', ...FLEET].join('\n');

const CHANGE = `mutation { deviceBulkChange(target: { all: true },
  change: { enabled: false, parameter: { key: "key", value: "changed" } }) {
  job { total } userErrors { message } } }`;

const VALUES = `mutation { logicalNumberBulkChange(target: { all: true },
  change: { parameter: { key: "key", value: "changed again" } }) {
  job { total } userErrors { message } } }`;

/** A mutation that starts a job, and what its rows leave: rows of tables, and entries of the ledger. */
const JOBS = [
  {
    mutation: IMPORT,
    rows: ['devices', 'logical_numbers', 'parameters'],
    entries: ['device', 'logical_number', 'parameter'].map((type) => [type, 'create']),
  },
  {
    mutation: CHANGE,
    rows: ['devices where not enabled', "parameters where value = 'changed'"],
    entries: ['device', 'parameter'].map((type) => [type, 'update']),
  },
  {
    mutation: VALUES,
    rows: ["parameters where value = 'changed again'"],
    entries: [['parameter', 'update']],
  },
];

async function start(program: Program, token: string, query: string): Promise<void> {
  const file = carrying({ anonymous: program.client(null) }, { token }, { bytes: FILE, name: 'fleet.csv' });
  const reply =
    query === IMPORT
      ? await file.graphql(query)
      : replyOf(await program.client(token).post('/graphql', { query }));
  const [payload] = Object.values(reply.body.data as Readonly<Record<string, Fields>>);
  expect(payload).toEqual({ job: { total: ROWS }, userErrors: [] });
}

async function latestJob() {
  const [job] = await place.sql<{ id: number; state: string; done: number; rejected: number }>(
    'select id, state, done, rejected from jobs order by id desc limit 1',
  );
  return job ?? { id: 0, state: '', done: 0, rejected: 0 };
}

/** Numbers that a statement counts. */
async function counted(what: string): Promise<number[]> {
  const [row = {}] = await place.sql(`select ${what}`);
  return Object.values(row).map(Number);
}

/** Entries of the ledger, and the records that they are about. */
const entriesOf = (condition: string, each = 'entity_id'): Promise<number[]> =>
  counted(`count(*) as a, count(distinct ${each}) as b from ledger where ${condition}`);

describe('kill -9 of a node in the middle of a job', () => {
  it('does every row once: the node starts again, or another one goes on', async () => {
    const { token } = await prepareDatabase(place);
    for (const { mutation, rows, entries } of JOBS) {
      const program = await startProgram(place.url);
      // A node that runs all along looks for work of others every 10 seconds.
      const isShared = place.url.startsWith('postgres') && mutation === IMPORT;
      const beside = isShared ? await serveHere(place.url) : undefined;
      await start(program, token, mutation);
      await expect.poll(async () => (await latestJob()).done, SOON).toBeGreaterThan(0);
      await program.end('SIGKILL');
      const { id, state, done } = await latestJob();
      expect([state, done % 80, done < ROWS]).toEqual(['running', 0, true]);
      const next = beside ?? (await serveHere(place.url));
      await expect.poll(latestJob).toEqual({ id, state: 'done', done: ROWS, rejected: 0 });
      await next.stop();
      for (const each of rows) expect(await counted(`count(*) as a from ${each}`)).toEqual([ROWS]);
      for (const [type, action] of entries) {
        const condition = `job_id = ${id} and entity_type = '${type}' and action = '${action}'`;
        expect(await entriesOf(condition), condition).toEqual([ROWS, ROWS]);
      }
      expect(await entriesOf(`entity_type = 'job' and entity_id = ${id}`, 'action')).toEqual([2, 2]);
      expect(await counted('count(*) as a from job_parts')).toEqual([0]);
      expect(await problemsIn(place)).toEqual([]);
    }
  });
});
