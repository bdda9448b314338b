import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { HistoryEntry } from '../../record/history';
import { RecordLink } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useTexts } from '../../text';
import { ENTITY_PAGES, entityNames } from './entities';
import { useText } from './words';

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
        changes { field before after recordIds }
      }
    }
  }
`);

/** One change, and the record as it is now. */
export default function EntryPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
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
              <RecordLink
                page={ENTITY_PAGES[entry.entityKind] ?? null}
                record={entry.entity && { id: entry.entity.id, name: text.showRecord }}
              />
            </>
          ),
        },
      ]}
    />
  );
}
