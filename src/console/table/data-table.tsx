import { lazy, Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import type { SavedFilterKind } from '../gql/graphql';
import { DialogButton } from '../record/dialog-button';
import { texts, useTexts } from '../text';
import { useFormat } from '../text/format';
import { Button } from '../ui/button';
import { Empty, Loading, PageFailure } from '../ui/states';
import { useChosenColumns, ColumnMenu, type Column } from './columns';
import { ExportLink } from './export-link';
import { apiFilter, filterWords, type Filter, type FilterField } from './filter';
import { FilterChips } from './filter-chips';
import { Grid } from './grid';
import { useRows, type ListSource } from './rows';
import { useSelection, type Selection } from './selection';

const FilterPanel = lazy(() => import('./filter-panel'));
const SavedFilters = lazy(() => import('./saved-filters'));

/** Lists whose filters are not saved. */
const UNSAVED = ['members', 'ledger'];

export interface DataTableProps<Row extends { readonly id: string }> {
  /** Says what the table lists: "Devices". Its columns are remembered under `id`. */
  readonly id: string;
  readonly label: string;
  readonly source: ListSource<Row>;
  readonly columns: readonly Column<NoInfer<Row>>[];
  /** Says which record a row is; its name without it. */
  readonly rowName?: (row: NoInfer<Row>) => string;
  readonly filters?: readonly FilterField[];
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  /** Conditions that cannot be taken away, such as the group of a list in a record of a group. */
  readonly fixedFilter?: Filter;
  /** Order field, with a minus for the descending direction. */
  readonly sort?: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly onOpen?: (row: NoInfer<Row>) => void;
  /** Id of the record that is open beside the table. */
  readonly openId?: string | undefined;
  /**
   * Buttons for the selected rows, for those who may change records; `all` is the filter if all records that match are
   * selected, or else null. Without it, rows are not selected.
   */
  readonly selectionActions?: (
    rows: readonly NoInfer<Row>[],
    clear: () => void,
    all: object | null,
  ) => ReactNode;
  /** Whether all records that match can be selected, however many. */
  readonly hasAll?: boolean;
  /** Buttons beside the list, such as creating a record. */
  readonly actions?: ReactNode;
  /** Shown where the company has no such records. */
  readonly empty: ReactNode;
  /** Rows of a list inside a record; a list page fills the window. */
  readonly isCompact?: boolean;
}

const words = texts({
  rows: [
    (count: string) => `${count} ${count === '1' ? 'record' : 'records'}`,
    (count: string) => `${count} ${count === '1' ? 'registro' : 'registros'}`,
  ],
  selected: [(count: string) => `${count} selected`, (count: string) => `${count} selecionados`],
  selectMatching: [
    (count: string) => `Select all ${count}`,
    (count: string) => `Selecionar todos os ${count}`,
  ],
  clearSelection: ['Clear selection', 'Limpar seleção'],
  noMatch: ['No record matches these conditions.', 'Nenhum registro atende a estas condições.'],
});

/** A list of any length with its conditions: rows come page after page, changes are followed. */
export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>): ReactNode {
  const text = useTexts(words);
  const filterText = useTexts(filterWords);
  const format = useFormat();
  const { filters = [], filter, onFilter, sort } = props;
  const selectionActions = useMay('WRITE') ? props.selectionActions : undefined;
  const [isFiltering, setFiltering] = useState(false);
  const orderBy = sort === undefined ? null : orderOf(sort);
  const where = { ...apiFilter(filters, filter), ...props.fixedFilter };
  const list = useRows(props.source, where, orderBy);
  const { rows, total, error, isLoading } = list;
  const selection = useSelection(rows, JSON.stringify(where));
  const [columns, columnChoice] = useChosenColumns(props.id, props.columns);
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <div className={props.isCompact === true ? 'table table-compact' : 'table'}>
      <div className="table-bar">
        {filters.length > 0 && (
          <Button
            icon="filter"
            data-filter-button
            aria-expanded={isFiltering}
            onPress={() => setFiltering(!isFiltering)}
          >
            {filterText.filter}
          </Button>
        )}
        {props.isCompact !== true && <SavedFiltersButton {...props} />}
        <span className="table-count" role="status">
          {total !== null && text.rows(format.number(total))}
        </span>
        {props.isCompact !== true && <ExportLink table={props.id} filter={where} columns={columns} />}
        <ColumnMenu columns={props.columns} choice={columnChoice} />
        {props.actions}
      </div>
      <Suspense>
        {isFiltering && <FilterPanel fields={filters} filter={filter} onChange={onFilter} />}
      </Suspense>
      <FilterChips fields={filters} filter={filter} onChange={onFilter} />
      {selectionActions && selection.rows.length > 0 && (
        <SelectionBar
          selection={selection}
          total={total ?? 0}
          hasAll={props.hasAll === true}
          actions={selectionActions(selection.rows, selection.clear, selection.isAll ? where : null)}
        />
      )}
      {error && <PageFailure error={error} onRetry={list.reload} />}
      {total === 0 && !isLoading && <Empty>{hasFilter ? text.noMatch : props.empty}</Empty>}
      {rows.length === 0 && isLoading && <Loading />}
      {rows.length > 0 && (
        <Grid {...props} list={list} columns={columns} selection={selectionActions ? selection : null} />
      )}
    </div>
  );
}

