import { useState, type ReactNode } from 'react';

import { type EntityType, graphql, useQuery } from '../api';
import { kindOf, typeOf } from '../api/documents';
import type { Fragment } from '../api/query';
import { useMay } from '../app/session';
import type { RecordHistoryQuery } from '../gql/graphql';
import { Button } from '../ui/button';
import { Ago } from '../ui/facts';
import { Empty, Loading, PageFailure } from '../ui/states';
import { pageTexts } from '../ui/words';
import { useActor } from './actor';
import { useNames } from './find';
import { useHistoryValue } from './history-values';
import { isHidden, useHistoryLabel } from './history-words';
import { useRevert } from './undo';

const HISTORY = graphql(`
  query RecordHistory($id: ID!, $first: Int!) {
    node(id: $id) {
      id
      ... on AlertRule { history(first: $first) { ...HistoryPage } }
      ... on App { history(first: $first) { ...HistoryPage } }
      ... on AppVersion { history(first: $first) { ...HistoryPage } }
      ... on Command { history(first: $first) { ...HistoryPage } }
      ... on Device { history(first: $first) { ...HistoryPage } }
      ... on File { history(first: $first) { ...HistoryPage } }
      ... on Group { history(first: $first) { ...HistoryPage } }
      ... on Job { history(first: $first) { ...HistoryPage } }
      ... on LogicalNumber { history(first: $first) { ...HistoryPage } }
      ... on Metacontent { history(first: $first) { ...HistoryPage } }
      ... on Parameter { history(first: $first) { ...HistoryPage } }
      ... on Rollout { history(first: $first) { ...HistoryPage } }
    }
  }

  fragment HistoryPage on LedgerEntryConnection {
    totalCount
    nodes {
      sequence at action channel actorKind entityKind jobId tokenName
      actor { name }
      changes { field before after recordIds }
    }
  }
`);

type Node = Extract<RecordHistoryQuery['node'], { history: unknown }>;
type Entry = Node['history']['nodes'][number];
type Change = Entry['changes'][number];

const useText = pageTexts({
  noEntries: ['No changes are kept of this record.', 'Não há alterações guardadas deste registro.'],
  more: ['Older changes', 'Alterações mais antigas'],
  oldest: ['The newest 100 changes are shown.', 'São mostradas as 100 alterações mais recentes.'],
  takeBack: ['Take back', 'Desfazer'],
});

/** True if changes are kept of such records. */
export const hasHistory = (fragment: Fragment<unknown>): boolean =>
  HISTORY.toString().includes(`on ${typeOf(fragment.toString())} `);

const PAGE = 20;
const MAX = 100;

/** Changes of a record, the newest first: what, when, by whom. The last one can be taken back. */
export function RecordHistory(props: {
  readonly id: string;
  readonly fragment: Fragment<unknown>;
}): ReactNode {
  const text = useText();
  const [first, setFirst] = useState(PAGE);
  const { data, error, reload } = useQuery(HISTORY, { id: props.id, first }, [
    kindOf(props.fragment.toString()) as EntityType,
  ]);
  const history = data?.node && 'history' in data.node ? data.node.history : null;
  const entries = history?.nodes ?? [];
  const names = useNames(entries.flatMap(({ changes }) => changes.flatMap(({ recordIds }) => recordIds)));
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!history) return <Loading />;
  if (entries.length === 0) return <Empty>{text.noEntries}</Empty>;
  return (
    <>
      <ol className="history" aria-label={text.history}>
        {entries.map((entry, index) => (
          <HistoryEntry key={entry.sequence} entry={entry} names={names} isLast={index === 0} />
        ))}
      </ol>
      {history.totalCount > first &&
        (first < MAX ? (
          <Button onPress={() => setFirst(Math.min(MAX, first + PAGE))}>{text.more}</Button>
        ) : (
          <p className="faint">{text.oldest}</p>
        ))}
    </>
  );
}

/** One change: what, when, by whom, and each field before and after. */
export function HistoryEntry(props: {
  readonly entry: Entry;
  readonly names: ReadonlyMap<string, string>;
  /** True if no change of the record followed. */
  readonly isLast?: boolean;
}): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const revert = useRevert();
  const label = useHistoryLabel();
  const { sequence, at, action } = props.entry;
  const changes = props.entry.changes.filter((change) => !isHidden(change));
  const canRevert = props.isLast === true && mayWrite && action.toUpperCase() === 'UPDATE';
  const { who, how } = useActor()(props.entry);
  return (
    <li className="history-entry">
      <header>
        <strong>{label(action.toUpperCase())}</strong>
        <Ago at={at} />
        <span>
          {who} <small>{how}</small>
        </span>
        {canRevert && (
          <Button icon="undo" variant="quiet" onPress={() => void revert(sequence)}>
            {text.takeBack}
          </Button>
        )}
      </header>
      <dl>
        {changes.map((change) => (
          <div key={change.field}>
            <dt>{label(change.field)}</dt>
            <dd>
              <ChangedValue change={change} names={props.names} />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

interface ChangedValueProps {
  readonly change: Pick<Change, 'field' | 'before' | 'after' | 'recordIds'>;
  readonly names: ReadonlyMap<string, string>;
}

/** The value before and after a change in words: a record by its name. Of a list, what was removed and added. */
export function ChangedValue({ change, names }: ChangedValueProps): ReactNode {
  const say = useHistoryValue();
  const { field, before, after, recordIds } = change;
  const numbers = [before, after].flat().filter((value) => typeof value === 'number');
  const nameOf = (value: number): string | null | undefined => {
    const id = recordIds[numbers.indexOf(value)];
    return id === undefined ? undefined : (names.get(id) ?? null);
  };
  const isList = Array.isArray(before) || Array.isArray(after);
  const old: readonly unknown[] = [before ?? []].flat();
  const now: readonly unknown[] = [isList ? (after ?? []) : after].flat();
  const removed = old.filter((each) => !now.includes(each));
  const added = now.filter((each) => !old.includes(each));
  const shown = (values: readonly unknown[]): string => say(field, isList ? values : values[0], nameOf);
  return (
    <>
      {removed.length > 0 && <del>{shown(removed)}</del>}{' '}
      {(added.length > 0 || (isList && removed.length === 0)) && <ins>{shown(added)}</ins>}
    </>
  );
}
