import * as g from '../../../graphql/index.js';
import { LogicalNumberList } from '../logical-number/logical-number.graphql.js';
import { bulkChange, ParameterInput } from './bulk-change.graphql.js';
import { LogicalNumberBulkChange } from './bulk-change.model.js';
import { checkNumberChange, NUMBER_CHANGE } from './number-bulk.service.js';

const references = { groupId: 'Group' };

const ChangeInput = g.inputOf('LogicalNumberBulkChangeInput', LogicalNumberBulkChange, {
  description: 'What to change of each logical number. At least one field; absent fields keep their values.',
  references,
  inputs: { parameter: ParameterInput },
  fields: { force: g.FORCE },
  descriptions: {
    parameter: 'Sets a parameter of each logical number.',
    groupId: 'Global id of the group to which the logical numbers are moved; null takes them out of theirs.',
  },
});

export const numberBulkGraphql = bulkChange(NUMBER_CHANGE, {
  types: LogicalNumberList,
  table: 'logical_numbers',
  savedFilters: 'logical_number',
  records: 'logical numbers',
  nameOf: ({ number }) => number,
  change: ChangeInput,
  references,
  check: checkNumberChange,
});
