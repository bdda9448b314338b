import { Records } from '../../../database/company/records.js';
import { logicalNumberTable } from './logical-number.repository.js';

/** Logical numbers without their app versions. */
export const logicalNumberHeads = new Records({
  entityType: 'logical_number',
  table: logicalNumberTable,
  counter: 'logical_numbers',
  unique: {
    field: 'number',
    match: ({ number }) => ({ number }),
    message: 'A logical number with this number exists already.',
  },
});
