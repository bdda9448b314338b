import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { RankingQuery } from '../../gql/graphql';
import { useReason } from '../../record/reason';
import type { Filter } from '../../table/filter';
import { useFormat } from '../../text';
import { Card } from '../../ui/page';
import { useText } from './words';

export type Row = RankingQuery['transactionSummary'][number];

/** A property to rank by: its value in a row, null for none, and the condition on transactions with the value. */
export interface Property {
  readonly of: (row: Row) => string | null;
  readonly condition: string;
  /** True if the values are response codes. */
  readonly isReason?: boolean;
}

interface RankedProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly before: readonly Row[];
  /** Heading of the names of the rows. */
  readonly name: string;
  readonly property: Property;
  readonly filter: Filter;
}

/** Columns of a ranking besides the first; those with `isWide` are not shown on a telephone. */
const COLUMNS = [
  { name: 'payments', isWide: true },
  { name: 'approved', isWide: true },
  { name: 'denied' },
  { name: 'share' },
  { name: 'shareBefore', isWide: true },
  { name: 'amount' },
] as const;

/** A ranking as a table; each row leads to its payments. */
export function Ranked({ title, rows, before, name, property, filter }: RankedProps): ReactNode {
  const text = useText();
  const { of, condition, isReason = false } = property;
  const reason = useReason();
  const earlier = new Map(before.map((row) => [of(row), row]));
  return (
    <Card title={title}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {COLUMNS.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)}>
                {text[column.name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const value = of(row);
            const shown = value !== null && isReason ? reason(value) : value;
            const own = value === null ? { isNull: true } : { eq: value };
            const isDeleted = row.group === null && row.groupDatabaseId !== null;
            return (
              <RankedRow
                key={value ?? row.groupDatabaseId ?? ''}
                name={isDeleted ? text.deletedGroup : (row.group?.name ?? shown ?? text.none)}
                row={row}
                before={value === null ? undefined : earlier.get(value)}
                filter={isDeleted ? null : { ...filter, [condition]: own }}
              />
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

const classOf = (column: (typeof COLUMNS)[number]): string =>
  'isWide' in column ? 'end not-on-telephone' : 'end';

interface RankedRowProps {
  readonly name: string;
  readonly row: Row;
  readonly before: Row | undefined;
  /** Filter that shows its payments in the list; null for a deleted group, which the filter cannot name. */
  readonly filter: Filter | null;
}

function RankedRow({ name, row, before, filter }: RankedRowProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const share = (percent: number | null | undefined): string =>
    percent === null || percent === undefined ? '–' : format.share(percent / 100);
  const denied = format.number(row.deniedCount);
  const cells = {
    payments: format.number(row.approvedCount + row.deniedCount + row.cancelledCount),
    approved: format.number(row.approvedCount),
    denied: filter ? (
      <Link
        to="/transactions"
        search={{ filter: { ...filter, paymentStatus: { eq: 'DENIED' } } }}
        aria-label={text.deniedOf(denied, name)}
      >
        {denied}
      </Link>
    ) : (
      denied
    ),
    share: share(row.deniedPercent),
    shareBefore: share(before?.deniedPercent),
    amount: format.amount(row.approvedAmount),
  };
  return (
    <tr>
      <th scope="row">
        {filter ? (
          <Link to="/transactions" search={{ filter }}>
            {name}
          </Link>
        ) : (
          name
        )}
      </th>
      {COLUMNS.map((column) => (
        <td key={column.name} className={classOf(column)}>
          {cells[column.name]}
        </td>
      ))}
    </tr>
  );
}
