import { Fragment, Suspense, type ReactNode } from 'react';

import { DialogButton, type DialogButtonProps } from '../record/dialog-button';
import { useTexts } from '../text';
import { Loading } from '../ui/states';
import { pageNames, type PageName } from '../ui/words';
import { useListAddress } from './address';
import { DataTable, type ListProps } from './data-table';

interface ListPageProps<Row extends { readonly id: string }, Values> extends ListProps<Row, Values> {
  /** Name of the page, which is that of the list: `devices`. */
  readonly id: PageName;
  /** The record that is open, beside the list. */
  readonly panel?: ReactNode;
  /** Button that creates a record. */
  readonly create?: DialogButtonProps;
  /** Shown above the list, such as a summary. */
  readonly children?: ReactNode;
}

/** A list that fills the page, with the panel of the record that is open. All of it stands in the address. */
export function ListPage<Row extends { readonly id: string }, Values extends object = object>(
  props: ListPageProps<Row, Values>,
): ReactNode {
  const label = useTexts(pageNames)[props.id];
  const { panel, create, children, initialSort, ...table } = props;
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
