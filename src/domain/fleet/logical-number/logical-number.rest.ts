import { z } from 'zod';

import { auditShape, byName, fieldsOf, resourceRoutes } from '../../../rest/index.js';
import {
  type LogicalNumber,
  LogicalNumberCreateBody,
  LogicalNumberUpdateBody,
} from './logical-number.model.js';
import * as service from './logical-number.service.js';

const identity = { id: z.int(), number: z.string(), group_id: z.int().nullable() };

const LogicalNumberShape = z
  .strictObject({
    ...identity,
    app_version_ids: z.array(z.int()).describe('App versions of its group that its terminals may use.'),
    ...auditShape,
  })
  .meta({ id: 'LogicalNumber', description: 'A number under which terminals work.' });

const CreatedShape = z
  .strictObject({ ...identity, ...auditShape })
  .meta({ id: 'LogicalNumberCreated', description: 'A new logical number, without its app versions.' });

const OMITTED = {
  merchantName: 'omitted',
  merchantAddress: 'omitted',
  tags: 'omitted',
  notes: 'omitted',
} as const;

/** /v1/logical_numbers (contract 18): one logical number is addressed by its number. */
export const logicalNumberRoutes = resourceRoutes<LogicalNumber>({
  path: '/logical_numbers',
  name: 'logical_number',
  key: byName('logical_number', 'logical number', service.getLogicalNumberByNumber),
  fields: fieldsOf(LogicalNumberShape).from<LogicalNumber>(OMITTED),
  list: { summary: 'List logical numbers', handle: service.listLogicalNumbers },
  read: { summary: 'Read a logical number' },
  create: {
    summary: 'Create a logical number',
    body: LogicalNumberCreateBody,
    fields: fieldsOf(CreatedShape).from<LogicalNumber>({ ...OMITTED, appVersionIds: 'omitted' }),
    handle: service.createLogicalNumber,
  },
  update: {
    summary: 'Change a logical number',
    description: 'A change of group removes the app versions that the new group does not have.',
    body: LogicalNumberUpdateBody,
    handle: service.updateLogicalNumber,
  },
  delete: {
    summary: 'Delete a logical number',
    description: 'Also deletes its parameters and metacontents. Its devices stay, without a logical number.',
    handle: service.deleteLogicalNumber,
  },
});
