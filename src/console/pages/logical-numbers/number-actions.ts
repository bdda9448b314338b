import { mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { reachingNumbers, SET_PARAMETER, TAG } from './reaching';

const bulk = mutations.logicalNumberBulkChange;

/** Actions on logical numbers, beside deleting them. */
export const NUMBER_ACTIONS: RecordActions<{ readonly id: string; readonly number: string }> = [
  {
    id: 'move',
    icon: 'group',
    fields: ['groupId', { name: 'force', kind: 'flag' }],
    isJob: true,
    bulk,
    change: ({ id }, input: { groupId: string; force: boolean }) =>
      mutate(mutations.logicalNumberMove, { id, ...input }),
  },
  { ...SET_PARAMETER, bulk },
  { ...TAG, bulk },
  ...reachingNumbers,
];
