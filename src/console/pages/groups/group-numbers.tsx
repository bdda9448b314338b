import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { GroupNumbersQuery } from '../../gql/graphql';
import { findLogicalNumbers } from '../../record/find';
import { DataTable } from '../../table/data-table';
import type { Filter } from '../../table/filter';
import { useTexts } from '../../text';
import { ReferenceInput } from '../../ui/reference-input';
import { FailureNote } from '../../ui/states';
import { words } from './words';

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
        devices(first: 2) {
          nodes { id serialNumber }
        }
      }
    }
  }
`);

const MOVE = graphql(`
  mutation GroupNumberMove($id: ID!, $groupId: ID) {
    logicalNumberMove(id: $id, groupId: $groupId) {
      logicalNumber { id }
      userErrors { code message path rule params }
    }
  }
`);

type Row = GroupNumbersQuery['logicalNumbers']['nodes'][number];

const SOURCE = {
  document: NUMBERS,
  connection: ({ logicalNumbers }: GroupNumbersQuery) => logicalNumbers,
  follows: ['LOGICAL_NUMBER', 'DEVICE'],
} as const;

/** The logical numbers of a group with their devices; others are moved into it by their number. */
export function GroupNumbers({ groupId }: { readonly groupId: string }): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [filter, setFilter] = useState<Filter>({});
  const [moved, setMoved] = useState(0);
  const { run, failure, errors } = useMutation(MOVE, ['LOGICAL_NUMBER', 'GROUP']);
  const problem = failure ?? errors[0];
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
      <DataTable<GroupNumbersQuery, Row>
        id="group-numbers"
        label={text.logicalNumbers}
        isCompact
        source={SOURCE}
        filter={filter}
        fixedFilter={{ groupId: { eq: groupId } }}
        onFilter={setFilter}
        onSort={() => undefined}
        rowName={({ number }) => number}
        columns={[
          {
            id: 'number',
            title: text.logicalNumber,
            width: 140,
            render: ({ id, number }) => (
              <Link to="/logical-numbers" search={{ open: id }}>
                {number}
              </Link>
            ),
          },
          {
            id: 'devices',
            title: text.devices,
            width: 240,
            render: ({ devices }) =>
              devices.nodes.map(({ id, serialNumber }) => (
                <Link key={id} to="/devices" search={{ open: id }} className="code">
                  {serialNumber}{' '}
                </Link>
              )),
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
