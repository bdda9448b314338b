import { randomBytes } from 'node:crypto';
import { chownSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { FAST, faultyPostgres, OTHER_USER, runAll, type OwnServer } from '../../support/postgres/boot.js';
import { killPrograms, startProgram } from '../../support/program.js';
import { recovered, requested, unexpected } from '../load.js';
import { itUnless, lacking, mountSmall, runTool } from '../machine.js';
import { addCompany } from './gateway.js';

const MEGABYTE = 1024 * 1024;

let server: OwnServer;
beforeAll(async () => {
  server = await faultyPostgres(FAST);
});
afterAll(() => server.stop());

function upload(name: string): FormData {
  const form = new FormData();
  form.set('asset', new Blob([randomBytes(MEGABYTE)]), name);
  return form;
}

describe('CF-05 a full disk under PostgreSQL', () => {
  itUnless(lacking.mount())('writes are 503, reads work; it recovers without a restart', async () => {
    const small = join(server.folder, 'small');
    const unmount = mountSmall(small, 48);
    try {
      const { uid, gid } = OTHER_USER;
      if (uid !== undefined) chownSync(small, uid, gid);
      chmodSync(small, 0o700);
      await server.admin(`create tablespace small location '${small}'`);
      await runAll(server.adminUrl, ['alter database gateway set tablespace small']);
      const token = await addCompany(server.url);
      const program = await startProgram(server.url);
      const client = program.client(token);
      await recovered(client);
      const stored: string[] = [];
      let refused = 0;
      for (let n = 0; n < 60 && refused < 3; n += 1) {
        const reply = await client.post('files', upload(`file ${n}`));
        if (reply.status === 201) {
          stored.push(`file ${n}`);
          continue;
        }
        refused += 1;
        expect([reply.status, reply.body.code]).toEqual([503, 'storage_full']);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(refused).toBe(3);
      const files = async (): Promise<unknown[]> =>
        (await client.get('files', undefined, { query: { per_page: 100 } }))
          .list('files')
          .map(({ name }) => name);
      expect((await files()).sort()).toEqual([...stored].sort());
      const ready = await client.get('/readyz');
      expect([ready.status, ready.body.checks]).toEqual([
        503,
        expect.objectContaining({ database: { ok: false, problem: 'storage_full' } }),
      ]);
      await server.admin(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway_owner'",
      );
      // Reads now need new connections, for which PostgreSQL may write files of its own.
      const reads = Array.from({ length: 12 }, () => requested(client, 'GET', 'groups'));
      expect(unexpected(await Promise.all(reads))).toEqual([]);
      await expect.poll(async () => (await requested(client, 'GET', 'groups')).status).toBe(200);
      runTool('mount', '-o', 'remount,size=96m', small);
      await recovered(client);
      expect((await client.get('/readyz')).status).toBe(200);
      expect((await requested(client, 'POST', 'files', upload('after'))).status).toBe(201);
      expect((await files()).sort()).toEqual([...stored, 'after'].sort());
    } finally {
      await killPrograms();
      await server.end('SIGKILL');
      unmount();
    }
  });
});
