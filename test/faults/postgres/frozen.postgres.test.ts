import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';

import { adminUrlOf } from '../../support/postgres/boot.js';
import { createByRest } from '../../support/postgres/load.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';
import { killPrograms, startProgram } from '../../support/program.js';

const here = openNodes(1);
afterAll(killPrograms);

/** Process ids of the sessions of PostgreSQL in the database, but that of the caller. */
async function sessions(): Promise<ReadonlySet<number>> {
  const rows = await here.admin<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return new Set(rows.map(({ pid }) => pid));
}

it('RU-86 a node that freezes inside a change stops its company for 10 s, and its change is stored once', async () => {
  const [{ caller, token }, other] = [await addCompany(here.node(0)), await addCompany(here.node(0))];
  const waiting = await startProgram(here.url);
  const before = await sessions();
  const frozen = await startProgram(here.url);
  const locker = new pg.Client(adminUrlOf(inject('postgres'), here.url));
  await locker.connect();
  const key = randomUUID();
  // Its change waits for the table, with the lock of the company.
  await locker.query('begin; lock table groups in share mode');
  const first = createByRest(frozen.url, token, 'frozen', key).catch(() => null);
  await expect
    .poll(() =>
      here.admin(`select 1 from pg_stat_activity where wait_event = 'relation'
      and datname = current_database()`),
    )
    .toHaveLength(1);
  frozen.process.kill('SIGSTOP');
  await locker.query('rollback');
  await locker.end();
  const listening = async (): Promise<unknown[]> => {
    const pids = [...(await sessions())].filter((pid) => !before.has(pid));
    const query = '^(listen|select 1$|select pg_(try_)?advisory)';
    return await here.admin('select 1 from pg_stat_activity where pid = any($1) and query ~ $2', [
      pids,
      query,
    ]);
  };
  expect(await listening()).toHaveLength(1);

  expect((await createByRest(waiting.url, other.token, 'of another company', randomUUID())).status).toBe(201);
  const refused = await createByRest(waiting.url, token, 'refused', randomUUID());
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('busy')]);
  const blocked = createByRest(waiting.url, token, 'blocked', randomUUID());
  const client = waiting.client(token);
  await expect
    .poll(async () => (await client.get('/readyz')).body.checks)
    .toMatchObject({
      turns: {
        ok: true,
        note: expect.stringMatching(/^companies that wait for another node: 1, for up to \d s$/) as string,
      },
    });
  const metrics = async (): Promise<string> => (await fetch(`${waiting.url}/metrics`)).text();
  expect(await metrics()).toMatch(/^database_waiting_companies 1$/m);
  expect(await metrics()).toMatch(/^database_company_wait_seconds [1-9]/m);
  const warning =
    waiting
      .output()
      .split('\n')
      .find((line) => line.includes('a change was refused')) ?? '{}';
  expect(JSON.parse(warning)).toMatchObject({
    company_id: caller.companyId,
  });

  const statuses = [refused.status, (await blocked).status];
  while (statuses.at(-1) === 503)
    statuses.push((await createByRest(waiting.url, token, 'blocked', randomUUID())).status);
  expect(statuses.at(-1)).toBe(201);
  // Each has waited for 4 s.
  expect(statuses.length - 1).toBeLessThanOrEqual(3);
  expect(await metrics()).toMatch(/^database_waiting_companies 0$/m);
  // The session with the locks of tasks ends too. What is left is idle and locks nothing.
  await expect.poll(listening).toEqual([]);

  frozen.process.kill('SIGCONT');
  await first;
  expect((await createByRest(frozen.url, token, 'frozen', key)).status).toBe(201);
  const names = await here.admin('select name from groups where company_id = $1 order by id', [
    caller.companyId,
  ]);
  expect(names).toEqual([{ name: 'blocked' }, { name: 'frozen' }]);
});
