import { sql, type RawBuilder } from 'kysely';

import { jsonListOf, listOfOne } from '../../../../database/bound-lists.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { exactComparisons, toColumn, type Condition } from '../../../../database/list/condition.js';
import { runCached } from '../../../../database/statements.js';
import { instant } from '../../../../database/storage.js';
import type { ReadWork } from '../../../../database/work.js';
import { meeting } from '../transaction.repository.js';
import type { TotalsPart } from './transaction-totals.model.js';

/** Number of matching transactions of each part, in undefined order. One statement. */
export async function sumParts(
  work: ReadWork,
  where: Condition,
  parts: readonly TotalsPart[],
): Promise<number[]> {
  const rows = await readParts<{ total: number }>(
    work,
    { name: 'sums of transactions', where, parts },
    (part, from) => sql`select ${totalOf(part)} as total ${from}`,
  );
  return rows.map(({ total }) => total);
}

/** Days or hours of a part with their totals. A day or hour appears once for each kind of transaction. */
export interface CountedPart {
  /** Index of the part. */
  readonly part: number;
  /** JSON list of days or hours since 1970, in undefined order. */
  readonly starts: string;
  /** JSON list of totals, as long as `starts`; an `instant` part has one total, with the start 0. */
  readonly totals: string;
}

/**
 * Number of matching transactions by day or hour of each part. Each part is one row, because a row for each
 * day would take longer to read.
 */
export async function countParts(
  work: ReadWork,
  where: Condition,
  parts: readonly TotalsPart[],
): Promise<CountedPart[]> {
  return await readParts(work, { name: 'numbers of transactions', where, parts }, (part, from) => {
    const index = sql.lit(parts.indexOf(part));
    if (part.of === 'instant') {
      return sql`select ${index} as part, '[0]' as starts, ${listOfOne(sql`count(*)`)} as totals ${from}`;
    }
    const [starts, totals] = [jsonListOf(timeOf(part)), jsonListOf(sql.ref('t.total'))];
    return sql`select ${index} as part, ${starts} as starts, ${totals} as totals ${from}`;
  });
}

interface Parts {
  readonly name: string;
  /** Compares only fields of these tables. */
  readonly where: Condition;
  readonly parts: readonly TotalsPart[];
}

async function readParts<R>(
  work: ReadWork,
  { name, where, parts }: Parts,
  build: (part: TotalsPart, from: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<R[]> {
  if (parts.length === 0) return [];
  const { db, companyId } = specialSql(work);
  const query = (): RawBuilder<R> =>
    sql<R>`${sql.join(
      parts.map((part) => {
        const [from, to] = boundsOf(part);
        const time = timeOf(part);
        return build(
          part,
          sql`from ${sql.table(part.table)} as t where t.company_id = ${companyId}
            and ${time} >= ${from} and ${time} < ${to} and ${meeting(where)}`,
        );
      }),
      sql` union all `,
    )}`;
  const exact = exactComparisons(where);
  if (exact === undefined) return (await query().execute(db)).rows;
  const shape = [name, ...parts.map(({ table }) => table), ...exact.map(({ field }) => field)].join('|');
  const values = exact.map(({ value }) => toColumn(value));
  const parameters = parts.flatMap((part) => [companyId, ...boundsOf(part), ...values]);
  return await runCached<R>(db, shape, parameters, query);
}

const totalOf = ({ of }: TotalsPart): RawBuilder<number> =>
  of === 'instant' ? sql`count(*)` : sql`coalesce(sum(t.total), 0)`;

const timeOf = ({ of }: TotalsPart): RawBuilder<unknown> =>
  sql.ref(of === 'instant' ? 't.started_at' : `t.${of}`);

function boundsOf({ of, from, to }: TotalsPart): readonly [unknown, unknown] {
  return of === 'instant' ? [instant.toColumn(new Date(from)), instant.toColumn(new Date(to))] : [from, to];
}
