import { useRef, useState } from 'react';

export type Selection<Row extends { readonly id: string }> = ReturnType<typeof useSelection<Row>>;

/**
 * Rows selected by id: they stay selected while pages are loaded, sorted or filtered. All records of the list are selected
 * until its filter changes, a text.
 */
export function useSelection<Row extends { readonly id: string }>(shown: readonly Row[], filter: string) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [allOf, setAllOf] = useState<string | null>(null);
  const last = useRef<string>(null);
  const isAll = allOf === filter;
  const add = (rows: readonly Row[]): void =>
    setSelected(new Map([...selected, ...rows.map((row) => [row.id, row] as const)]));
  return {
    /** Selected rows in the order in which they were selected, also those that the list no longer shows. */
    rows: [...selected.values()],
    has: (id: string) => isAll || selected.has(id),
    /** True if all records of the list are selected, also those that are not loaded. */
    isAll,
    selectMatching: () => setAllOf(filter),
    selectAll: () => add(shown),
    /** Selects or clears a row; with `extend`, selects all rows from the last toggled one on. */
    toggle: (row: Row, extend = false) => {
      const [from, to] = [shown.findIndex(({ id }) => id === last.current), shown.indexOf(row)];
      last.current = row.id;
      setAllOf(null);
      if (extend && from >= 0) add(shown.slice(Math.min(from, to), Math.max(from, to) + 1));
      else if (selected.has(row.id)) setSelected(new Map([...selected].filter(([id]) => id !== row.id)));
      else add([row]);
    },
    clear: () => {
      setAllOf(null);
      setSelected(new Map());
    },
  };
}
