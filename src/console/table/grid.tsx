import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import { texts, useTexts } from '../text';
import { Loading } from '../ui/states';
import { isAtEnd } from './cell';
import type { Column } from './columns';
import type { Rows } from './rows';
import type { Selection } from './selection';
import { TableRow } from './table-row';

const words = texts({
  selectAll: ['Select loaded rows', 'Selecionar linhas carregadas'],
  selectRow: [(name: string) => `Select ${name}`, (name: string) => `Selecionar ${name}`],
});

const ROW_PX = 40;
/** Width of the box that selects a row. */
const CHECK_PX = 36;

interface GridProps<Row extends { readonly id: string }> {
  readonly label: string;
  readonly list: Rows<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowName: (row: Row) => string;
  readonly sort?: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly onOpen?: (row: Row) => void;
  readonly openId?: string | undefined;
  /** Null where rows are not selected. */
  readonly selection: Selection<Row> | null;
}

/** Rows of a list, of which those on screen are drawn. Arrows move, Enter opens, Space selects. */
export function Grid<Row extends { readonly id: string }>(props: GridProps<Row>): ReactNode {
  const text = useTexts(words);
  const { list, columns, selection, onOpen } = props;
  const { rows, total, show } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => show(first, last), [first, last, rows.length, show]);
  const { active, setActive, onKeyDown } = useRowKeys(props, virtualizer);
  const widths = columns.map(({ width = 160 }) => width);
  const check = selection ? CHECK_PX : 0;
  const layout = {
    gridTemplateColumns: [
      ...(selection ? [`${CHECK_PX}px`] : []),
      ...widths.map((width) => `minmax(${width}px, ${width}fr)`),
    ].join(' '),
    minWidth: widths.reduce((sum, width) => sum + width, check),
  };
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={props.label}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-multiselectable={selection !== null}
      className="grid"
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className="grid-header" style={layout}>
        {selection && (
          <div role="columnheader" className="grid-check">
            <input
              type="checkbox"
              aria-label={text.selectAll}
              checked={selection.rows.length >= rows.length}
              onChange={(event) => (event.target.checked ? selection.selectAll() : selection.clear())}
            />
          </div>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
        ))}
      </div>
      <div role="rowgroup" className="grid-rows" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <TableRow
              key={row.id}
              row={row}
              index={index}
              top={start}
              columns={columns}
              layout={layout}
              isActive={index === active}
              isOpen={row.id === props.openId}
              isSelected={selection?.has(row.id)}
              selectLabel={text.selectRow(props.rowName(row))}
              onFocus={() => setActive(index)}
              onOpen={onOpen && (() => onOpen(row))}
              onSelect={(extend) => selection?.toggle(row, extend)}
            />
          );
        })}
      </div>
      {list.hasMore && list.isLoading && <Loading />}
    </div>
  );
}

/** The row that has the focus, or gets it first, and what keys do in it. */
function useRowKeys<Row extends { readonly id: string }>(
  { list: { rows }, onOpen, selection }: GridProps<Row>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): { active: number; setActive: (index: number) => void; onKeyDown: (event: KeyboardEvent) => void } {
  const [active, setActive] = useState(0);
  const moveTo = (index: number): void => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    setActive(target);
    virtualizer.scrollToIndex(target);
    const scroller = virtualizer.scrollElement;
    requestAnimationFrame(() => scroller?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.role !== 'row') return;
    const pageRows = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / ROW_PX) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + pageRows,
      PageUp: active - pageRows,
      Home: 0,
      End: rows.length - 1,
    };
    const target = moves[event.key];
    const row = rows[active];
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && row) onOpen?.(row);
    else if (event.key === ' ' && row) selection?.toggle(row, event.shiftKey);
    else return;
    event.preventDefault();
  };
  return { active: Math.min(active, rows.length - 1), setActive, onKeyDown };
}

function HeaderCell<Row>(props: {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
}): ReactNode {
  const { column, sort, onSort } = props;
  const { order, title } = column;
  const className = isAtEnd(column) ? 'grid-cell grid-end' : 'grid-cell';
  if (order === undefined) {
    return (
      <div role="columnheader" className={className}>
        {title}
      </div>
    );
  }
  const direction = sort === order ? 'ascending' : sort === `-${order}` ? 'descending' : 'none';
  const next = { none: order, ascending: `-${order}`, descending: undefined }[direction];
  const mark = { none: '', ascending: ' ↑', descending: ' ↓' }[direction];
  return (
    <div role="columnheader" aria-sort={direction} className={className}>
      <button type="button" className="grid-sort" onClick={() => onSort(next)}>
        {title}
        <span aria-hidden="true">{mark}</span>
      </button>
    </div>
  );
}
