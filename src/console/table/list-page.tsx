import { Fragment, Suspense, type ReactNode } from 'react';

import { DialogButton, type DialogButtonProps } from '../record/dialog-button';
import { Loading } from '../ui/states';
import { useListAddress } from './address';
import { DataTable, type DataTableProps } from './data-table';
import type { ListRow } from './rows';

type TableProps<Data, Row extends { readonly id: string }> = Omit<
  DataTableProps<Data, Row>,
  'filter' | 'onFilter' | 'sort' | 'onSort' | 'onOpen' | 'openId' | 'isCompact'
>;

interface ListPageProps<Data, Row extends { readonly id: string }> extends TableProps<Data, Row> {
  /** The record with this id, beside the list. */
  readonly panel?: (id: string, close: () => void) => ReactNode;
  /** Button that creates a record. */
  readonly create?: DialogButtonProps;
  /** Order of the list until people choose another one, as in the address: `-CREATED_AT`. */
  readonly initialSort?: string;
  /** Shown above the list, such as a summary. */
  readonly children?: ReactNode;
}

/** A list that fills the page, with the panel of the record that is open. All of it stands in the address. */
export function ListPage<Data, Row extends { readonly id: string } = ListRow<Data>>(
  props: ListPageProps<Data, Row>,
): ReactNode {
  const { panel, create, children, initialSort, ...table } = props;
  const [{ filter, sort = initialSort, open }, change] = useListAddress();
  return (
    <div className="page">
      <header className="page-header">
        <h1>{props.label}</h1>
      </header>
      {children}
      <div className="split" data-open={open !== undefined && panel !== undefined}>
        <DataTable
          {...table}
          actions={create ? <DialogButton look="primary" {...create} /> : props.actions}
          filter={filter ?? {}}
          onFilter={(changed) => change({ filter: Object.keys(changed).length > 0 ? changed : undefined })}
          sort={sort}
          onSort={(changed) => change({ sort: changed })}
          openId={open}
          {...(panel && { onOpen: (row: Row) => change({ open: row.id, tab: undefined }) })}
        />
        {open !== undefined && panel && (
          <Suspense fallback={<Loading />}>
            <Fragment key={open}>{panel(open, () => change({ open: undefined, tab: undefined }))}</Fragment>
          </Suspense>
        )}
      </div>
    </div>
  );
}
