import { z } from 'zod';

import {
  auditShape,
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import { LogicalNumberCreate, LogicalNumberUpdate, type LogicalNumber } from './logical-number.model.js';
import { deleteLogicalNumber } from './logical-number.removal.service.js';
import {
  createLogicalNumber,
  getLogicalNumberByNumber,
  listLogicalNumbers,
  updateLogicalNumber,
} from './logical-number.service.js';

const identity = { id: z.int(), number: z.string(), group_id: z.int().nullable() };

const LogicalNumberShape = z
  .strictObject({
    ...identity,
    app_version_ids: z.array(z.int()).describe('App versions of its group that the number may access.'),
    ...auditShape,
  })
  .meta({ id: 'LogicalNumber', description: 'A number under which terminals work.' });

const CreatedShape = z
  .strictObject({ ...identity, ...auditShape })
  .meta({ id: 'LogicalNumberCreated', description: 'A new logical number, without its app versions.' });

function createdFields({ id, number, groupId, ...audit }: LogicalNumber) {
  return { id, number, group_id: groupId, ...auditFields(audit) };
}

function logicalNumberFields({ id, number, groupId, appVersionIds, ...audit }: LogicalNumber) {
  return { id, number, group_id: groupId, app_version_ids: appVersionIds, ...auditFields(audit) };
}

const answer = (record: LogicalNumber) =>
  recordResponse('logical_number', logicalNumberFields(record), record);

/** /v1/logical_numbers (contract 18): one goes by its number. */
export const logicalNumberRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/logical_numbers',
    scope: 'read',
    summary: 'List logical numbers',
    paged: true,
    response: listShape('logical_numbers', 'logical_number', LogicalNumberShape),
    read: async (work, call) =>
      listResponse(
        'logical_numbers',
        'logical_number',
        await listLogicalNumbers(work, call.page),
        logicalNumberFields,
      ),
  },
  {
    method: 'GET',
    path: '/logical_numbers/{logical_number}',
    scope: 'read',
    summary: 'Read a logical number',
    response: recordShape('logical_number', LogicalNumberShape),
    read: async (work, call) =>
      answer(await getLogicalNumberByNumber(work, call.name('logical_number', 'logical number'))),
  },
  {
    method: 'POST',
    path: '/logical_numbers',
    scope: 'write',
    summary: 'Create a logical number',
    body: LogicalNumberCreate,
    status: 201,
    response: recordShape('logical_number', CreatedShape),
    write: async (work, call) => {
      const created = await createLogicalNumber(work, call.input);
      return recordResponse('logical_number', createdFields(created), created, 201);
    },
  },
  {
    method: 'PUT',
    path: '/logical_numbers/{logical_number}',
    scope: 'write',
    summary: 'Change a logical number',
    description: 'Moving it to another group, or taking it out, drops the app versions not linked there.',
    body: LogicalNumberUpdate,
    response: recordShape('logical_number', LogicalNumberShape),
    write: async (work, call) => {
      const current = await getLogicalNumberByNumber(work, call.name('logical_number', 'logical number'));
      call.ifMatch('logical_number', current);
      return answer(await updateLogicalNumber(work, current, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/logical_numbers/{logical_number}',
    scope: 'write',
    summary: 'Delete a logical number',
    description: 'Its parameters and metacontents go with it; its devices stay, without a logical number.',
    response: EmptyShape,
    write: async (work, call) => {
      const current = await getLogicalNumberByNumber(work, call.name('logical_number', 'logical number'));
      call.ifMatch('logical_number', current);
      await deleteLogicalNumber(work, current);
      return EMPTY;
    },
  },
];
