import { listTypes, nullable, text } from '../../../graphql/index.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import { ownedRecordGraphql, type OwnerKeys } from '../owner/owned-record.graphql.js';
import { ParameterCreate, ParameterUpdate, type Parameter } from './parameter.model.js';
import {
  parameterList,
  parameters,
  parametersOfGroup,
  parametersOfLogicalNumber,
} from './parameter.service.js';

export const ParameterType = auditedType<Parameter, OwnerKeys>(
  'Parameter',
  'A text setting of a logical number or of a group, which devices read by its key.',
  {
    key: text('Key, unique for its owner.'),
    value: text('Value.'),
    description: nullable(text('Purpose of the parameter. Null if there is no description.')),
  },
);

export const parameterGraphql = ownedRecordGraphql({
  types: listTypes(parameterList, ParameterType),
  name: 'parameter',
  records: parameters,
  create: { model: ParameterCreate },
  update: { model: ParameterUpdate },
  ofLogicalNumber: parametersOfLogicalNumber,
  ofGroup: parametersOfGroup,
});
