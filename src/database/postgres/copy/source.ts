import { databaseName } from '../../../platform/config/database-url.js';
import type { CopySource, TargetState } from '../../copy/place.js';
import { refuseOlder, refuseUnfinished } from '../../copy/unfinished.js';
import { translate } from '../faults.js';
import { inspect } from '../migrate.js';
import { reach } from '../open.js';
import { AS_SYSTEM } from '../roles.js';
import { stateOfCopy, unfinishedCopyIn } from './mark.js';
import { ServerReader } from './reader.js';

/** Settings of a long transaction, whose texts must have the forms that the reader expects. */
export const LONG = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local bytea_output = hex; set local extra_float_digits = 1`;
/** Name of the connection. Servers are recognized by the name `terminal-gateway`, so this one differs. */
export const APPLICATION = `set application_name = 'terminal-gateway db copy'`;

class ServerSource extends ServerReader implements CopySource {
  #numbers: ReadonlyMap<string, number> = new Map();

  /** Reads sequences as the owner, then switches to the role that sees the rows of all companies. */
  async begin(): Promise<void> {
    await this.client.query(`begin isolation level repeatable read read only; ${LONG}`);
    this.#numbers = await super.lastNumbers();
    await this.client.query(AS_SYSTEM);
  }

  override lastNumbers(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(this.#numbers);
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

/** Opens a snapshot of a database, which servers may be using. Errors: `DatabaseRefused`. */
export async function openServerSource(url: string): Promise<CopySource> {
  const name = databaseName({ server: url });
  const client = await reach(url);
  try {
    const { pending } = await inspect(client, name);
    if (pending.length > 0) throw refuseOlder(name, pending);
    const unfinished = await unfinishedCopyIn(client);
    if (unfinished !== null) throw refuseUnfinished(name, unfinished);
    await client.query(APPLICATION);
    const source = new ServerSource(name, client);
    await source.begin();
    return source;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw translate(error);
  }
}

/** State of a database; null if it has no tables yet. Errors: `DatabaseRefused`. */
export async function serverState(url: string): Promise<TargetState | null> {
  const client = await reach(url);
  try {
    const { applied } = await inspect(client, databaseName({ server: url }));
    return applied.length === 0 ? null : await stateOfCopy(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
