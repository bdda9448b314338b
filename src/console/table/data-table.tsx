import { lazy, Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import type { SavedFilterKind } from '../gql/graphql';
import { RowMenu, SelectionActions } from '../record/actions';
import type { RecordActions } from '../record/bulk';
import { DialogButton } from '../record/dialog-button';
import { useNames } from '../record/find';
import { useFormat, useTexts, WordsContext } from '../text';
import { Button } from '../ui/button';
import { Empty, Loading, PageFailure } from '../ui/states';
import { pageTexts } from '../ui/words';
import type { ListAddress } from './address';
import { useChosenColumns } from './columns';
import { ExportButton } from './export-button';
import {
  apiFilter,
  filterWords,
  referencesIn,
  useFilterFields,
  type Filter,
  type GivenFilter,
} from './filter';
import { FilterChips, type FilterBarProps } from './filter-chips';
import { Grid } from './grid';
import { QuickSearch } from './quick-search';
import { useRows, type FilterName, type ListSource, type Sort } from './rows';
import { useSelection, type Selection } from './selection';
import { useColumns, type Column } from './shown';

const FilterPanel = lazy(() => import('./filter-panel'));
const SavedFilters = lazy(() => import('./saved-filters'));

/** Lists whose filters are not saved. */
const UNSAVED = ['alerts', 'commands', 'members', 'ledger', 'rollouts'];

/** A list, wherever it is shown. */
export interface ListProps<Row extends { readonly id: string }> {
  /** Words of the page: titles of columns and filters, and values. */
  readonly text: object;
  readonly source: ListSource<Row>;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly filters?: readonly GivenFilter<FilterName<NoInfer<Row>>>[];
  /** Actions on selected records, which the menu of each record has too. Without them, rows are not selected. */
  readonly rowActions?: RecordActions<NoInfer<Row>>;
  /** Buttons beside the list, such as creating a record. */
  readonly actions?: ReactNode;
  /** Order until people choose another one. */
  readonly initialSort?: Sort<NoInfer<Row>>;
  /** Shown where the company has no such records: "None" without it. */
  readonly empty?: ReactNode;
  /** The button that makes the first one. */
  readonly emptyAction?: ReactNode;
}

export interface DataTableProps<Row extends { readonly id: string }> extends Omit<
  ListProps<Row>,
  'initialSort'
> {
  /** Says what the table lists: "Devices". Its columns are remembered under `id`. */
  readonly id: string;
  readonly label: string;
  /** Conditions, order and the record that is open beside the table. */
  readonly address: ListAddress;
  readonly change: (changes: ListAddress) => void;
  /** Conditions that cannot be taken away, such as the group of a list in a record of a group. */
  readonly fixedFilter?: Partial<Filter<FilterName<NoInfer<Row>>>>;
  readonly onOpen?: (row: NoInfer<Row>) => void;
  /** Rows of a list inside a record; a list page fills the window. */
  readonly isCompact?: boolean;
}

const useText = pageTexts({
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
  clearFilter: ['Clear the filter', 'Limpar o filtro'],
  noMatch: ['No record matches these conditions.', 'Nenhum registro atende a estas condições.'],
});

/** A list of any length with its conditions: rows come page after page, changes are followed. */
export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>): ReactNode {
  const text = useText();
  const filterText = useTexts(filterWords);
  const format = useFormat();
  const { change, rowActions } = props;
  const { filter = {}, sort, open } = props.address;
  const filters = useFilterFields(props.filters ?? []);
  const canSelect = useMay('WRITE') && rowActions !== undefined;
  const [isFiltering, setFiltering] = useState(false);
  const [openBefore, setOpenBefore] = useState(open);
  if (open !== openBefore) {
    setOpenBefore(open);
    // The record beside the list leaves no room for the filter.
    if (open !== undefined) setFiltering(false);
  }
  const orderBy = sort === undefined ? null : orderOf(sort);
  const where = { ...apiFilter(filter), ...props.fixedFilter };
  const names = useNames(referencesIn(filters, filter));
  const bar = { fields: filters, names, filter, onChange: (filter: Filter) => change({ filter }) };
  const list = useRows(props.source, where, orderBy);
  const { all: rows, total, error, isLoading } = list;
  const selection = useSelection(rows, JSON.stringify(where));
  const render = (row: Row): ReactNode => rowActions && <RowMenu actions={rowActions} row={row} />;
  const menu = { id: 'actions', title: text.actions, width: rowActions?.length === 1 ? 140 : 90, render };
  const known = useColumns<Row>([...props.columns, ...(rowActions ? [menu] : [])]);
  const [columns, columnMenu] = useChosenColumns(props.id, known);
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <div className={props.isCompact === true ? 'table table-compact' : 'table'}>
      <div className="table-head">
        <QuickSearch {...bar} />
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
          {props.isCompact !== true && <SavedFiltersButton {...bar} id={props.id} />}
          <span className="table-count" role="status">
            {total !== null && text.rows(format.number(total))}
          </span>
          {props.isCompact !== true && (
            <ExportButton
              {...bar}
              table={props.id}
              label={props.label}
              where={where}
              sort={sort}
              columns={columns}
            />
          )}
          {columnMenu}
          {props.actions}
        </div>
      </div>
      <Suspense>{isFiltering && <FilterPanel {...bar} />}</Suspense>
      <FilterChips {...bar} />
      {canSelect && selection.rows.length > 0 && (
        <SelectionBar selection={selection} total={total ?? 0} actions={rowActions} where={where} />
      )}
      {error && <PageFailure error={error} onRetry={list.reload} />}
      {total === 0 && !isLoading && !hasFilter && (
        <Empty action={props.emptyAction}>{props.empty ?? text.none}</Empty>
      )}
      {total === 0 && !isLoading && hasFilter && (
        <Empty action={<Button onPress={() => change({ filter: {} })}>{text.clearFilter}</Button>}>
          {text.noMatch}
        </Empty>
      )}
      {rows.length === 0 && isLoading && <Loading />}
      {rows.length > 0 && (
        <Grid {...props} list={list} columns={columns} selection={canSelect ? selection : null} />
      )}
    </div>
  );
}

