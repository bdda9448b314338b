import { Fragment, Suspense, type ReactNode } from 'react';

import { DialogButton, type DialogButtonProps } from '../record/dialog-button';
import { useTexts, WordsContext } from '../text';
import { Loading } from '../ui/states';
import { pageNames, type PageName } from '../ui/words';
import { useListAddress } from './address';
import { DataTable, type ListProps } from './data-table';
import type { Filter } from './filter';

interface ListPageProps<Row extends { readonly id: string }> extends ListProps<Row> {
  /** Name of the page, which is that of the list: `devices`. */
  readonly id: PageName;
  /** The record that is open, beside the list. */
  readonly panel?: ReactNode;
  /** Conditions until people take them away. */
  readonly initialFilter?: Filter;
  /** Button that creates a record. */
  readonly create?: DialogButtonProps;
  /** Shown above the list, such as a summary. */
  readonly children?: ReactNode;
}

/** A list that fills the page, with the panel of the record that is open. All of it stands in the address. */
export function ListPage<Row extends { readonly id: string }>(props: ListPageProps<Row>): ReactNode {
  const label = useTexts(pageNames)[props.id];
  const { panel, create, children, initialSort, initialFilter, ...table } = props;
  const [{ filter = initialFilter ?? {}, sort = initialSort, open }, change] = useListAddress();
  return (
    <WordsContext value={{ ...props.text }}>
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
            filter={filter}
            onFilter={(changed) => {
              // Without conditions, the address says so where the list has some of its own.
              const isPlain = initialFilter === undefined && Object.keys(changed).length === 0;
              change({ filter: isPlain ? undefined : changed });
            }}
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
    </WordsContext>
  );
}
