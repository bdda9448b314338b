import { mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';

import { runDrill } from '../../src/cli/commands/database-drill.js';
import { ServerTools } from '../../src/database/postgres/tools.js';
import type { Progress } from '../../src/database/tools.js';
import { itUnless } from '../faults/machine.js';
import { addCompany } from '../faults/postgres/gateway.js';
import {
  adminUrlOf,
  createDatabase,
  dropDatabase,
  runAll,
  type OwnServer,
} from '../support/postgres/boot.js';
import { binOf, installedPostgres, WITHOUT_POSTGRES } from '../support/postgres/installed.js';
import { createByRest } from '../support/postgres/load.js';
import { killPrograms, runProgram, startProgram } from '../support/program.js';
import { scratchFolder } from '../support/scratch.js';

const it = itUnless(WITHOUT_POSTGRES);
const ENVIRONMENT = { PATH: `${binOf()}:${process.env.PATH}` };

let server: OwnServer;
let token: string;
beforeAll(async () => {
  if (WITHOUT_POSTGRES !== null) return;
  server = await installedPostgres();
  token = await addCompany(server.url);
});
afterAll(async () => {
  if (WITHOUT_POSTGRES === null) await server.stop();
});

let into = '';
let folder = '';
beforeEach(async () => {
  if (WITHOUT_POSTGRES !== null) return;
  into = await createDatabase(server);
  folder = join(scratchFolder(), 'drills');
  mkdirSync(folder);
});
afterEach(async () => {
  await killPrograms();
  if (WITHOUT_POSTGRES === null) await dropDatabase(server, into);
});

const drill = (...options: readonly string[]) =>
  runProgram(['db', 'drill', folder, ...options], server.url, { environment: ENVIRONMENT });

const relationsIn = async (url: string) =>
  await runAll(url, ["select relname from pg_class where relnamespace = 'public'::regnamespace"]);

describe('db drill of PostgreSQL', () => {
  it('restores a dump into an empty database beside a server, and leaves nothing', async () => {
    const program = await startProgram(server.url);
    expect((await createByRest(program.url, token, 'before', 'k-1')).status).toBe(201);
    for (let time = 0; time < 2; time += 1) {
      const { code, output, lines } = await drill('--into', into);
      expect(code, output).toBe(0);
      expect(lines[0]).toBe('STEP     SECONDS');
      expect(lines.at(-1)).toMatch(
        / can be restored from a backup: the drill took \d+\.\d s and has left nothing\.$/,
      );
      expect([readdirSync(folder), await relationsIn(into)]).toEqual([[], []]);
    }
    expect((await createByRest(program.url, token, 'after', 'k-2')).status).toBe(201);
  });

  it('finds a dump that is cut off, and names what is left', async () => {
    const prepared = await new ServerTools(server.url, 'gateway').drill(
      folder,
      { server: into },
      ENVIRONMENT,
    );
    const [left = ''] = prepared.left;
    const broken = {
      ...prepared,
      backup: async (onProgress: Progress) => {
        await prepared.backup(onProgress);
        truncateSync(join(left, 'backup.dump'), 20_000);
      },
    };
    const { failure, value } = await runDrill(broken, 'gateway', { progress: () => () => undefined });
    expect(failure?.message).toMatch(/^pg_restore ended with 1: [^]*The drill failed at the step restore\./);
    expect(failure?.message).toContain(`remove: ${left}, postgres://127.0.0.1:${server.port}/`);
    expect(value).toMatchObject({ ok: false, left: prepared.left });
  });

  it('finds wrong totals, which a dump has too', async () => {
    await server.admin("update counters set total = total + 1 where name = 'users'");
    const wrong = await drill('--into', into);
    await server.admin("update counters set total = total - 1 where name = 'users'");
    expect(wrong.code).toBe(78);
    expect(wrong.stderr).toMatch(/its counter of users is \d, but it has \d\n.*failed at the step check/);
    expect(await relationsIn(into)).not.toEqual([]);
  });

  it('finds a dump without rows, as pg_dump makes it without the role that sees them', async () => {
    const prepared = await new ServerTools(server.url, 'gateway').drill(
      folder,
      { server: into },
      ENVIRONMENT,
    );
    const restored = {
      ...prepared,
      restore: async (onProgress: Progress) => {
        await prepared.restore(onProgress);
        await runAll(adminUrlOf(server, into), ['truncate companies, users, counters cascade']);
      },
    };
    const { failure } = await runDrill(restored, 'gateway', { progress: () => () => undefined });
    expect(failure?.message).toContain('the backup has no row of companies, of which ');
  });

  it('is refused without an empty database, or without pg_dump', async () => {
    const without = await drill();
    expect([without.code, without.stderr]).toEqual([
      78,
      expect.stringMatching(/^Name an empty database of the server of .* with --into\. Nothing was done\.$/m),
    ]);
    const same = await drill('--into', server.url);
    expect([same.code, same.stderr]).toEqual([1, expect.stringContaining('has tables, perhaps of a drill')]);
    const missing = await runProgram(['db', 'drill', folder, '--into', into], server.url, {
      environment: { PATH: '/nowhere' },
    });
    expect([missing.code, missing.stderr]).toEqual([
      78,
      expect.stringContaining('This machine has no pg_dump: install the client of PostgreSQL'),
    ]);
  });
});
