import type { ReactNode } from 'react';

import type { Failure } from '../api/errors';
import { useMay } from '../app/session';
import { SmallTable } from '../table/shown';
import { useTexts } from '../text';
import { Button } from '../ui/button';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { FailureNote } from '../ui/states';
import { words } from '../ui/words';
import { RecordLink, type Named } from './link';

/** The first entries of a list of a record. */
export interface FirstEntries<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** Ids of a list that is set as a whole. Null if it has more entries than were read: a change would remove these. */
export const wholeIds = <Id extends string>({ nodes, pageInfo }: FirstEntries<{ readonly id: Id }>) =>
  pageInfo.hasNextPage ? null : nodes.map(({ id }) => id);

/** Says that a list has more entries than are shown, if it does. */
export function MoreNote({ list, isFixed = false }: { list: FirstEntries<object>; isFixed?: boolean }) {
  const text = useTexts(words);
  if (!list.pageInfo.hasNextPage) return null;
  return <p className="note">{isFixed ? text.tooLong : text.firstOnly}</p>;
}

export interface LinkListProps<Row extends Named> {
  readonly list: FirstEntries<Row>;
  /** Page of the linked records: `/files`. */
  readonly page: string;
  /** Name of the field that adds one. */
  readonly add: string;
  readonly find: (text: string) => Promise<readonly Reference[]>;
  /** Both are absent if the list cannot be changed here. */
  readonly onAdd?: ((id: string) => void) | undefined;
  readonly onRemove?: ((id: string) => void) | undefined;
  /** Why the last change was refused. */
  readonly problem?: Failure | null | undefined;
  /** Further cell of a row. */
  readonly cell?: (row: Row) => ReactNode;
}

/** Records that are linked to a record, which are added and removed one by one. */
export function LinkList<Row extends Named>(props: LinkListProps<Row>): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const { list, onAdd, onRemove } = props;
  const rows = list.nodes;
  return (
    <>
      {props.problem && <FailureNote failure={props.problem} />}
      <MoreNote list={list} isFixed={!onAdd} />
      <SmallTable
        rows={rows}
        hasTitles={false}
        columns={[
          { id: 'record', render: (row) => <RecordLink page={props.page} record={row} /> },
          { id: 'cell', render: (row) => props.cell?.(row) },
          {
            id: 'remove',
            align: 'end',
            render: ({ id }) =>
              mayWrite && onRemove && <Button onPress={() => onRemove(id)}>{text.remove}</Button>,
          },
        ]}
      />
      {mayWrite && onAdd && (
        <ReferenceInput
          key={rows.length}
          label={props.add}
          value={null}
          find={props.find}
          onChange={(record) => {
            if (record) onAdd(record.id);
          }}
        />
      )}
    </>
  );
}
