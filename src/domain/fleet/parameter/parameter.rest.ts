import { z } from 'zod';

import { auditShape, fieldsOf } from '../../../rest/index.js';
import { ownedRoutes, ownerShape } from '../owner/owner.rest.js';
import { type Parameter, ParameterCreate, ParameterUpdate } from './parameter.model.js';
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
  records: parameters,
  create: ParameterCreate,
  update: ParameterUpdate,
  fields: fieldsOf(ParameterShape).from<Parameter>({}),
});