interface SelectionBarProps {
  readonly selection: Pick<Selection<unknown>, 'rows' | 'isAll' | 'selectMatching' | 'clear'>;
  readonly total: number;
  /** Whether all records that match can be selected. */
  readonly hasAll: boolean;
  readonly actions: ReactNode;
}

/** How many records are selected, and what can be done with them. */
function SelectionBar({ selection, total, hasAll, actions }: SelectionBarProps): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const { rows, isAll } = selection;
  const selected = text.selected(format.number(isAll ? total : rows.length));
  return (
    <div className="selection-bar" role="region" aria-label={selected}>
      <strong>{selected}</strong>
      {hasAll && !isAll && total > rows.length && (
        <Button look="quiet" onPress={selection.selectMatching}>
          {text.selectMatching(format.number(total))}
        </Button>
      )}
      <Suspense>{actions}</Suspense>
      <Button look="quiet" onPress={selection.clear}>
        {text.clearSelection}
      </Button>
    </div>
  );
}

type Filtered = Pick<DataTableProps<never>, 'id' | 'filters' | 'filter' | 'onFilter'>;

/** Opens the saved filters of a list. */
function SavedFiltersButton({ id, filters = [], filter, onFilter }: Filtered): ReactNode {
  const text = useTexts(filterWords);
  const kind = id.replace(/s$/, '').replaceAll('-', '_').toUpperCase() as SavedFilterKind;
  if (filters.length === 0 || UNSAVED.includes(id)) return null;
  return (
    <DialogButton
      label={text.savedFilters}
      icon="filter"
      scope="READ"
      dialog={(close) => (
        <SavedFilters kind={kind} fields={filters} filter={filter} onChange={onFilter} onClose={close} />
      )}
    />
  );
}

function orderOf(sort: string): { field: string; direction: 'ASC' | 'DESC' } {
  return sort.startsWith('-')
    ? { field: sort.slice(1), direction: 'DESC' }
    : { field: sort, direction: 'ASC' };
}

type CompactListProps<Row extends { readonly id: string }> = Omit<
  DataTableProps<Row>,
  'filter' | 'onFilter' | 'sort' | 'onSort' | 'isCompact'
> & {
  /** Order until people choose another one: `-STARTED_AT`. */
  readonly initialSort?: string;
};

/** A list inside a record. Its conditions and order end with it. */
export function CompactList<Row extends { readonly id: string }>(props: CompactListProps<Row>): ReactNode {
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
