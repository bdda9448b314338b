import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useQuery } from '../../api/query';
import type { EntityType } from '../../gql/graphql';
import { findMembers } from '../../record/find';
import { HistoryEntry } from '../../record/history';
import { useActionName } from '../../record/history-words';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Badge } from '../../ui/facts';
import { ENTITY_PAGES, entityNames } from './entities';
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
        entityKind
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
        entityKind
        entityId
        channel
        actor { name }
        entity { id }
        changes { field before after }
      }
    }
  }
`);

const FOLLOWED = [
  'APP',
  'DEVICE',
  'GROUP',
  'LOGICAL_NUMBER',
  'PARAMETER',
  'MEMBERSHIP',
  'USER',
  'ACCESS_TOKEN',
] as const;

/** Who changed what, and when. */
export default function LedgerPage(): ReactNode {
  const text = useTexts(words);
  const actionName = useActionName();
  const kinds = useTexts(entityNames);
  const kindOptions = Object.entries(kinds).map(([value, label]) => ({ value, label }));
  return (
    <ListPage
      id="ledger"
      label={text.ledger}
      source={{ document: LEDGER, follows: FOLLOWED }}
      initialSort="-SEQUENCE"
      rowName={({ sequence }) => String(sequence)}
      columns={[
        { id: 'sequence', title: 'N°', order: 'SEQUENCE', width: 80 },
        { id: 'at', title: text.at, width: 190, kind: 'time' },
        { id: 'actor', title: text.by, width: 180, render: ({ actor }) => actor?.name },
        { id: 'action', title: text.action, width: 150, render: ({ action }) => actionName(action) },
        {
          id: 'entity',
          title: text.entity,
          width: 170,
          render: ({ entityKind, entityId }) => `${kinds[entityKind]} ${entityId ?? ''}`,
        },
        { id: 'channel', title: 'API', width: 110, render: ({ channel }) => <Badge>{channel}</Badge> },
      ]}
      filters={[
        { id: 'entityKind', title: text.kind, kind: 'choice', options: kindOptions },
        { id: 'actorId', title: text.by, kind: 'reference', find: findMembers },
        { id: 'at', title: text.at, kind: 'time' },
      ]}
      panel={(id, close) => <EntryPanel id={id} onClose={close} />}
      empty={text.noEntries}
    />
  );
}

function EntryPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useTexts(words);
  const kinds = useTexts(entityNames);
  const query = useQuery(ENTRY, { id });
  return (
    <RecordPanel
      query={query}
      record={({ node }) => (node && 'sequence' in node ? node : null)}
      title={({ sequence, entityKind, entityId }) => `${sequence} · ${kinds[entityKind]} ${entityId ?? ''}`}
      onClose={onClose}
      tabs={(entry) => [
        {
          id: 'changes',
          title: text.changes,
          content: (
            <>
              <ol className="history">
                <HistoryEntry entry={entry} names={new Map()} />
              </ol>
              <EntityLink kind={entry.entityKind} id={entry.entity?.id} />
            </>
          ),
        },
      ]}
    />
  );
}

/** Leads to the record as it is now; nothing if it is gone or has no page. */
function EntityLink({ kind, id }: { readonly kind: EntityType; readonly id: string | undefined }): ReactNode {
  const text = useTexts(words);
  const page = ENTITY_PAGES[kind];
  if (page === undefined || id === undefined) return null;
  return (
    <p>
      <Link to={page} search={{ open: id }}>
        {text.showRecord}
      </Link>
    </p>
  );
}
