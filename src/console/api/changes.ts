import type { EntityType as LedgerType } from '../gql/graphql';
import { connection, subscribe } from './client';
import { graphql } from './graphql';

/** Types of records that the ledger has entries of, and the presence of devices. */
export type EntityType = LedgerType | 'PRESENCE';

const APPENDED = graphql(
  `subscription Changes { ledgerAppended { sequence entityKind actionKind entity { id } } }`,
);

const PRESENCE = graphql(`subscription Presence { deviceChanged { kind device { id } } }`);

/** Changes that come within this time are one to a page. */
const TOGETHER_MS = 400;
/** Changes of others are shown at most this often. */
const PAUSE_MS = 2_000;
/** Requests to show changes of others: 15 a minute, a quarter of those of an hour, and some more at first. */
const [MS_PER_REQUEST, AT_FIRST] = [4_000, 8] as const;
/** Looking takes at most this part of the requests that are left, since other pages and browsers need some. */
const PART_OF_BUDGET = 1 / 4;

/** Ids of records that were updated; null if other records were, or some were created or deleted. */
export type UpdatedIds = ReadonlySet<string> | null;
/** Loads what it shows again; returns the number of requests for that. */
type Listener = (updated: UpdatedIds) => number;
const listeners = new Map<Listener, readonly EntityType[]>();
const changed = new Map<EntityType | typeof ANY, Set<string> | null>();
/** Stands for records of every type. */
const ANY = 'ANY';
let timer: number | undefined;
/** Requests that count in the pause, of which one is forgotten every `MS_PER_REQUEST`. */
let counted = 0;
let publishedAt = 0;
/** Earliest time to show changes of others. */
let quietUntil = 0;
/** When the next changes are published. */
let dueAt = Infinity;
let unsubscribe: (() => void) | undefined;
/** Set while a page shows the presence: the server looks for its changes only while somebody follows them. */
let endPresence: (() => void) | undefined;

/** Calls `listener` after records of these types have changed; ids are those of the first type. Returns how to end that. */
export function onChanges(types: readonly EntityType[], listener: Listener): () => void {
  const entry: Listener = (updated) => listener(updated);
  listeners.set(entry, types);
  unsubscribe ??= subscribe(APPENDED, {}, ({ ledgerAppended: { entityKind, actionKind, entity } }) => {
    reportChange(entityKind, actionKind === 'UPDATE' ? entity?.id : undefined);
  });
  if (types.includes('PRESENCE')) {
    endPresence ??= subscribe(PRESENCE, {}, ({ deviceChanged }) => {
      if (deviceChanged.kind === 'PRESENCE') reportChange('PRESENCE', deviceChanged.device?.id);
    });
  }
  return () => {
    listeners.delete(entry);
    if (![...listeners.values()].some((others) => others.includes('PRESENCE'))) stopPresence();
  };
}

/**
 * Has all that is shown loaded again soon, or what shows records of this type: this browser changed one. `id` is that of
 * a record that was updated.
 */
export function noteChange(
  type: EntityType | typeof ANY = ANY,
  at = Date.now() + TOGETHER_MS,
  id?: string,
): void {
  const ids = changed.get(type);
  changed.set(type, id === undefined || ids === null ? null : (ids ?? new Set()).add(id));
  if (at < dueAt) publishAt(at);
}

/** Has the pages that show records of this type load them again, with pauses that the budget of requests allows. */
export function reportChange(type: EntityType, id?: string): void {
  noteChange(type, Math.max(Date.now() + TOGETHER_MS, quietUntil), id);
}

document.addEventListener('visibilitychange', () => {
  if (changed.size > 0) publish();
});

connection.on('connected', () => {
  for (const type of new Set([...listeners.values()].flat())) noteChange(type);
});

function stopPresence(): void {
  endPresence?.();
  endPresence = undefined;
}

/** Follows the ledger of the company that the session now works for. */
export function restartChanges(): void {
  unsubscribe?.();
  unsubscribe = undefined;
  stopPresence();
}

/** Records of the first type, and devices with another presence, if nothing else of these types has changed. */
function updatedOf([own, ...others]: readonly EntityType[]): UpdatedIds {
  const updated = new Set<string>();
  for (const [type, ids] of changed) {
    if (type !== own && type !== 'PRESENCE' && type !== ANY && !others.includes(type)) continue;
    if (ids === null || (type !== own && type !== 'PRESENCE')) return null;
    for (const id of ids) updated.add(id);
  }
  return updated;
}

function publishAt(at: number): void {
  clearTimeout(timer);
  dueAt = at;
  timer = setTimeout(publish, at - Date.now());
}

function publish(): void {
  dueAt = Infinity;
  // A page that is not seen is loaded again when it is.
  if (document.hidden) return;
  if (connection.limitedUntil > Date.now()) {
    publishAt(connection.limitedUntil);
    return;
  }
  let requests = 0;
  for (const [listener, types] of listeners) {
    if (changed.has(ANY) || types.some((type) => changed.has(type))) requests += listener(updatedOf(types));
  }
  changed.clear();
  const msPerRequest = Math.max(MS_PER_REQUEST, connection.msPerRequest / PART_OF_BUDGET);
  const now = Date.now();
  counted = Math.max(0, counted - (now - publishedAt) / msPerRequest) + requests;
  publishedAt = now;
  quietUntil = now + Math.max(PAUSE_MS, (counted - AT_FIRST) * msPerRequest);
}
