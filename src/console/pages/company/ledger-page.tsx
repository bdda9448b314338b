import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { findMembers } from '../../record/find';
import { useActionName } from '../../record/history-words';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Badge } from '../../ui/facts';
import { entityNames } from './entities';
import { useText } from './words';

const EntryPanel = lazy(() => import('./entry-panel'));

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

/** The change history of the company: who changed what, and when. */
export default function LedgerPage(): ReactNode {
  const text = useText();
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
