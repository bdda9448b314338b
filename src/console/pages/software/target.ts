import { fieldsOf, type Values } from '../../record/form-field';

const isTo = (target: string) => (values: Values) => values.toWhom === target;

/** Fields for the logical numbers that get versions. */
export const TARGET = fieldsOf([
  { name: 'toWhom', values: ['group', 'logicalNumbers', 'savedFilter', 'all'] },
  { name: 'groupId', isShown: isTo('group') },
  { name: 'logicalNumbers', isShown: isTo('logicalNumbers'), pattern: /\S/ },
  { name: 'savedFilterId', isShown: isTo('savedFilter') },
]);

/** Values of these fields, as far as they are asked for. */
export interface Target {
  readonly toWhom?: string;
  readonly groupId?: string;
  readonly logicalNumbers?: string[];
  readonly savedFilterId?: string;
}

/** The target as mutations take it. */
export const targetOf = ({ toWhom, groupId, logicalNumbers, savedFilterId }: Target) =>
  toWhom === 'all' ? { all: true } : { groupId, logicalNumbers, savedFilterId };
