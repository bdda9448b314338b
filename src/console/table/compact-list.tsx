import { useState, type ReactNode } from 'react';

import { DataTable, type DataTableProps } from './data-table';
import type { Filter } from './filter';
import type { ListRow } from './rows';

type CompactListProps<Data, Row extends { readonly id: string }> = Omit<
  DataTableProps<Data, Row>,
  'filter' | 'onFilter' | 'sort' | 'onSort' | 'isCompact'
> & {
  /** Order until people choose another one: `-STARTED_AT`. */
  readonly initialSort?: string;
};

/** A list inside a record. Its conditions and order end with it. */
export function CompactList<Data, Row extends { readonly id: string } = ListRow<Data>>(
  props: CompactListProps<Data, Row>,
): ReactNode {
  const { initialSort, ...table } = props;
  const [filter, setFilter] = useState<Filter>({});
  const [sort, setSort] = useState(initialSort);
  return (
    <DataTable
      {...table}
      isCompact
      filter={filter}
      onFilter={setFilter}
      sort={sort}
      onSort={(changed) => setSort(changed ?? initialSort)}
    />
  );
}
