import { parse } from '../../platform/validate.js';
import { ownedRecords } from '../owner/owned-record.service.js';
import { ParameterCreate, ParameterUpdate } from './parameter.model.js';
import { parameterRows } from './parameter.repository.js';

export { parameterList, parametersOfGroup, parametersOfLogicalNumber } from './parameter.repository.js';

/** Texts that terminals read by key, of a logical number or of a group. */
export const parameters = ownedRecords({
  name: 'parameter',
  rows: parameterRows,
  newValues: (input) => {
    const { key, value, description = null } = parse(ParameterCreate, input);
    return { key, value, description };
  },
  changedValues: (current, input) => {
    const {
      key = current.key,
      value = current.value,
      description = current.description,
    } = parse(ParameterUpdate, input);
    return { key, value, description };
  },
});
