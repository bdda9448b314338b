import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import type { EntityType } from '../api/changes';
import { useRecord, type Document, type Fragment } from '../api/query';
import { browserStorage } from '../api/storage';
import { useMay } from '../app/session';
import { useListAddress } from '../table/address';
import { useLabel } from '../text';
import { Button, IconButton } from '../ui/button';
import { Empty, Loading, PageFailure } from '../ui/states';
import { pageTexts } from '../ui/words';
import { ActionButton } from './dialog-button';
import { EditRecord, type RecordEdit } from './edit-record';
import { hasHistory, RecordHistory } from './history';
import { nameOf } from './link';

const useText = pageTexts({
  deleteTitle: [(name: string) => `Delete ${name}?`, (name: string) => `Excluir ${name}?`],
  deleteHelp: ['This cannot be undone.', 'Isto não pode ser desfeito.'],
  forceDelete: ['Delete all the same', 'Excluir mesmo assim'],
  isDeleted: [(name: string) => `${name} is deleted`, (name: string) => `${name} foi excluído`],
  beside: ['Show beside the list', 'Mostrar ao lado da lista'],
  wide: ['Widen', 'Alargar'],
  whole: ['Use the whole page', 'Usar a página inteira'],
  gone: ['This record no longer exists.', 'Este registro não existe mais.'],
});

interface RecordRow {
  readonly id: string;
  /** Absent on records that are never changed or deleted. */
  readonly revision?: number;
}

type DeleteDocument = Document<
  object,
  { readonly id: string; readonly ifMatch: number; readonly force: boolean }
>;

interface RecordPanelProps<Row extends RecordRow> {
  readonly fragment: Fragment<Row>;
  /** Types of other records of which the panel shows something. */
  readonly follows?: readonly EntityType[];
  /** Name of the record, where it is not one of its own fields. */
  readonly title?: (record: Row) => string;
  /** How the record is changed, for those who may. */
  readonly edit?: RecordEdit;
  /** Deletes the record, for those who may. Where terminals could lose software, it takes `force` as well. */
  readonly remove?: DeleteDocument;
  /** Further buttons, for those who may change records. */
  readonly actions?: (record: Row) => ReactNode;
  /** Contents of tabs by their names, whose words are the titles. One without content is left out. */
  readonly tabs: (record: Row) => Readonly<Record<string, ReactNode>>;
  /** A note above the tabs. */
  readonly children?: (record: Row) => ReactNode;
}

/** The record that is open beside its list: what it is, in tabs, and what may be done with it. Escape closes it. */
export function RecordPanel<Row extends RecordRow>(props: RecordPanelProps<Row>): ReactNode {
  const text = useText();
  const label = useLabel();
  const { fragment, edit, remove, title = nameOf } = props;
  const [{ open: id = '', tab }, change] = useListAddress();
  const query = useRecord(fragment, id, props.follows);
  const mayWrite = useMay('WRITE');
  const [isEditing, setEditing] = useState(false);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [id]);
  useEffect(() => {
    // The button that had the keyboard is gone with what it has done.
    if (document.activeElement === document.body) panel.current?.focus();
  });
  const onClose = (): void => {
    // The keyboard goes on where it opened the record.
    document.querySelector<HTMLElement>('[role=row][data-open=true]')?.focus();
    change({ open: undefined, tab: undefined });
  };
  const node = query.data?.node;
  const record = node && 'id' in node ? node : null;
  const history = hasHistory(fragment) && <RecordHistory id={id} fragment={fragment} />;
  const tabs = Object.entries(record ? { ...props.tabs(record), history } : {}).filter(([, content]) =>
    Boolean(content),
  );
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
        <h2>{record && title(record)}</h2>
        {mayWrite && record && props.actions?.(record)}
        {mayWrite && edit && record && (
          <Button icon="edit" onPress={() => setEditing(!isEditing)}>
            {text.edit}
          </Button>
        )}
        {mayWrite && remove && record && (
          <DeleteButton record={record} name={title(record)} document={remove} onDone={onClose} />
        )}
        <WidthButton />
        <IconButton icon="close" label={text.close} onPress={onClose} />
      </header>
      {query.error && <PageFailure error={query.error} onRetry={query.reload} />}
      {!record && query.data && <Empty>{text.gone}</Empty>}
      {!record && query.isLoading && <Loading />}
      {record && (
        <div className="panel-body">
          {isEditing && edit && (
            <EditRecord {...edit} record={{ revision: 0, ...record }} onClose={() => setEditing(false)} />
          )}
          {props.children?.(record)}
        </div>
      )}
      {record && (
        <Tabs
          selectedKey={tab ?? tabs[0]?.[0] ?? ''}
          onSelectionChange={(key) => change({ tab: String(key) }, { replace: true })}
        >
          <TabList className="tabs" aria-label={text.open}>
            {tabs.map(([name]) => (
              <Tab key={name} id={name}>
                {label(name)}
              </Tab>
            ))}
          </TabList>
          {tabs.map(([name, content]) => (
            <TabPanel key={name} id={name} className="panel-body">
              {content}
            </TabPanel>
          ))}
        </Tabs>
      )}
    </aside>
  );
}

const WIDTHS = ['beside', 'wide', 'whole'] as const;

/** Gives all records of this browser more of the page, and then their former width again. */
function WidthButton(): ReactNode {
  const text = useText();
  const [width, setWidth] = useState(
    () => WIDTHS.find((each) => each === browserStorage.get('panel')) ?? 'beside',
  );
  const next = WIDTHS[(WIDTHS.indexOf(width) + 1) % WIDTHS.length] ?? 'beside';
  return (
    <IconButton
      data-panel-width={width}
      icon={width === 'whole' ? 'narrow' : 'wide'}
      label={text[next]}
      onPress={() => {
        browserStorage.set('panel', next);
        setWidth(next);
      }}
    />
  );
}

/** Deletes the record once the person has confirmed it; software in use is deleted only if that is confirmed as well. */
function DeleteButton(props: {
  readonly record: RecordRow;
  readonly name: string;
  readonly document: DeleteDocument;
  readonly onDone: () => void;
}): ReactNode {
  const text = useText();
  const { record, name } = props;
  return (
    <ActionButton
      label={text.delete}
      title={text.deleteTitle(name)}
      help={text.deleteHelp}
      isDangerous
      document={props.document as Document<object, object>}
      variables={{ id: record.id, ifMatch: record.revision ?? 0 }}
      force={text.forceDelete}
      done={text.isDeleted(name)}
      onDone={props.onDone}
    />
  );
}
