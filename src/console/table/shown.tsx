import { Fragment, type ReactNode } from 'react';

import type { Values } from '../record/form-field';
import { knownOf } from '../record/known';
import { nameOf, RecordLink, RecordLinks, type Named } from '../record/link';
import { useFormat, useLabel } from '../text';
import { Badge, Time, type Tone } from '../ui/facts';
import { Empty } from '../ui/states';
import { pageOf } from '../ui/words';

/** Colours of states. */
const TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'good',
  APPROVED: 'good',
  DELIVERED: 'good',
  DONE: 'good',
  FINISHED: 'good',
  ONLINE: 'good',
  PASSED: 'good',
  PROVEN: 'good',
  ACKNOWLEDGED: 'warning',
  CANCELLED: 'warning',
  EXPIRED: 'warning',
  FAILING: 'warning',
  LOCKED: 'warning',
  OVERDUE: 'warning',
  PAUSED: 'warning',
  STALE: 'warning',
  DENIED: 'bad',
  DISABLED: 'bad',
  FAIL: 'bad',
  FAILED: 'bad',
  OFFLINE: 'bad',
  STOPPED_BY_FAILURES: 'bad',
  OPEN: 'bad',
};

interface StateProps {
  readonly of: string;
  /** Number of records in this state. */
  readonly count?: number;
}

/** A state of the API in a word, with its colour. */
export function State({ of, count }: StateProps): ReactNode {
  const word = useLabel()(of);
  const { number } = useFormat();
  return (
    <Badge tone={TONES[of] ?? 'plain'}>{count === undefined ? word : `${word}: ${number(count)}`}</Badge>
  );
}

/** Each tag of a record. */
const Tags = ({ of }: { readonly of: readonly string[] }): ReactNode =>
  of.map((tag) => (
    <Fragment key={tag}>
      <Badge tone="plain">{tag}</Badge>{' '}
    </Fragment>
  ));

interface ShownProps<Row> {
  readonly name: Field<Row>;
  readonly record: Row;
  /** Page of the record that the value is, or is the name of. */
  readonly page?: string | undefined;
  readonly isInList?: boolean;
}

/** The value of a field, as it is known by the name of the field. */
export function Shown<Row extends object>(props: ShownProps<Row>): ReactNode {
  const { name, record, page, isInList = false } = props;
  const label = useLabel();
  const format = useFormat();
  const known = knownOf(name);
  const value: unknown = record[name];
  if (known.kind === 'time' || known.kind === 'ago') {
    return <Time at={value as string | null} isAgo={isInList && known.kind === 'ago'} />;
  }
  if (value === null || value === undefined) return null;
  if (page !== undefined && typeof value === 'string') {
    return <RecordLink page={page} record={{ ...(record as Row & { readonly id: string }), name: value }} />;
  }
  if (Array.isArray(value)) {
    const values = value as readonly string[];
    if (known.kind === 'tags') return <Tags of={values} />;
    return (known.isList === true ? values : values.map((each) => label(each))).join(', ');
  }
  if (typeof value === 'object') {
    if ('totalCount' in value) return format.number(value.totalCount as number);
    if ('nodes' in value) return <RecordLinks page={pageOf(name) ?? ''} records={value.nodes as Named[]} />;
    const target = page ?? pageOf(name);
    if (!('id' in value) || target === null) return nameOf(value);
    return <RecordLink page={target} record={value as Named} />;
  }
  switch (known.kind) {
    case 'amount':
      return format.amount(value as number);
    case 'bytes':
      return format.bytes(value as number);
    case 'code':
      return <span className="code">{value as string}</span>;
    case 'percent':
      return format.share((value as number) / 100);
    case 'flag':
      return (
        <Badge tone={value === true ? 'good' : 'bad'}>{label(value === true ? 'enabled' : 'disabled')}</Badge>
      );
    case 'state':
      return <State of={value as string} />;
    case 'word':
      return label(value as string);
    default:
      return typeof value === 'number' ? format.number(value) : (value as ReactNode);
  }
}

interface OwnColumn<Row> {
  readonly id: string;
  /** The word for the id without it. */
  readonly title?: string;
  readonly width?: number;
  readonly align?: 'end';
  /** Shown only when chosen. */
  readonly isHidden?: boolean;
  readonly page?: string;
  readonly render?: (row: Row) => ReactNode;
}

