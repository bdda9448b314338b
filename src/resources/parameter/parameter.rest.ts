import { z } from 'zod';

import { auditShape } from '../../rest/envelope.js';
import { ownedRoutes, ownerAndAuditFields, ownerShape } from '../owner/owned-record.rest.js';
import { ParameterCreate, ParameterUpdate } from './parameter.model.js';
import { parameters } from './parameter.service.js';

const ParameterShape = z
  .strictObject({
    id: z.int(),
    key: z.string(),
    value: z.string(),
    description: z.string().nullable(),
    ...ownerShape,
    ...auditShape,
  })
  .meta({ id: 'Parameter', description: 'A text that terminals read by its key.' });

/** /v1/parameters (contract 16). */
export const parameterRoutes = ownedRoutes({
  name: 'parameter',
  records: parameters,
  create: ParameterCreate,
  update: ParameterUpdate,
  shape: ParameterShape,
  fieldsOf: (parameter) => ({
    id: parameter.id,
    key: parameter.key,
    value: parameter.value,
    description: parameter.description,
    ...ownerAndAuditFields(parameter),
  }),
});
