import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';

const ROUNDS = 3;

/**
 * Whether two connections lead to a pooler in transaction mode (PgBouncer). Each transaction then runs in any
 * session of PostgreSQL, so that settings, locks and LISTEN are lost. The signs are a session that changes
 * between two transactions of the first connection while the second has one open, or a session that both
 * have.
 */
export async function isPooledByTransaction(first: Client, second: Client): Promise<boolean> {
  const mark = randomUUID();
  await first.query(`select set_config('app.session', '${mark}', false)`);
  const before = await sessionOf(first);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await second.query('begin');
    const other = await sessionOf(second);
    // If the pooler has only one session, the first connection would wait for the end of this transaction.
    const isShared = other.pid === before.pid || other.mark === mark;
    const after = isShared ? null : await sessionOf(first);
    await second.query('rollback');
    if (after === null || after.pid !== before.pid || after.mark !== mark) return true;
  }
  return before.mark !== mark;
}

interface SessionFound {
  readonly pid: number;
  readonly mark: string | null;
}

async function sessionOf(client: Client): Promise<SessionFound> {
  const { rows } = await client.query<SessionFound>(
    `select pg_backend_pid() as pid, current_setting('app.session', true) as mark`,
  );
  return rows[0] ?? { pid: 0, mark: null };
}
