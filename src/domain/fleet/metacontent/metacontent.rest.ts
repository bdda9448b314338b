import { z } from 'zod';

import { auditShape, fieldsOf } from '../../../rest/index.js';
import { ownedRoutes, ownerShape } from '../owner/owner.rest.js';
import { type Metacontent, MetacontentCreate, MetacontentUpdate } from './metacontent.model.js';
import { metacontents } from './metacontent.service.js';

const MetacontentShape = z
  .strictObject({
    id: z.int(),
    key: z.string(),
    value: z.unknown().describe('Any JSON.'),
    ...ownerShape,
    ...auditShape,
  })
  .meta({ id: 'Metacontent', description: 'A JSON value that terminals read by its key.' });

/** /v1/metacontents (contract 16). */
export const metacontentRoutes = ownedRoutes({
  records: metacontents,
  create: MetacontentCreate,
  update: MetacontentUpdate,
  fields: fieldsOf(MetacontentShape).from<Metacontent>({}),
});
