/** Conditions for the rows of a company's table that a statement concerns, see `Match`. */
import { sql, type RawBuilder } from 'kysely';

import type { Caller } from '../../platform/caller.js';
import { boundList, inList } from '../bound-lists.js';
import { hiddenFromPlanner } from '../storage.js';

/** The only place where rows of a company's table are restricted to the caller's company. */
export function ownedAnd({ companyId }: Pick<Caller, 'companyId'>, match: object): RawBuilder<unknown> {
  const conditions = entriesOf(match).map(([column, value]) => conditionOf(sql.ref(column), value));
  return sql.join([sql`company_id = ${hiddenFromPlanner(companyId)}`, ...conditions], sql` and `);
}

function conditionOf(column: RawBuilder<unknown>, value: unknown): RawBuilder<unknown> {
  switch (kindOf(value)) {
    case 'null':
      return sql`${column} is null`;
    case 'value':
      return sql`${column} = ${hiddenFromPlanner(value)}`;
    case 'nothing':
      return sql`1 = 0`;
    case 'ids':
      return sql`${column} ${inList('integer', value as readonly unknown[])}`;
    case 'texts':
      return sql`${column} ${inList('text', value as readonly unknown[])}`;
  }
}

/** Form of a condition. `nothing` is an empty list, which no row matches. */
type Kind = 'null' | 'value' | 'nothing' | 'ids' | 'texts';

export function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (!Array.isArray(value)) return 'value';
  switch (typeof value[0]) {
    case 'undefined':
      return 'nothing';
    case 'number':
      return 'ids';
    case 'string':
      return 'texts';
    default:
      throw new Error('Rows are not selected by lists of such values');
  }
}

/** The values that `conditionOf` binds. A list is one value, a JSON text. */
export function boundValues(value: unknown): readonly unknown[] {
  const kind = kindOf(value);
  if (kind === 'null' || kind === 'nothing') return [];
  return [kind === 'value' ? value : boundList(value as readonly unknown[])];
}

export function entriesOf(object: object): [string, unknown][] {
  return Object.entries(object) as [string, unknown][];
}
