import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { createGroup } from '../../src/resources/group/group.service.js';
import { createLogicalNumber } from '../../src/resources/logical-number/logical-number.service.js';
import type { Client } from '../support/client.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram, type Program } from '../support/program.js';
import { faultyStorage, itUnless, lacking, useScratchFolder } from './machine.js';
import { killRounds } from './rounds.js';
import { problemsIn } from './soundness.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

const ROUNDS = 5;
const NUMBERS = 1_000;

describe('CF-01 kill -9 during mixed writes', () => {
  it(`loses no acknowledged change in ${ROUNDS} rounds`, async () => {
    const { problems, acknowledged } = await killRounds({ rounds: ROUNDS, folder });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(ROUNDS * 16);
  });
});

/** Creates a group with 1,000 logical numbers. */
async function prepareLargeGroup(): Promise<{ token: string; groupId: number }> {
  let groupId = 0;
  const { token } = await prepareDatabase(file, async (work) => {
    groupId = (await createGroup(work, { name: 'large' })).id;
    for (let n = 0; n < NUMBERS; n += 1) await createLogicalNumber(work, { number: `large-${n}`, groupId });
  });
  return { token, groupId };
}

/** A write before the tested one, so that no other pending write of the program is mistaken for it. */
async function warmUp(client: Client, n: number): Promise<void> {
  expect((await client.post('groups', { name: `warm ${n}` })).status).toBe(201);
}

const notifyGroup = (client: Client, groupId: number, content: string) =>
  client.post('notifications', { content, range: 'group', group_id: groupId });

async function contents(client: Client): Promise<unknown[]> {
  return (await client.get('notifications')).list('notifications').map((fields) => fields.content);
}

describe('kill -9 while a notification goes to a thousand terminals', () => {
  it('CF-03 stores all of its deliveries or none', async () => {
    const { token, groupId } = await prepareLargeGroup();
    let program = await startProgram(file);
    for (let round = 0; round < 4; round += 1) {
      const client = program.client(token);
      const before = (await contents(client)).length;
      const sending = Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => notifyGroup(client, groupId, `SHOW_MESSAGE|${round}.${n}`)),
      );
      await sleep(Math.random() * 60);
      await program.end('SIGKILL');
      const acknowledged = (await sending).filter(({ status }) => status === 'fulfilled').length;
      program = await startProgram(file);
      const after = (await contents(program.client(token))).length;
      expect(after - before).toBeGreaterThanOrEqual(acknowledged);
      expect(problemsIn(file, { deliveriesEach: NUMBERS })).toEqual([]);
    }
  });

  itUnless(lacking.compiler())(
    'CF-03 stores none if it is killed between two writes to the disk',
    async () => {
      const { token, groupId } = await prepareLargeGroup();
      const storage = faultyStorage(folder);
      let program = await startProgram(file, storage.options);
      for (const writes of [1, 2, 10]) {
        await warmUp(program.client(token), writes);
        storage.fail('write', 'kill', { every: writes });
        const content = `SHOW_MESSAGE|dies at write ${writes}`;
        await expect(notifyGroup(program.client(token), groupId, content)).rejects.toThrow();
        expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
        storage.heal();
        program = await startProgram(file, storage.options);
        expect(await contents(program.client(token))).not.toContain(content);
        expect(problemsIn(file, { deliveriesEach: NUMBERS })).toEqual([]);
      }
    },
  );
});

describe('a crash between commit and response', () => {
  const once = { headers: { 'Idempotency-Key': 'only-once' } };

  itUnless(lacking.compiler())(
    'CF-04 a retry with the same Idempotency-Key replays the response, with one effect',
    async () => {
      const { token } = await prepareDatabase(file);
      const storage = faultyStorage(folder);
      const send = (program: Program) =>
        program.client(token).post('devices', { serial_number: 'only-one' }, once);

      const first = await startProgram(file, storage.options);
      await warmUp(first.client(token), 1);
      storage.fail('sync', 'kill-after');
      await expect(send(first)).rejects.toThrow();
      expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
      storage.heal();

      const second = await startProgram(file, storage.options);
      const stored = await second.client(token).get('devices');
      expect(stored.list('devices')).toMatchObject([{ serial_number: 'only-one' }]);
      const retried = await send(second);
      expect(retried.status).toBe(201);
      expect(retried.headers.get('idempotent-replayed')).toBe('true');
      expect(retried.record('device')).toEqual(stored.list('devices')[0]);
      expect((await second.client(token).get('devices')).body.pagination).toMatchObject({ total_entries: 1 });
    },
  );

  itUnless(lacking.compiler())(
    'CF-04 a retry over GraphQL replays the response as well, with one effect',
    async () => {
      const { token } = await prepareDatabase(file);
      const storage = faultyStorage(folder);
      const query = `mutation { groupCreate(input: { name: "only one" }) {
      group { id name createdAt logicalNumbers { totalCount } } userErrors { code } } }`;
      const send = (program: Program) => program.client(token).post('/graphql', { query }, once);

      const first = await startProgram(file, storage.options);
      await warmUp(first.client(token), 1);
      storage.fail('sync', 'kill-after');
      await expect(send(first)).rejects.toThrow();
      expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
      storage.heal();

      const second = await startProgram(file, storage.options);
      const retried = await send(second);
      expect(retried.headers.get('idempotent-replayed')).toBe('true');
      expect(retried.body.data).toMatchObject({
        groupCreate: { group: { name: 'only one', logicalNumbers: { totalCount: 0 } }, userErrors: [] },
      });
      const groups = (await second.client(token).get('groups')).list('groups');
      expect(groups.filter(({ name }) => name === 'only one')).toHaveLength(1);
      expect((await send(second)).text).toBe(retried.text);
    },
  );
});
