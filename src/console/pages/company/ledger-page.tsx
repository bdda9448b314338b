import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useQuery } from '../../api/query';
import type { LedgerListQuery } from '../../gql/graphql';
import { HistoryEntry } from '../../record/history';
import { useActionName } from '../../record/history-words';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Badge, Time } from '../../ui/facts';
import { words } from './words';

const LEDGER = graphql(`
  query LedgerList($first: Int!, $after: String, $filter: LedgerEntryFilter, $orderBy: LedgerEntryOrder, $count: Boolean!) {
    ledger(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        sequence
        at
        action
        entityType
        entityId
        channel
        actor { id name }
      }
    }
  }
`);

const ENTRY = graphql(`
  query LedgerEntryRecord($id: ID!) {
    node(id: $id) {
      id
      ... on LedgerEntry {
        sequence
        at
        action
        entityType
        entityId
        channel
        actor { name }
        changes { field before after }
      }
    }
  }
`);

type Row = NonNullable<LedgerListQuery['ledger']>['nodes'][number];

const SOURCE = {
  document: LEDGER,
  connection: ({ ledger }: LedgerListQuery) => ledger,
  follows: ['APP', 'DEVICE', 'GROUP', 'LOGICAL_NUMBER', 'PARAMETER', 'MEMBERSHIP', 'USER', 'ACCESS_TOKEN'],
} as const;

/** Who changed what, and when. */
export default function LedgerPage(): ReactNode {
  const text = useTexts(words);
  const actionName = useActionName();
  return (
    <ListPage<LedgerListQuery, Row>
      id="ledger"
      label={text.ledger}
      source={SOURCE}
      initialSort="-SEQUENCE"
      rowName={({ sequence }) => String(sequence)}
      columns={[
        { id: 'sequence', title: 'N°', order: 'SEQUENCE', width: 80, render: ({ sequence }) => sequence },
        { id: 'at', title: text.at, width: 190, render: ({ at }) => <Time at={at} /> },
        { id: 'actor', title: text.by, width: 180, render: ({ actor }) => actor?.name },
        { id: 'action', title: text.action, width: 150, render: ({ action }) => actionName(action) },
        {
          id: 'entity',
          title: text.entity,
          width: 170,
          render: (row) => `${row.entityType} ${row.entityId ?? ''}`,
        },
        { id: 'channel', title: 'API', width: 110, render: ({ channel }) => <Badge>{channel}</Badge> },
      ]}
      filters={[
        { id: 'entityType', title: text.kind, kind: 'text', comparator: 'eq' },
        { id: 'at', title: text.at, kind: 'time' },
      ]}
      panel={(id, close) => <EntryPanel id={id} onClose={close} />}
      empty={text.noEntries}
    />
  );
}

function EntryPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const query = useQuery(ENTRY, { id });
  return (
    <RecordPanel
      query={query}
      record={({ node }) => (node && 'sequence' in node ? node : null)}
      title={({ sequence, entityType, entityId }) => `${sequence} · ${entityType} ${entityId ?? ''}`}
      onClose={onClose}
      tabs={(entry) => [
        {
          id: 'changes',
          title: text.changes,
          content: (
            <ol className="history">
              <HistoryEntry entry={entry} names={new Map()} />
            </ol>
          ),
        },
      ]}
    />
  );
}
