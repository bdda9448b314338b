import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { recovered, startLoad, unexpected } from '../faults/load.js';
import { addCompany, placeOf } from '../faults/postgres/gateway.js';
import { killRounds } from '../faults/rounds.js';
import { faultyPostgres, type OwnServer } from '../support/postgres/boot.js';
import { killPrograms, startProgram } from '../support/program.js';

let server: OwnServer;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres();
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.stop());

it('kill -9 of the server during mixed writes loses no acknowledged change', async () => {
  const { problems, acknowledged } = await killRounds({ rounds: 1, place: placeOf(server), token });
  expect(problems).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
});

it('cut connections to PostgreSQL cost a few requests a 503, and the next ones are served', async () => {
  const program = await startProgram(server.url);
  const client = program.client(token);
  await recovered(client);
  const load = startLoad(client);
  await expect.poll(() => load.answers.length).toBeGreaterThan(50);
  await server.admin(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway_owner'",
  );
  await recovered(client);
  expect(unexpected(await load.stop())).toEqual([]);
  expect((await client.get('/readyz')).status).toBe(200);
});
