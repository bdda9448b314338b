import type { ReactNode } from 'react';

import { RecordLink, type Named } from '../record/link';
import { useFormat, type Format } from '../text/format';
import { Ago, Time } from '../ui/facts';
import type { CellKind, Column } from './columns';

const SHOWN: Readonly<Record<CellKind, (value: unknown, format: Format) => ReactNode>> = {
  ago: (value) => <Ago at={value as string | null} />,
  time: (value) => <Time at={value as string | null} />,
  code: (value) => <span className="code">{value as string}</span>,
  number: (value, format) => format.number(value as number),
  count: (value, format) => format.number((value as { totalCount: number }).totalCount),
  bytes: (value, format) => format.bytes(value as number),
};

/** Numbers stand below each other by their last digits. */
export function isAtEnd<Row>({ align, ...column }: Column<Row>): boolean {
  return align === 'end' || (!column.render && ['number', 'count', 'bytes'].includes(column.kind ?? ''));
}

/** One column of a row. */
export function Cell<Row extends object>(props: {
  readonly column: Column<Row>;
  readonly row: Row;
}): ReactNode {
  const { column, row } = props;
  const format = useFormat();
  if (column.render) {
    const shown = column.render(row);
    return typeof shown === 'number' ? format.number(shown) : shown;
  }
  const value: unknown = row[column.id];
  if (column.page !== undefined) {
    const record = typeof value === 'string' ? { ...row, name: value } : value;
    return <RecordLink page={column.page} record={record as Named | null} />;
  }
  return column.kind ? SHOWN[column.kind](value, format) : (value as ReactNode);
}
