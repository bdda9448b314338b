import type { ReactNode } from 'react';

import { Cell, isAtEnd } from './cell';
import type { Column } from './columns';

interface TableRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  /** Pixels from the start of the list. */
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  /** Columns as those of the header. */
  readonly layout: { readonly gridTemplateColumns: string; readonly minWidth: number };
  readonly isActive: boolean;
  readonly isOpen: boolean;
  /** Undefined where rows are not selected. */
  readonly isSelected: boolean | undefined;
  readonly selectLabel: string;
  readonly onFocus: () => void;
  readonly onOpen: (() => void) | undefined;
  /** With `extend`, all rows from the last selected one on. */
  readonly onSelect: (extend: boolean) => void;
}

export function TableRow<Row extends { readonly id: string }>(props: TableRowProps<Row>): ReactNode {
  const { row, index, columns, isSelected, onOpen } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-index={index}
      data-open={props.isOpen}
      tabIndex={props.isActive ? 0 : -1}
      className="grid-row"
      style={{ transform: `translateY(${props.top}px)`, ...props.layout }}
      onFocus={props.onFocus}
      onClick={(event) => {
        // Links, buttons and boxes in a row do what they say.
        if (event.target instanceof Element && event.target.closest('a, button, input') === null) onOpen?.();
      }}
    >
      {isSelected !== undefined && (
        <div role="gridcell" className="grid-check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={props.selectLabel}
            checked={isSelected}
            onChange={() => undefined}
            onClick={(event) => props.onSelect(event.shiftKey)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={isAtEnd(column) ? 'grid-cell grid-end' : 'grid-cell'}>
          <Cell column={column} row={row} />
        </div>
      ))}
    </div>
  );
}
