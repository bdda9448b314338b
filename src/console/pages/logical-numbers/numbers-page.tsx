import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { LogicalNumberListQuery } from '../../gql/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { useListAddress } from '../../table/address';
import type { Column } from '../../table/columns';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { NumberActions } from './number-actions';
import { NewNumber } from './number-form';
import { NumberPanel } from './number-panel';
import { words } from './words';

const NUMBERS = graphql(`
  query LogicalNumberList(
    $first: Int!, $after: String, $filter: LogicalNumberFilter, $orderBy: LogicalNumberOrder, $count: Boolean!
  ) {
    logicalNumbers(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        number
        updatedAt
        group { id name }
        appVersions(first: 0) { totalCount }
        devices(first: 2) {
          nodes { id serialNumber }
        }
      }
    }
  }
`);

type Row = LogicalNumberListQuery['logicalNumbers']['nodes'][number];

const SOURCE = {
  document: NUMBERS,
  connection: ({ logicalNumbers }: LogicalNumberListQuery) => logicalNumbers,
  follows: ['LOGICAL_NUMBER', 'DEVICE', 'GROUP'],
} as const;

export default function NumbersPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isCreating, setCreating] = useState(false);
  const [, change] = useListAddress();
  return (
    <>
      <ListPage<LogicalNumberListQuery, Row>
        id="logical-numbers"
        label={text.numbers}
        source={SOURCE}
        rowName={({ number }) => number}
        columns={columnsOf(text)}
        filters={[
          { id: 'number', title: text.number, kind: 'text', comparator: 'startsWith' },
          { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
          { id: 'hasDevice', title: text.hasDevice, kind: 'flag' },
          {
            id: 'version',
            title: text.hasVersion,
            kind: 'reference',
            comparator: 'eq',
            find: findAppVersions,
          },
          { id: 'createdAt', title: text.created, kind: 'time' },
        ]}
        {...(mayWrite && {
          selectionActions: (rows: readonly Row[], clear: () => void) => (
            <NumberActions targets={rows.map(({ id, number }) => ({ id, name: number }))} onDone={clear} />
          ),
        })}
        actions={
          mayWrite && (
            <Button icon="add" look="primary" onPress={() => setCreating(true)}>
              {text.newNumber}
            </Button>
          )
        }
        panel={(id, close) => <NumberPanel id={id} onClose={close} />}
        empty={text.noNumbers}
      />
      {isCreating && (
        <NewNumber
          onClose={() => setCreating(false)}
          onCreated={(id) => change({ open: id, tab: undefined })}
        />
      )}
    </>
  );
}

const columnsOf = (text: typeof words.en): readonly Column<Row>[] => [
  {
    id: 'number',
    title: text.number,
    order: 'NUMBER',
    width: 140,
    render: ({ number }) => <span className="code">{number}</span>,
  },
  {
    id: 'group',
    title: text.group,
    width: 180,
    render: ({ group }) =>
      group && (
        <Link to="/groups" search={{ open: group.id }}>
          {group.name}
        </Link>
      ),
  },
  {
    id: 'devices',
    title: text.devices,
    width: 220,
    render: ({ devices }) =>
      devices.nodes.map(({ id, serialNumber }) => (
        <Link key={id} to="/devices" search={{ open: id }} className="code">
          {serialNumber}{' '}
        </Link>
      )),
  },
  {
    id: 'appVersions',
    title: text.appVersions,
    width: 110,
    align: 'end',
    render: ({ appVersions }) => appVersions.totalCount,
  },
  {
    id: 'updatedAt',
    title: text.updated,
    order: 'UPDATED_AT',
    width: 140,
    render: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];
