import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { useMay } from '../../app/session';
import { findLogicalNumbers } from '../../record/find';
import { RecordLinks } from '../../record/link';
import { CompactList } from '../../table/compact-list';
import { ReferenceInput } from '../../ui/reference-input';
import { FailureNote } from '../../ui/states';
import { useText } from './words';

const NUMBERS = graphql(`
  query GroupNumbers(
    $first: Int!, $after: String, $filter: LogicalNumberFilter, $orderBy: LogicalNumberOrder, $count: Boolean!
  ) {
    logicalNumbers(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        number
        devices(first: 2) { nodes { id serialNumber } }
      }
    }
  }
`);

const MOVE = graphql(`
  mutation GroupNumberMove($id: ID!, $groupId: ID) {
    logicalNumberMove(id: $id, groupId: $groupId) { userErrors { code message path rule params } }
  }
`);

/** The logical numbers of a group with their devices; others are moved into it by their number. */
export function GroupNumbers({ groupId }: { readonly groupId: string }): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const [moved, setMoved] = useState(0);
  const { run, problem } = useMutation(MOVE, ['LOGICAL_NUMBER', 'GROUP']);
  const move = async (id: string): Promise<void> => {
    if (await run({ id, groupId })) setMoved(moved + 1);
  };
  return (
    <>
      {problem && <FailureNote failure={problem} />}
      {mayWrite && (
        <ReferenceInput
          key={moved}
          label={text.addNumber}
          value={null}
          find={findLogicalNumbers}
          onChange={(number) => number && void move(number.id)}
        />
      )}
      <CompactList
        id="group-numbers"
        label={text.logicalNumbers}
        source={{ document: NUMBERS, follows: ['LOGICAL_NUMBER', 'DEVICE'] }}
        fixedFilter={{ groupId: { eq: groupId } }}
        rowName={({ number }) => number}
        columns={[
          { id: 'number', title: text.logicalNumber, width: 140, page: '/logical-numbers' },
          {
            id: 'devices',
            title: text.devices,
            width: 240,
            render: ({ devices }) => <RecordLinks page="/devices" records={devices.nodes} />,
          },
        ]}
        filters={[{ id: 'number', title: text.logicalNumber, kind: 'text', comparator: 'startsWith' }]}
        empty={text.noNumbers}
      />
      <p>
        <Link to="/devices" search={{ filter: { group: { eq: groupId } } }}>
          {text.devices}
        </Link>
      </p>
    </>
  );
}
