import { describe, expect } from 'vitest';

import type { Reply } from '../support/client.js';
import type { TestPlace } from '../support/databases/place.js';
import { type Program, serveHere, startProgram } from '../support/program.js';
import { contents, notifyGroup, NUMBERS, prepareLargeGroup, warmUp } from './large-group.js';
import { faultyStorage, itUnless, lacking, startPrepared, useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let place: TestPlace;
useDatabase((given) => ({ folder, place } = given));

describe('kill -9 while a notification goes to a thousand terminals', () => {
  itUnless(lacking.compiler())(
    'CF-03 stores none if it is killed between two writes to the disk',
    async () => {
      const { token, groupId } = await prepareLargeGroup(place);
      const storage = faultyStorage(folder);
      for (const writes of [1, 2, 10]) {
        const program = await startProgram(place.url, storage.options);
        await warmUp(program.client(token), writes);
        storage.fail('write', 'kill', { every: writes });
        const content = `SHOW_MESSAGE|dies at write ${writes}`;
        await expect(notifyGroup(program.client(token), groupId, content)).rejects.toThrow();
        expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
        storage.heal();
        const again = await serveHere(place.url);
        expect(await contents(again.client(token))).not.toContain(content);
        expect(await problemsIn(place, { deliveriesEach: NUMBERS })).toEqual([]);
        await again.stop();
      }
    },
  );
});

describe('a crash between commit and response', () => {
  type Send = (program: Pick<Program, 'client'>) => Promise<Reply>;

  /** Kills the program after it has stored the change that `sendAs` sends, and starts a server. */
  async function crashAfterCommit(sendAs: (token: string) => Send) {
    const storage = faultyStorage(folder);
    const { token, program, client } = await startPrepared(place, storage.options);
    const send = sendAs(token);
    await warmUp(client, 1);
    storage.fail('sync', 'kill-after');
    await expect(send(program)).rejects.toThrow();
    expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    storage.heal();
    const server = await serveHere(place.url);
    return { client: server.client(token), send: () => send(server) };
  }

  const once = { headers: { 'Idempotency-Key': 'only-once' } };

  itUnless(lacking.compiler())(
    'CF-04 a retry with the same Idempotency-Key replays the response, with one effect',
    async () => {
      const { client, send } = await crashAfterCommit(
        (token) => (program) => program.client(token).post('devices', { serial_number: 'only-one' }, once),
      );
      const stored = await client.get('devices');
      expect(stored.list('devices')).toMatchObject([{ serial_number: 'only-one' }]);
      const retried = await send();
      expect(retried.status).toBe(201);
      expect(retried.headers.get('idempotent-replayed')).toBe('true');
      expect(retried.record('device')).toEqual(stored.list('devices')[0]);
      expect((await client.get('devices')).body.pagination).toMatchObject({ total_entries: 1 });
    },
  );
});
