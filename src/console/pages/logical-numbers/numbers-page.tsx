import { lazy, type ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { useText } from './words';

const NumberPanel = lazy(() => import('./number-panel'));

const NUMBER = fragment(`
  fragment LogicalNumberRow on LogicalNumber {
    id number updatedAt
    group { id name }
    appVersions(first: 0) { totalCount }
    devices(first: 2) { nodes { id serialNumber } }
  }
`);

export const SOURCE = listOf(NUMBER, 'DEVICE', 'GROUP');

/** Columns of logical numbers, in the list and in the record of a group. */
export const COLUMNS = ['number', 'group', 'devices', 'appVersions', 'updatedAt'] as const;

const ACTIONS: RecordActions<{ readonly id: string }> = [
  {
    id: 'move',
    icon: 'group',
    fields: ['groupId', { name: 'force', kind: 'flag' }],
    change: ({ id }, input: { groupId: string; force: boolean }) =>
      mutate(mutations.logicalNumberMove, { id, ...input }),
  },
  {
    id: 'delete',
    icon: 'remove',
    isDangerous: true,
    change: ({ id }) => mutate(mutations.logicalNumberDelete, { id }),
  },
];

export default function NumbersPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="logical-numbers"
      text={text}
      source={SOURCE}
      columns={COLUMNS}
      filters={['number', 'groupId', 'hasDevice', { id: 'version', title: text.hasVersion }, 'createdAt']}
      rowActions={ACTIONS}
      create={{
        title: text.newNumber,
        fields: ['number', { name: 'groupId', isOptional: true }],
        document: mutations.logicalNumberCreate,
      }}
      panel={<NumberPanel />}
    />
  );
}
