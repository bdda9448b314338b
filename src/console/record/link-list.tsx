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

export interface LinkListProps<Row extends Named> {
  readonly rows: readonly Row[];
  /** Page of the linked records: `/files`. */
  readonly page: string;
  /** Name of the field that adds one. */
  readonly add: string;
  readonly find: (text: string) => Promise<readonly Reference[]>;
  readonly onAdd: (id: string) => void;
  readonly onRemove: (id: string) => void;
  /** Why the last change was refused. */
  readonly problem?: Failure | null | undefined;
  /** Further cell of a row. */
  readonly cell?: (row: Row) => ReactNode;
}

/** Records that are linked to a record, which are added and removed one by one. */
export function LinkList<Row extends Named>(props: LinkListProps<Row>): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const { rows } = props;
  return (
    <>
      {props.problem && <FailureNote failure={props.problem} />}
      <SmallTable
        rows={rows}
        hasTitles={false}
        columns={[
          { id: 'record', render: (row) => <RecordLink page={props.page} record={row} /> },
          { id: 'cell', render: (row) => props.cell?.(row) },
          {
            id: 'remove',
            align: 'end',
            render: ({ id }) => mayWrite && <Button onPress={() => props.onRemove(id)}>{text.remove}</Button>,
          },
        ]}
      />
      {mayWrite && (
        <ReferenceInput
          key={rows.length}
          label={props.add}
          value={null}
          find={props.find}
          onChange={(record) => {
            if (record) props.onAdd(record.id);
          }}
        />
      )}
    </>
  );
}
