import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import { nameOf } from '../record/link';
import { texts, useTexts } from '../text';
import { Loading } from '../ui/states';
import type { ListAddress } from './address';
import type { Rows } from './rows';
import type { Selection } from './selection';
import type { ShownColumn } from './shown';

const words = texts({
  selectAll: ['Select loaded rows', 'Selecionar linhas carregadas'],
  selectRow: [(name: string) => `Select ${name}`, (name: string) => `Selecionar ${name}`],
});

const ROW_PX = 40;
/** Width of the box that selects a row. */
const CHECK_PX = 36;

interface GridProps<Row extends { readonly id: string }> {
  readonly label: string;
  readonly columns: readonly ShownColumn<Row>[];
  readonly address: ListAddress;
  readonly change: (changes: ListAddress) => void;
  readonly onOpen?: (row: Row) => void;
  readonly list: Rows<Row>;
  /** Null where rows are not selected. */
  readonly selection: Selection<Row> | null;
}

/** Rows of a list, of which those on screen are drawn. Arrows move, Enter opens, Space selects. */
export function Grid<Row extends { readonly id: string }>(props: GridProps<Row>): ReactNode {
  const text = useTexts(words);
  const { list, columns, selection, onOpen } = props;
  const { all: rows, total } = list;
  const { scroller, virtualizer } = useVirtualRows(list);
  const { active, setActive, onKeyDown } = useRowKeys(props, virtualizer);
  const layout = layoutOf(columns, selection !== null);
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
          <HeaderCell key={column.id} {...props} column={column} />
        ))}
      </div>
      <div role="rowgroup" className="grid-rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selection?.has(row.id)}
              data-index={index}
              data-open={row.id === props.address.open}
              tabIndex={index === active ? 0 : -1}
              className="grid-row"
              style={{ transform: `translateY(${start}px)`, ...layout }}
              onFocus={() => setActive(index)}
              onClick={({ target }) => {
                // Links, buttons and boxes in a row do what they say.
                if (target instanceof Element && target.closest('a, button, input') === null) onOpen?.(row);
              }}
            >
              {selection && (
                <div role="gridcell" className="grid-check">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={text.selectRow(nameOf(row))}
                    checked={selection.has(row.id)}
                    onChange={() => undefined}
                    onClick={(event) => selection.toggle(row, event.shiftKey)}
                  />
                </div>
              )}
              {columns.map((column) => (
                <div key={column.id} role="gridcell" className={classOf(column)}>
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {list.hasMore && list.isLoading && <Loading />}
    </div>
  );
}

/** Has the rows loaded that are on screen. */
function useVirtualRows<Row>({ all: rows, show }: Rows<Row>) {
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
  return { scroller, virtualizer };
}

/** Places of the columns, which are those of the header in each row. */
function layoutOf<Row>(columns: readonly ShownColumn<Row>[], hasCheck: boolean) {
  const widths = columns.map(({ width }) => width);
  const tracks = widths.map((width) => `minmax(${width}px, ${width}fr)`);
  if (hasCheck) tracks.unshift(`${CHECK_PX}px`);
  return {
    gridTemplateColumns: tracks.join(' '),
    minWidth: widths.reduce((sum, width) => sum + width, hasCheck ? CHECK_PX : 0),
  };
}

/** The row that has the focus, or gets it first, and what keys do in it. */
function useRowKeys<Row extends { readonly id: string }>(
  { list: { all: rows }, onOpen, selection }: GridProps<Row>,
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

const classOf = ({ align }: { readonly align?: string }): string =>
  align === 'end' ? 'grid-cell grid-end' : 'grid-cell';

function HeaderCell<Row extends { readonly id: string }>(
  props: Pick<GridProps<Row>, 'list' | 'address' | 'change'> & { readonly column: ShownColumn<Row> },
): ReactNode {
  const { list, column, change } = props;
  const { sort } = props.address;
  const { id, title } = column;
  const order = id.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
  const direction = sort === order ? 'ascending' : sort === `-${order}` ? 'descending' : 'none';
  const next = { none: order, ascending: `-${order}`, descending: undefined }[direction];
  const mark = { none: '', ascending: ' ↑', descending: ' ↓' }[direction];
  const isSortable = list.source.orders?.includes(order) ?? false;
  return (
    <div role="columnheader" aria-sort={isSortable ? direction : undefined} className={classOf(column)}>
      {isSortable ? (
        <button type="button" className="grid-sort" onClick={() => change({ sort: next })}>
          {title}
          <span aria-hidden="true">{mark}</span>
        </button>
      ) : (
        title
      )}
    </div>
  );
}
