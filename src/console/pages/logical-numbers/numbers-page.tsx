import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { RecordLinks } from '../../record/link';
import { ListPage } from '../../table/list-page';
import { NewNumber, useNumberActions } from './number-actions';
import { useText } from './words';

const NumberPanel = lazy(() => import('./number-panel'));

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
        devices(first: 2) { nodes { id serialNumber } }
      }
    }
  }
`);

export default function NumbersPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="logical-numbers"
      label={text.logicalNumbers}
      source={{ document: NUMBERS, follows: ['LOGICAL_NUMBER', 'DEVICE', 'GROUP'] }}
      rowName={({ number }) => number}
      columns={[
        { id: 'number', title: text.number, order: 'NUMBER', width: 140, kind: 'code' },
        { id: 'group', title: text.group, width: 180, page: '/groups' },
        {
          id: 'devices',
          title: text.devices,
          width: 220,
          render: ({ devices }) => <RecordLinks page="/devices" records={devices.nodes} />,
        },
        { id: 'appVersions', title: text.appVersions, width: 110, kind: 'count' },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[
        { id: 'number', title: text.number, kind: 'text', comparator: 'startsWith' },
        { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
        { id: 'hasDevice', title: text.hasDevice, kind: 'flag' },
        { id: 'version', title: text.hasVersion, kind: 'reference', comparator: 'eq', find: findAppVersions },
        { id: 'createdAt', title: text.created, kind: 'time' },
      ]}
      rowActions={useNumberActions()}
      create={{ label: text.newNumber, dialog: (close) => <NewNumber onClose={close} /> }}
      panel={(id, close) => <NumberPanel id={id} onClose={close} />}
      empty={text.noNumbers}
    />
  );
}
