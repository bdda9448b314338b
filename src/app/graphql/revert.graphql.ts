import { entityTypeOf, LedgerEntryType } from '../../domain/base/ledger/ledger.graphql.js';
import {
  changedAgain,
  changesOf,
  getLedgerEntry,
  lastSequenceOf,
  type LedgerEntry,
} from '../../domain/base/ledger/ledger.service.js';
import * as g from '../../graphql/index.js';
import { DomainError, foundAt, invalid } from '../../platform/errors.js';
import { problemOf } from '../../platform/rules.js';
import * as modules from './graphql-modules.js';

/** Reversals by the types of records in the ledger. */
const reversals = new Map(
  g
    .graphqlModule(...Object.values(modules))
    .reversals?.map((each) => [entityTypeOf(each.typeName), each] as const),
);

/** The values that the record had before a change. Errors: `invalid` if no update sets all fields that it changed. */
function valuesBefore(entry: LedgerEntry, fields: readonly string[]): g.Input {
  const refuse = (why: string): never => {
    throw invalid('sequence', 'cannot be reverted: {advice}', { advice: why });
  };
  const { before, after } = entry;
  if (before === null) return refuse('it created the record, which can be deleted');
  if (after === null) return refuse('it deleted the record');
  const changed = new Set(changesOf(entry).map(({ field }) => field.split('.')[0] ?? ''));
  if (changed.size === 0) return refuse('it changed nothing');
  const others = [...changed].filter((name) => !fields.includes(name));
  if (others.length > 0) return refuse(`no update sets ${others.join(', ')}`);
  return Object.fromEntries(Object.entries(before).filter(([name]) => fields.includes(name)));
}

const REVERTIBLE = Array.from(reversals.values(), ({ typeName }) => typeName)
  .toSorted()
  .join(', ');

const revert = g.ownMutation('Revert', {
  description: `Sets a record back to what it was before one change, by an ordinary update: checked, limited and recorded as that is. Only the last change of a record: STALE if another one followed. Updates of these types are reverted, with links and assignments: ${REVERTIBLE}. Creations, deletions, new contents and reports of devices are INVALID.`,
  args: { sequence: g.int('`sequence` of the ledger entry.'), force: g.FORCE },
  payload: {
    entry: g.object.orNull(
      LedgerEntryType,
      'The entry that was reverted; its `entity` is the record after that. Null if nothing was changed.',
    ),
  },
  within: (field) => (field === 'sequence' ? [field] : ['sequence', field]),
  run: async (work, { sequence, force }, ctx) => {
    const entry = await foundAt('sequence', () => getLedgerEntry(work, sequence));
    const { entityType, entityId } = entry;
    const reversal = reversals.get(entityType);
    if (reversal === undefined || entityId === null) {
      const advice = `it is no change of these types: ${REVERTIBLE}`;
      throw invalid('sequence', 'cannot be reverted: {advice}', { advice });
    }
    const { typeName, fields, get, run } = reversal;
    const values = valuesBefore(entry, fields);
    const last = await lastSequenceOf(work, entry);
    const current = await foundAt('sequence', () => get(work, entityId));
    if (last !== sequence) throw changedSince(typeName, last, current);
    await run(work, current, values, ctx, force === true);
    return { entry };
  },
});

function changedSince(typeName: string, last: number, current: object): DomainError {
  const what = entityTypeOf(typeName).replaceAll('_', ' ');
  const broken = changedAgain(what, last);
  return new DomainError('stale', broken, {
    fields: { sequence: [problemOf(broken)] },
    current: { ...current, __typename: typeName },
  });
}

export const revertGraphql = g.graphqlModule(revert);