interface SelectionBarProps<Row extends { readonly id: string }> {
  readonly selection: Selection<Row>;
  readonly total: number;
  readonly actions: RecordActions<Row>;
  /** The filter of all records that match. */
  readonly where: object;
}

/** How many records are selected, and what can be done with them. All that match can be selected where a job does it. */
function SelectionBar<Row extends { readonly id: string }>(props: SelectionBarProps<Row>): ReactNode {
  const text = useText();
  const format = useFormat();
  const { total, actions, where } = props;
  const { rows, isAll, selectMatching, clear } = props.selection;
  const hasJobs = actions.some(({ isJob }) => isJob);
  const selected = text.selected(format.number(isAll ? total : rows.length));
  return (
    <div className="selection-bar" role="region" aria-label={selected}>
      <strong>{selected}</strong>
      {hasJobs && !isAll && total > rows.length && (
        <Button variant="quiet" onPress={selectMatching}>
          {text.selectMatching(format.number(total))}
        </Button>
      )}
      <SelectionActions actions={actions} rows={rows} all={isAll ? where : null} onDone={clear} />
      <Button variant="quiet" onPress={clear}>
        {text.clearSelection}
      </Button>
    </div>
  );
}

/** Opens the saved filters of a list. */
function SavedFiltersButton({ id, ...bar }: FilterBarProps & { readonly id: string }): ReactNode {
  const text = useTexts(filterWords);
  const kind = id.replace(/s$/, '').replaceAll('-', '_').toUpperCase() as SavedFilterKind;
  if (bar.fields.length === 0 || UNSAVED.includes(id)) return null;
  return (
    <DialogButton
      label={text.savedFilters}
      icon="filter"
      scope="READ"
      dialog={(close) => <SavedFilters {...bar} kind={kind} onClose={close} />}
    />
  );
}

function orderOf(sort: string): { field: string; direction: 'ASC' | 'DESC' } {
  return sort.startsWith('-')
    ? { field: sort.slice(1), direction: 'DESC' }
    : { field: sort, direction: 'ASC' };
}

interface CompactListProps<Row extends { readonly id: string }>
  extends ListProps<Row>, Pick<DataTableProps<Row>, 'id' | 'label' | 'fixedFilter' | 'onOpen'> {}

/** A list inside a record. Its conditions and order end with it. */
export function CompactList<Row extends { readonly id: string }>(props: CompactListProps<Row>): ReactNode {
  const { initialSort, ...table } = props;
  const [{ filter, sort = initialSort }, setAddress] = useState<ListAddress>({});
  return (
    <WordsContext value={{ ...props.text }}>
      <DataTable
        {...table}
        isCompact
        address={{ filter, sort }}
        change={(changes) => setAddress((before) => ({ ...before, ...changes }))}
      />
    </WordsContext>
  );
}
