import { Fragment, Suspense, type ReactNode } from 'react';

import { RowMenu, SelectionActions } from '../record/actions';
import type { RecordActions } from '../record/bulk';
import { DialogButton, type DialogButtonProps } from '../record/dialog-button';
import { useTexts } from '../text';
import { Loading } from '../ui/states';
import { pageNames, words, type PageName } from '../ui/words';
import { useListAddress } from './address';
import { DataTable, type DataTableProps } from './data-table';

type TableProps<Row extends { readonly id: string }> = Omit<
  DataTableProps<Row>,
  | 'id'
  | 'label'
  | 'filter'
  | 'onFilter'
  | 'sort'
  | 'onSort'
  | 'onOpen'
  | 'openId'
  | 'isCompact'
  | 'selectionActions'
  | 'hasAll'
>;

interface ListPageProps<Row extends { readonly id: string }, Values> extends TableProps<Row> {
  /** Name of the page, which is that of the list: `devices`. */
  readonly id: PageName;
  /** The record that is open, beside the list. */
  readonly panel?: ReactNode;
  /** Actions on selected records, which the menu of each record has too. */
  readonly rowActions?: RecordActions<NoInfer<Row>, Values>;
  /** Button that creates a record. */
  readonly create?: DialogButtonProps;
  /** Order of the list until people choose another one, as in the address: `-CREATED_AT`. */
  readonly initialSort?: string;
  /** Shown above the list, such as a summary. */
  readonly children?: ReactNode;
}

/** A list that fills the page, with the panel of the record that is open. All of it stands in the address. */
export function ListPage<Row extends { readonly id: string }, Values extends object = object>(
  props: ListPageProps<Row, Values>,
): ReactNode {
  const text = useTexts(words);
  const label = useTexts(pageNames)[props.id];
  const { panel, create, children, initialSort, rowActions, ...table } = props;
  const [{ filter, sort = initialSort, open }, change] = useListAddress();
  return (
    <div className="page">
      <header className="page-header">
        <h1>{label}</h1>
      </header>
      {children}
      <div className="split" data-open={open !== undefined && panel !== undefined}>
        <DataTable
          {...table}
          label={label}
          {...(rowActions && {
            hasAll: rowActions.actions.some(({ input }) => input),
            selectionActions: (rows: readonly Row[], clear: () => void, all: object | null) => (
              <SelectionActions actions={rowActions} rows={rows} all={all} onDone={clear} />
            ),
            columns: [
              ...props.columns,
              {
                id: 'actions',
                title: text.actions,
                width: 90,
                render: (row: Row) => <RowMenu actions={rowActions} row={row} />,
              },
            ],
          })}
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
            <Fragment key={open}>{panel}</Fragment>
          </Suspense>
        )}
      </div>
    </div>
  );
}
