import { useRef, useState } from 'react';

export interface Selection<Row> {
  /** Selected rows in the order in which they were selected, also those that the list no longer shows. */
  readonly rows: readonly Row[];
  readonly has: (id: string) => boolean;
  /** Selects or clears a row; with `extend`, selects all rows from the last toggled one on. */
  readonly toggle: (row: Row, extend?: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** Whether all records of the list are selected, also those that are not loaded. */
  readonly isAll: boolean;
  readonly selectMatching: () => void;
}

/**
 * Rows selected by id: they stay selected while pages are loaded, sorted or filtered. All records of the list are selected
 * until its filter changes, a text.
 */
export function useSelection<Row extends { readonly id: string }>(
  shown: readonly Row[],
  filter: string,
): Selection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [allOf, setAllOf] = useState<string | null>(null);
  const isAll = allOf === filter;
  const last = useRef<string>(null);
  const entries = (rows: readonly Row[]): readonly [string, Row][] => rows.map((row) => [row.id, row]);
  return {
    rows: [...selected.values()],
    has: (id) => isAll || selected.has(id),
    isAll,
    selectMatching: () => setAllOf(filter),
    toggle: (row, extend = false) => {
      const changed = new Map(selected);
      const [from, to] = [last.current, row.id].map((id) => shown.findIndex((each) => each.id === id)) as [
        number,
        number,
      ];
      if (extend && from >= 0) {
        const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
        for (const [id, each] of entries(range)) changed.set(id, each);
      } else if (!changed.delete(row.id)) {
        changed.set(row.id, row);
      }
      last.current = row.id;
      setAllOf(null);
      setSelected(changed);
    },
    selectAll: () => setSelected(new Map([...selected, ...entries(shown)])),
    clear: () => {
      setAllOf(null);
      setSelected(new Map());
    },
  };
}
