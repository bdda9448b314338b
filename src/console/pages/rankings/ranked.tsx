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
  /** The column that the rows are ordered by, beside which stands what it was in the time before. */
  readonly ordered: Figure;
}

/** Columns of a ranking besides the first. */
const FIGURES = ['payments', 'approved', 'denied', 'share', 'amount'] as const;
export type Figure = (typeof FIGURES)[number];
type Column = Figure | 'before';
/** Columns that are shown on a telephone, besides the one of the order. */
const NARROW: readonly Column[] = ['denied', 'share', 'amount'];

/** A ranking as a table; each row leads to its payments. */
export function Ranked({ title, rows, before, name, property, filter, ordered }: RankedProps): ReactNode {
  const text = useText();
  const { of, condition, isReason = false } = property;
  const reason = useReason();
  const earlier = new Map(before.map((row) => [of(row), row]));
  const columns = FIGURES.flatMap((figure): Column[] => (figure === ordered ? [figure, 'before'] : [figure]));
  const classOf = (column: Column): string =>
    column === ordered || NARROW.includes(column) ? 'end' : 'end not-on-telephone';
  return (
    <Card title={title}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {columns.map((column) => (
              <th key={column} scope="col" className={classOf(column)}>
                {text[column]}
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
                columns={columns.map((column) => ({ column, className: classOf(column) }))}
                ordered={ordered}
              />
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

interface RankedRowProps {
  readonly name: string;
  readonly row: Row;
  readonly before: Row | undefined;
  /** Filter that shows its payments in the list; null for a deleted group, which the filter cannot name. */
  readonly filter: Filter | null;
  readonly columns: readonly { readonly column: Column; readonly className: string }[];
  readonly ordered: Figure;
}

function RankedRow({ name, row, before, filter, columns, ordered }: RankedRowProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const figuresOf = (of: Row): Record<Figure, string> => ({
    payments: format.number(of.approvedCount + of.deniedCount + of.cancelledCount),
    approved: format.number(of.approvedCount),
    denied: format.number(of.deniedCount),
    share: of.deniedPercent === null ? '–' : format.share(of.deniedPercent / 100),
    amount: format.amount(of.approvedAmount),
  });
  const own = figuresOf(row);
  const denied = filter ? (
    <Link
      to="/transactions"
      search={{ filter: { ...filter, paymentStatus: { eq: 'DENIED' } } }}
      aria-label={text.deniedOf(own.denied, name)}
    >
      {own.denied}
    </Link>
  ) : (
    own.denied
  );
  const cells = { ...own, denied, before: before === undefined ? '–' : figuresOf(before)[ordered] };
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
      {columns.map(({ column, className }) => (
        <td key={column} className={className}>
          {cells[column]}
        </td>
      ))}
    </tr>
  );
}
