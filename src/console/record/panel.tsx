import { useEffect, useRef, type ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import type { QueryState } from '../api/query';
import { useListAddress } from '../table/address';
import { texts, useTexts } from '../text';
import { IconButton } from '../ui/button';
import { Empty, Loading, PageFailure } from '../ui/states';
import { words as common } from '../ui/words';

const words = texts({
  en: { gone: 'This record no longer exists.' },
  pt: { gone: 'Este registro não existe mais.' },
});

export interface PanelTab {
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

interface PanelProps<Data, Row> {
  readonly query: QueryState<Data>;
  readonly record: (data: Data) => Row | null | undefined;
  readonly title: (record: Row) => ReactNode;
  readonly actions?: (record: Row) => ReactNode;
  readonly tabs: (record: Row) => readonly PanelTab[];
  readonly onClose: () => void;
  /** Form or window of an action, above the tabs. */
  readonly children?: (record: Row) => ReactNode;
}

/** A record beside its list: what it is, in tabs, and what may be done with it. Escape closes it. */
export function RecordPanel<Data, Row>(props: PanelProps<Data, Row>): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { query, onClose } = props;
  const [{ tab, open }, change] = useListAddress();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [open]);
  const record = query.data && props.record(query.data);
  const tabs = record ? props.tabs(record) : [];
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
        {record && props.actions?.(record)}
        <IconButton icon="close" label={commonText.close} onPress={onClose} />
      </header>
      {query.error && <PageFailure error={query.error} onRetry={query.reload} />}
      {!record && query.data && <Empty>{text.gone}</Empty>}
      {!record && query.isLoading && <Loading />}
      {record && props.children && <div className="panel-body">{props.children(record)}</div>}
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
