import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { createCommandIo } from '../../../src/cli/command-io.js';
import { runCommandLine } from '../../../src/cli/program.js';
import type { Client } from '../../support/client.js';
import { killPrograms, type Program } from '../../support/program.js';
import { Lists, TERMINALS_EACH, Writer } from '../mixed-writes.js';
import type { RoundsResult } from '../rounds.js';
import { faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, settingsFor, startGateway } from './gateway.js';

export interface PostgresRounds {
  readonly rounds: number;
  /** Process that is killed in each round. */
  readonly kill: 'server' | 'postgres';
  readonly onRound?: (round: number, soFar: RoundsResult) => void;
}

const WRITERS = 16;
/** With the chain, an entry of the ledger that is lost or changed is found. */
const CHAIN = { LEDGER_CHAIN: '1' };

/**
 * In each round: kills the server or all processes of PostgreSQL during writes, starts it again and checks that every
 * acknowledged change is there. PostgreSQL runs with its own defaults: each commit is on the disk when it is acknowledged.
 */
export async function postgresRounds({ rounds, kill, onRound }: PostgresRounds): Promise<RoundsResult> {
  const postgres = await faultyPostgres();
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(`w${n}`, Math.random));
  const problems: string[] = [];
  let slowestStart = 0;
  const result = (): RoundsResult => ({
    ...{ rounds, problems, slowestStart, writers: WRITERS },
    acknowledged: writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
  });
  try {
    const token = await addCompany(postgres.url);
    let program: Program | null = null;
    for (let round = 0; round <= rounds; round += 1) {
      const since = performance.now();
      if (program === null && round > 0 && kill === 'postgres') throw new Error('The server has ended.');
      program ??= await startGateway(postgres.url, { environment: CHAIN });
      const client = program.client(token);
      await recovered(client);
      slowestStart = Math.max(slowestStart, performance.now() - since);
      if (round === 0) for (const writer of writers) await writer.prepare(client);
      problems.push(...(await problemsAfter(client, writers, postgres)));
      if (round > 0) onRound?.(round, result());
      if (round === rounds) break;
      await writeUntilKilled(client, writers, () => killOne(kill, postgres, program));
      if (kill === 'server') program = null;
      else await postgres.start();
    }
    await program?.end('SIGTERM');
    return result();
  } finally {
    await killPrograms();
    await postgres.remove();
  }
}

async function killOne(
  kill: PostgresRounds['kill'],
  postgres: FaultyPostgres,
  program: Program | null,
): Promise<void> {
  if (kill === 'postgres') await postgres.end('SIGKILL');
  else await program?.end('SIGKILL');
}

async function writeUntilKilled(
  client: Client,
  writers: readonly Writer[],
  kill: () => Promise<void>,
): Promise<void> {
  let isGone = false;
  const refusedWhenGone: Client = {
    ...client,
    request: async (...args) => {
      const reply = await client.request(...args);
      // Whether the change was made is not known, as if there were no answer.
      if (isGone && reply.status === 503) throw new Error(reply.text);
      return reply;
    },
  };
  const writing = Promise.all(writers.map((writer) => writer.write(refusedWhenGone, () => isGone)));
  await Promise.race([writing, sleep(200 + Math.random() * 2_800)]);
  isGone = true;
  await kill();
  await writing;
}

async function problemsAfter(
  client: Client,
  writers: readonly Writer[],
  postgres: FaultyPostgres,
): Promise<string[]> {
  const lists = new Lists(client);
  const problems: string[] = [];
  for (const writer of writers) problems.push(...(await writer.verify(lists)));
  for (const command of [
    ['db', 'check'],
    ['audit', 'verify'],
  ]) {
    const { code, output } = await runHere(command, postgres.url);
    if (code !== 0) problems.push(`${command.join(' ')} ended with ${code}: ${output}`);
  }
  return [...problems, ...(await halfWritten(postgres))];
}

const TABLES = {
  ...{ groups: 'group', logical_numbers: 'logical_number', devices: 'device', apps: 'app', files: 'file' },
  ...{ app_versions: 'app_version', parameters: 'parameter', metacontents: 'metacontent' },
  notifications: 'notification',
};

/** A message for each record that is stored in part. */
async function halfWritten(postgres: FaultyPostgres): Promise<string[]> {
  const unrecorded = Object.entries(TABLES).map(
    ([table, type]) => `select '${table} ' || id || ' is not in the ledger' as problem from ${table}
      where id not in (select entity_id from ledger where entity_type = '${type}' and action = 'create')`,
  );
  const rows = await postgres.admin(
    ...unrecorded,
    `select 'content ' || id || ' has lost bytes' as problem from contents where size <> coalesce((select
      sum(length(bytes)) from content_chunks where content_id = contents.id), 0)`,
    `select 'notification ' || id || ' is only partly delivered' as problem from notifications where (select count(*)
      from notification_deliveries where notification_id = notifications.id) <> ${TERMINALS_EACH}`,
  );
  return rows.map(({ problem }) => String(problem));
}

/** Runs a command in this process: the same code, without loading it anew. */
async function runHere(args: readonly string[], url: string): Promise<{ code: number; output: string }> {
  const output = new PassThrough();
  const streams = { stdin: Readable.from([]), stdout: output, stderr: output };
  const io = createCommandIo({ ...settingsFor(url), ...CHAIN }, 'terminal-gateway', streams);
  const code = await runCommandLine(args, io);
  return { code, output: String(output.read() ?? '') };
}
