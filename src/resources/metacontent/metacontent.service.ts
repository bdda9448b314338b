import { parse } from '../../platform/validate.js';
import { ownedRecords } from '../owner/owned-record.service.js';
import { MetacontentCreate, MetacontentUpdate } from './metacontent.model.js';
import { metacontentRows } from './metacontent.repository.js';

export {
  metacontentList,
  metacontentsOfGroup,
  metacontentsOfLogicalNumber,
} from './metacontent.repository.js';

/** JSON values that terminals read by key, of a logical number or of a group. */
export const metacontents = ownedRecords({
  name: 'metacontent',
  rows: metacontentRows,
  newValues: (input) => parse(MetacontentCreate, input),
  changedValues: (current, input) => {
    const { key = current.key, value = current.value } = parse(MetacontentUpdate, input);
    return { key, value };
  },
});
