import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import type { EntityType } from '../api/changes';
import type { QueryState } from '../api/query';
import { useMay } from '../app/session';
import { useListAddress } from '../table/address';
import { texts, useTexts } from '../text';
import { Button, IconButton } from '../ui/button';
import { Facts, type Fact } from '../ui/facts';
import { Empty, Loading, PageFailure } from '../ui/states';
import { words as common } from '../ui/words';
import { DeleteButton, type DeleteDocument, type RecordRow } from './delete-dialog';
import { EditRecord, type RecordEdit, type Update } from './fields';
import { RecordHistory } from './history';

const words = texts({
  gone: ['This record no longer exists.', 'Este registro não existe mais.'],
  history: ['History', 'Histórico'],
});

export interface PanelTab {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Facts of a record in their tab, and what stands below them. */
interface FactsTab {
  readonly facts: readonly Fact[];
  readonly content?: ReactNode;
}

interface Removal<Deleted extends object> {
  readonly document: DeleteDocument<Deleted>;
  readonly changes: EntityType;
}

/** Props of the panel of a page: the record that it shows. */
export interface OpenRecord {
  readonly id: string;
  readonly onClose: () => void;
}

type Editing<Row, Edited extends object, Variables extends Update> =
  | RecordEdit<Edited, Variables, Variables['input']>
  | ((record: Row, close: () => void) => ReactNode);

interface RecordPanelProps<
  Data,
  Row extends RecordRow,
  Deleted extends object,
  Edited extends object,
  Variables extends Update,
> {
  readonly query: QueryState<Data>;
  readonly record: (data: Data) => Row | null | undefined;
  readonly title: (record: Row) => string;
  /** How the record is changed, or the form for that, for those who may. */
  readonly edit?: Editing<Row, Edited, Variables>;
  /** How the record is deleted, for those who may. */
  readonly remove?: Removal<Deleted>;
  /** Shows the history of the record as the last tab. */
  readonly history?: EntityType;
  /** Further buttons, for those who may change records. */
  readonly actions?: (record: Row) => ReactNode;
  readonly tabs: (record: Row) => readonly (PanelTab | FactsTab)[];
  readonly onClose: () => void;
  /** Form or window of an action, above the tabs. */
  readonly children?: (record: Row) => ReactNode;
}

/** A record beside its list: what it is, in tabs, and what may be done with it. Escape closes it. */
export function RecordPanel<
  Data,
  Row extends RecordRow,
  Deleted extends object,
  Edited extends object,
  Variables extends Update,
>(props: RecordPanelProps<Data, Row, Deleted, Edited, Variables>): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { query, edit, remove } = props;
  const mayWrite = useMay('WRITE');
  const [isEditing, setEditing] = useState(false);
  const [{ tab, open }, change] = useListAddress();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [open]);
  const onClose = (): void => {
    // The keyboard goes on where it opened the record.
    document.querySelector<HTMLElement>('[role=row][data-open=true]')?.focus();
    props.onClose();
  };
  const record = query.data && props.record(query.data);
  const own = record ? props.tabs(record) : [];
  const tabs = own.map((each) => ('facts' in each ? factsTab(each, commonText.facts) : each));
  if (record) tabs.push(...historyTab(record.id, props.history, text.history));
  return (
    <aside
      ref={panel}
      className="panel"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose();
      }}
    >
      <header className="panel-header">
        <h2>{record && props.title(record)}</h2>
        {mayWrite && record && props.actions?.(record)}
        {mayWrite && edit && record && (
          <Button icon="edit" onPress={() => setEditing(!isEditing)}>
            {commonText.edit}
          </Button>
        )}
        {mayWrite && remove && record && (
          <DeleteButton record={record} name={props.title(record)} {...remove} onDeleted={onClose} />
        )}
        <IconButton icon="close" label={commonText.close} onPress={onClose} />
      </header>
      {query.error && <PageFailure error={query.error} onRetry={query.reload} />}
      {!record && query.data && <Empty>{text.gone}</Empty>}
      {!record && query.isLoading && <Loading />}
      {record && (
        <div className="panel-body">
          {isEditing && edit && editing(edit, record, () => setEditing(false))}
          {props.children?.(record)}
        </div>
      )}
      {record && (
        <Tabs
          selectedKey={tab ?? tabs[0]?.id ?? ''}
          onSelectionChange={(key) => change({ tab: String(key) }, { replace: true })}
        >
          <TabList className="tabs" aria-label={commonText.open}>
            {tabs.map(({ id, title }) => (
              <Tab key={id} id={id}>
                {title}
              </Tab>
            ))}
          </TabList>
          {tabs.map(({ id, content }) => (
            <TabPanel key={id} id={id} className="panel-body">
              {content}
            </TabPanel>
          ))}
        </Tabs>
      )}
    </aside>
  );
}

/** The form that changes the record. */
function editing<Row extends RecordRow, Edited extends object, Variables extends Update>(
  edit: Editing<Row, Edited, Variables>,
  record: Row,
  close: () => void,
): ReactNode {
  if (typeof edit === 'function') return edit(record, close);
  return <EditRecord {...edit} record={{ revision: 0, ...record }} onClose={close} />;
}

const factsTab = ({ facts, content }: FactsTab, title: string): PanelTab => ({
  id: 'facts',
  title,
  content: (
    <>
      <Facts facts={facts} />
      {content}
    </>
  ),
});

const historyTab = (id: string, type: EntityType | undefined, title: string): readonly PanelTab[] =>
  type === undefined ? [] : [{ id: 'history', title, content: <RecordHistory id={id} type={type} /> }];