type Field<Row> = keyof Row & string;

/** A column of a table: a field that is shown as it is known, or anything else with a way to show it. */
export type Column<Row> =
  | Field<Row>
  | (OwnColumn<Row> & ({ readonly id: Field<Row> } | Required<Pick<OwnColumn<Row>, 'render'>>));

export interface ShownColumn<Row> extends OwnColumn<Row> {
  readonly title: string;
  readonly width: number;
  readonly cell: (row: Row) => ReactNode;
}

const AT_END = new Set<string | undefined>(['amount', 'bytes', 'count', 'number', 'percent']);

/** Columns with all that follows from their names. */
export function useColumns<Row extends object>(columns: readonly Column<Row>[]): readonly ShownColumn<Row>[] {
  const label = useLabel();
  const format = useFormat();
  return columns.map((column) => {
    const own: OwnColumn<Row> = typeof column === 'string' ? { id: column } : column;
    const { id, page, render } = own;
    const { width = 150, kind } = knownOf(id);
    return {
      title: label(id),
      width,
      ...own,
      // Numbers stand below each other by their last digits.
      ...(AT_END.has(kind) && { align: 'end' as const }),
      cell: (row) => {
        if (!render) return <Shown name={id as Field<Row>} record={row} page={page} isInList />;
        const shown = render(row);
        return typeof shown === 'number' ? format.number(shown) : shown;
      },
    };
  });
}

interface SmallTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<NoInfer<Row>>[];
  /** Key of a row; its id without it. */
  readonly rowKey?: (row: NoInfer<Row>) => string;
  /** Title of a table of figures, whose first column names the rows. */
  readonly caption?: string;
  /** False where the values say what they are. */
  readonly hasTitles?: boolean;
  /** Shown instead of a table without rows; "None" without it. */
  readonly empty?: string;
}

/** A list that is loaded as a whole, such as the files of an app version. */
export function SmallTable<Row extends object>(props: SmallTableProps<Row>): ReactNode {
  const label = useLabel();
  const { rows, caption, hasTitles = true, empty = label('none') } = props;
  const { rowKey = (row: Row) => (row as Row & { readonly id: string }).id } = props;
  const columns = useColumns<Row>(props.columns);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    // Reached by the keyboard, which scrolls it.
    <div className="wide" tabIndex={0}>
      <table className="plain-table">
        {caption !== undefined && <caption>{caption}</caption>}
        {hasTitles && (
          <thead>
            <tr>
              {columns.map(({ id, title, align }) => (
                <th key={id} className={align}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ id, align, cell }, index) => {
                const Part = caption !== undefined && index === 0 ? 'th' : 'td';
                return (
                  <Part key={id} className={align}>
                    {cell(row)}
                  </Part>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A field of the record, or of `of` where the field is that of a part; or a value with the name whose word is its title. */
export type Fact<Name extends string = never> =
  | Name
  | { readonly id: string; readonly title?: string; readonly value: ReactNode }
  | { readonly id: string; readonly title?: string; readonly of: Values };

/** Facts of all fields of a record in the order of its fragment, but some. */
export const factsOf = (record: object, ...without: readonly string[]): readonly Fact[] =>
  Object.keys(record)
    .filter((id) => !['id', 'revision', ...without].includes(id))
    .map((id) => ({ id, of: record as Values }));

interface FactsProps<Row> {
  readonly facts: readonly Fact<Field<NoInfer<Row>>>[];
  readonly record?: Row;
}

/** Fields of a record, each with its name. */
export function Facts<Row extends object>({ facts, record }: FactsProps<Row>): ReactNode {
  const label = useLabel();
  const of = record as Values;
  return (
    <dl className="facts">
      {facts.map((fact) => {
        const { id, title = label(id), ...own } = typeof fact === 'string' ? { id: fact, of } : fact;
        return (
          <div key={id} className="fact">
            <dt>{title}</dt>
            <dd>{'of' in own ? <Shown name={id} record={own.of} /> : own.value}</dd>
          </div>
        );
      })}
    </dl>
  );
}
