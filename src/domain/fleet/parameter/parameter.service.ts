import { changed, newValues } from '../../../platform/changes/changes.js';
import { parse } from '../../../platform/validate.js';
import { ownedRecords } from '../owner/owned-record.service.js';
import { ParameterCreate, ParameterUpdate } from './parameter.model.js';
import { parameterTable } from './parameter.repository.js';

export {
  parameterList,
  parametersOfGroup,
  parametersOfLogicalNumber,
  selectValueBytes as effectiveBytes,
} from './parameter.repository.js';

/** Texts that terminals read by key, of a logical number or of a group. */
export const parameters = ownedRecords({
  name: 'parameter',
  table: parameterTable,
  newValues: (input) => newValues(ParameterCreate, input, {}),
  changed: (current, input) => changed(current, parse(ParameterUpdate, input)),
});
