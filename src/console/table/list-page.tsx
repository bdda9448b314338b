import { Fragment, Suspense, type ReactNode } from 'react';

import { creating, DialogButton, type Creating } from '../record/dialog-button';
import { useTexts } from '../text';
import { Page } from '../ui/page';
import { Loading } from '../ui/states';
import { pageNames, type PageName } from '../ui/words';
import { useListAddress } from './address';
import { DataTable, type ListProps } from './data-table';
import type { Filter } from './filter';
import { pagePurposes } from './purposes';
import type { FilterName } from './rows';

interface ListPageProps<Row extends { readonly id: string }, Made extends object> extends ListProps<Row> {
  /** Name of the page, which is that of the list: `devices`. */
  readonly id: PageName;
  /** The record that is open, beside the list. */
  readonly panel?: ReactNode;
  /** Conditions until people take them away. */
  readonly initialFilter?: Partial<Filter<FilterName<NoInfer<Row>>>>;
  /** The form that creates a record, which is opened then. */
  readonly create?: Creating<Made>;
  /** Shown above the list, such as a summary. */
  readonly children?: ReactNode;
}

/** A list that fills the page, with the panel of the record that is open. All of it stands in the address. */
export function ListPage<Row extends { readonly id: string }, Made extends object>(
  props: ListPageProps<Row, Made>,
): ReactNode {
  const { panel, create, children, initialSort, initialFilter, actions, ...table } = props;
  const text = useTexts(pageNames);
  const purpose = useTexts(pagePurposes)[props.id];
  const label = text[props.id];
  const [{ filter = (initialFilter ?? {}) as Filter, sort = initialSort, open }, change] = useListAddress();
  return (
    <Page name={props.id} text={props.text}>
      {children}
      <div className="split" data-open={open !== undefined && panel !== undefined}>
        <DataTable
          {...(purpose !== undefined && { empty: purpose })}
          {...(create && {
            emptyAction: (
              <DialogButton
                {...creating({ draft: props.id, opens: panel !== undefined, ...create })}
                label={text.createFirst}
              />
            ),
          })}
          {...table}
          label={label}
          actions={
            <>
              {create && (
                <DialogButton
                  variant={actions ? 'plain' : 'primary'}
                  {...creating({ draft: props.id, opens: panel !== undefined, ...create })}
                />
              )}
              {actions}
            </>
          }
          address={{ filter, sort, open }}
          change={(changes) => {
            // A list with conditions of its own needs an address that says that there are none.
            const isPlain = initialFilter === undefined && Object.keys(changes.filter ?? filter).length === 0;
            change({ ...changes, ...(isPlain && { filter: undefined }) });
          }}
          {...(panel && { onOpen: (row: Row) => change({ open: row.id, tab: undefined }) })}
        />
        {open !== undefined && panel && (
          <Suspense fallback={<Loading />}>
            <Fragment key={open}>{panel}</Fragment>
          </Suspense>
        )}
      </div>
    </Page>
  );
}
