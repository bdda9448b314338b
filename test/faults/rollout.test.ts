import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { replyOf } from '../support/graphql.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { serveHere, startProgram, type Program } from '../support/program.js';
import { rolloutFleet } from '../support/rollouts.js';
import type { Fields, Member } from '../support/server.js';
import { useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

const TERMINALS = 900;
const SOON = { interval: 5 };

async function ask(program: Program, token: string, query: string, variables: Fields = {}): Promise<Fields> {
  const { body } = replyOf(await program.client(token).post('/graphql', { query, variables }));
  return body.data as Fields;
}

/** One number that a statement counts. */
async function count(what: string): Promise<number> {
  const [row] = await place.sql<{ n: number }>(`select count(*) as n from ${what}`);
  return Number(row?.n);
}

const granted = (): Promise<number> => count('rollout_terminals where granted_at is not null');

/** Kills a node once `begun` says that it is in the middle of its work, and starts another one. */
async function kill(program: Program, begun: () => Promise<boolean>): Promise<Program> {
  await expect.poll(begun, SOON).toBe(true);
  await program.end('SIGKILL');
  return await startProgram(place.url);
}

describe('kill -9 of a node during a rollout', () => {
  it('gives the versions to each terminal once, and takes them back once', async () => {
    const { token, companyId } = await prepareDatabase(place);
    let program = await startProgram(place.url);
    const [user] = await place.sql<{ id: number }>('select max(user_id) as id from memberships');
    const caller = { companyId, userId: Number(user?.id) };
    const member = { client: program.client(token), caller } as unknown as Member;
    const clock = { now: () => new Date() };
    const own = await rolloutFleet({ place, clock } as Parameters<typeof rolloutFleet>[0], member, TERMINALS);
    const { target, ...input } = own.input({ waves: [{ percent: 50 }, {}] });
    const create = `mutation ($input: RolloutCreateInput!, $target: AppVersionGrantTargetInput!) {
      rolloutCreate(input: $input, target: $target) { rollout { id } userErrors { message } } }`;
    const { rolloutCreate } = (await ask(program, token, create, { input, target })) as {
      rolloutCreate: { rollout: { id: string } };
    };
    const { id } = rolloutCreate.rollout;
    // In the middle of the draw, of the first wave, and of the second one.
    program = await kill(program, async () => (await count('rollout_terminals')) > 0);
    program = await kill(program, async () => (await granted()) > 0);
    program = await kill(program, async () => (await granted()) > TERMINALS / 2);
    await expect.poll(granted).toBe(TERMINALS);
    const links = `logical_number_app_versions where app_version_id =`;
    expect([await count('rollout_terminals'), await granted()]).toEqual([TERMINALS, TERMINALS]);
    expect([await count(`${links} ${own.after}`), await count(`${links} ${own.before}`)]).toEqual([
      TERMINALS,
      0,
    ]);
    const steps = await place.sql<{ action: string }>(
      "select action from ledger where entity_type = 'rollout' order by position",
    );
    expect(steps.map(({ action }) => action)).toEqual(['create', 'start_wave', 'start_wave']);
    await ask(program, token, 'mutation ($id: ID!) { rolloutUndo(id: $id) { userErrors { message } } }', {
      id,
    });
    program = await kill(
      program,
      async () => (await count('rollout_terminals where undone_at is not null')) > 0,
    );
    await program.end('SIGKILL');
    const node = await serveHere(place.url);
    await expect.poll(() => count(`${links} ${own.before}`)).toBe(TERMINALS);
    expect(await count(`${links} ${own.after}`)).toBe(0);
    await node.stop();
    const entries = "ledger where entity_type = 'logical_number' and action = 'update'";
    expect(await count(entries)).toBe(2 * TERMINALS);
    // The fleet was inserted by plain SQL.
    const problems = await problemsIn(place);
    expect(problems.filter((each) => !each.endsWith('is not in the ledger'))).toEqual([]);
  });
});
