import type { Transaction } from 'kysely';

import type { Caller } from '../../platform/caller.js';
import { inParts } from '../../platform/concurrency/event-loop.js';
import type { KeyedHash } from '../../platform/hashes.js';
import type { Tables } from '../../schema/schema.js';
import { drawIds, insertDrawing } from '../counters.js';
import { insertRows, NO_ENDING } from '../statements.js';
import { instant, json, nullable } from '../storage.js';
import type { Ledger, LedgerChange } from '../work.js';
import { chained, NO_COMPANY, type LedgerRow } from './chain.js';

export interface RecordedChange extends LedgerChange {
  readonly companyId: number | null;
  readonly userId: number | null;
  readonly at: Date;
}

type Actor = Partial<Caller> & Pick<Caller, 'channel' | 'ip' | 'requestId'>;

/** Rows per statement: more would hold the event loop for too long. */
const ROWS_PER_INSERT = 200;

const state = nullable(json<object>());

/** Creates the ledger of a unit of work (decisions.md#ledger). With `chain`, its entries get hashes. */
export function createLedger(
  db: Transaction<Tables>,
  now: Date,
  actor: Actor,
  chain: KeyedHash | null,
): Ledger & { flush(): Promise<readonly RecordedChange[]> } {
  const entries: RecordedChange[] = [];
  const append: Ledger['append'] = (event) => {
    const { companyId = actor.companyId ?? null, userId = actor.userId ?? null } = event;
    entries.push({ ...event, companyId, userId, at: now });
  };
  return {
    append,
    created: (entityType, after, given) =>
      append({ action: 'create', entityType, entityId: after.id, after, ...given }),
    updated: (entityType, before, after, given) =>
      append({ action: 'update', entityType, entityId: before.id, before, after, ...given }),
    deleted: (entityType, before, given) =>
      append({ action: 'delete', entityType, entityId: before.id, before, after: null, ...given }),
    flush: async () => {
      const [only, ...others] = entries;
      if (chain === null && only !== undefined && others.length === 0 && only.companyId === actor.companyId) {
        // The usual case takes one statement.
        const drawing = { table: 'ledger', number: 'sequence', companyId: only.companyId };
        await insertDrawing(db, drawing, rowOf(only, actor), NO_ENDING);
        return entries;
      }
      for await (const part of inParts(await numbered(db, entries), ROWS_PER_INSERT)) {
        const plain = part.map(([entry, sequence]) => ({ sequence, ...rowOf(entry, actor) }));
        const rows = chain === null ? plain : await chained(db, chain, plain);
        await insertRows(db, 'ledger', rows);
      }
      return entries;
    },
  };
}

/** Assigns sequences to entries, which continue those of their company, in one statement. */
async function numbered(
  db: Transaction<Tables>,
  entries: readonly RecordedChange[],
): Promise<readonly (readonly [RecordedChange, number])[]> {
  const companyOf = ({ companyId }: RecordedChange): number => companyId ?? NO_COMPANY;
  const byCompany = Map.groupBy(entries, companyOf);
  const draws = [...byCompany].map(([companyId, own]) => ({ companyId, count: own.length }));
  const next = new Map(await drawIds(db, 'ledger', draws));
  return entries.map((entry) => {
    const sequence = next.get(companyOf(entry)) ?? 0;
    next.set(companyOf(entry), sequence + 1);
    return [entry, sequence];
  });
}

function rowOf(entry: RecordedChange, actor: Actor): Omit<LedgerRow, 'sequence'> {
  return {
    company_id: entry.companyId,
    at: instant.toColumn(entry.at),
    user_id: entry.userId,
    token_id: actor.tokenId ?? null,
    channel: actor.channel,
    action: entry.action,
    entity_type: entry.entityType,
    entity_id: entry.entityId,
    before: state.toColumn(entry.before ?? null),
    after: state.toColumn(entry.after ?? null),
    request_id: actor.requestId,
    ip: actor.ip,
  };
}
