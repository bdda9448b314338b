import * as g from '../../../graphql/index.js';
import { auditedTypes } from '../../people/user/user.graphql.js';
import { entityTypeOf } from './ledger.graphql.js';
import { lastNames } from './ledger.service.js';

const RecordName = g.objectType<{ readonly id: string; readonly name: string }>(
  'RecordName',
  'The name of a record, also if that was deleted.',
  { id: g.id('Global id of the record.'), name: g.text('The name that it had at its last change.') },
);

const MAX_NAMES = 100;

export const recordNamesGraphql = g.query('recordNames', {
  field: g.object.list(
    RecordName,
    'Names of records with a `history` by what the ledger keeps of them: also of those that were deleted. Others are left out.',
  ),
  args: { ids: g.id.list(`Global ids of the records, at most ${MAX_NAMES}.`) },
  resolve: (_source, ctx, { ids }) => {
    if (ids.length > MAX_NAMES)
      throw g.requestError(`recordNames takes at most ${MAX_NAMES} ids, not ${ids.length}.`);
    const parsed = ids.flatMap((id) => g.parseGlobalId(id) ?? []);
    const byType = Map.groupBy(parsed, ({ typeName }) => typeName);
    return ctx.loadOnce(async (work) => {
      const all: { id: string; name: string }[] = [];
      for (const [type, own] of byType) {
        if (!auditedTypes.has(type)) continue;
        const numbers = [...new Set(own.map(({ id }) => id))];
        const names = await lastNames(work, entityTypeOf(type), numbers);
        for (const [id, name] of names) all.push({ id: g.globalId(type, id), name });
      }
      return all;
    });
  },
});
