import { changed, newValues } from '../../../platform/changes/changes.js';
import { parse } from '../../../platform/validate.js';
import { ownedRecords } from '../owner/owned-record.service.js';
import { MetacontentCreate, MetacontentUpdate } from './metacontent.model.js';
import { metacontentTable } from './metacontent.repository.js';

export {
  metacontentList,
  metacontentsOfGroup,
  metacontentsOfLogicalNumber,
} from './metacontent.repository.js';

/** JSON values that terminals read by key, of a logical number or of a group. */
export const metacontents = ownedRecords({
  name: 'metacontent',
  table: metacontentTable,
  newValues: (input) => newValues(MetacontentCreate, input, {}),
  changed: (current, input) => changed(current, parse(MetacontentUpdate, input)),
});
