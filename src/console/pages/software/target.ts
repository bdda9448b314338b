import type { AppVersionGrantTargetInput } from '../../gql/graphql';
import { fieldsOf, type Values } from '../../record/form-field';

const isTo = (target: string) => (values: Values) => values.toWhom === target;

/** Fields for the logical numbers that get versions. */
export const TARGET = fieldsOf([
  { name: 'toWhom', values: ['group', 'logicalNumbers', 'savedFilter', 'all'] },
  { name: 'groupId', isShown: isTo('group') },
  { name: 'logicalNumbers', isShown: isTo('logicalNumbers'), pattern: /\S/ },
  { name: 'savedFilterId', isShown: isTo('savedFilter') },
]);

/** The target as mutations take it, given the values of these fields. */
export const targetOf = ({ toWhom, groupId, logicalNumbers, savedFilterId }: Values) =>
  (toWhom === 'all'
    ? { all: true }
    : { groupId, logicalNumbers, savedFilterId }) as AppVersionGrantTargetInput;
