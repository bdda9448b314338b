import type { ReactNode } from 'react';

import { Empty } from '../ui/states';
import { Cell, isAtEnd } from './cell';
import type { Column } from './columns';

interface SmallTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<NoInfer<Row>>[];
  /** Key of a row; its id without it. */
  readonly rowKey?: (row: NoInfer<Row>) => string;
  /** Title of a table of figures, whose first column names the rows. */
  readonly caption?: string;
  /** Without titles where the values say what they are. */
  readonly hasTitles?: boolean;
  /** Shown instead of a table without rows. */
  readonly empty?: string;
}

/** A list that is loaded as a whole, such as the files of an app version. */
export function SmallTable<Row extends object>(props: SmallTableProps<Row>): ReactNode {
  const { rows, columns, caption, hasTitles = true, empty } = props;
  const { rowKey = (row: Row) => (row as Row & { readonly id: string }).id } = props;
  const classOf = (column: Column<Row>): string | undefined => (isAtEnd(column) ? 'end' : undefined);
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  return (
    <div className="wide">
      <table className="plain-table">
        {caption !== undefined && <caption>{caption}</caption>}
        {hasTitles && (
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.id} className={classOf(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, index) => {
                const Part = caption !== undefined && index === 0 ? 'th' : 'td';
                return (
                  <Part key={column.id} className={classOf(column)}>
                    <Cell column={column} row={row} />
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
