import { lazy, type ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { NUMBER_ACTIONS } from './number-actions';
import { useText } from './words';

const NumberPanel = lazy(() => import('./number-panel'));

const NUMBER = fragment(`
  fragment LogicalNumberRow on LogicalNumber {
    id number updatedAt merchantName merchantAddress tags notes
    group { id name }
    appVersions(first: 0) { totalCount }
    devices(first: 2) { nodes { id serialNumber } }
  }
`);

export const SOURCE = listOf(NUMBER, 'DEVICE', 'GROUP');

/** Columns of logical numbers in the record of a group. */
export const COLUMNS = ['number', 'group', 'devices', 'appVersions', 'updatedAt'] as const;

const ACTIONS: RecordActions<{ readonly id: string; readonly number: string }> = [
  ...NUMBER_ACTIONS,
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
      columns={[
        'number',
        'merchantName',
        'group',
        'devices',
        'appVersions',
        { id: 'tags', isHidden: true },
        { id: 'merchantAddress', isHidden: true },
        { id: 'notes', isHidden: true },
        'updatedAt',
      ]}
      filters={[
        'number',
        'merchantName',
        'tags',
        'groupId',
        'hasDevice',
        { id: 'version', title: text.hasVersion },
        'createdAt',
        { id: 'changedByJob', isOfLinks: true },
      ]}
      rowActions={ACTIONS}
      create={{
        title: text.newNumber,
        fields: ['number', { name: 'groupId', isOptional: true }, 'merchantName', 'merchantAddress', 'tags'],
        document: mutations.logicalNumberCreate,
      }}
      panel={<NumberPanel />}
    />
  );
}
