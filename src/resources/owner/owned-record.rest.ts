import { z } from 'zod';

import type { ReadWork } from '../../database/work.js';
import { DomainError } from '../../platform/errors.js';
import {
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { RouteResponse, Call, Route } from '../../rest/route.js';
import { auditFields } from '../../rest/timestamp.js';
import type { OwnedRecords } from './owned-record.service.js';
import type { OwnedRecord, Owner } from './owner.model.js';
import { getOwner } from './owner.service.js';

export interface OwnedResource<R extends OwnedRecord> {
  readonly name: 'parameter' | 'metacontent';
  readonly records: OwnedRecords<R>;
  readonly create: z.ZodObject;
  readonly update: z.ZodObject;
  readonly shape: z.ZodType;
  readonly fieldsOf: (record: R) => object;
}

/** The contract's table after the fields of a record's own. */
export function ownerAndAuditFields(record: OwnedRecord) {
  return {
    group_id: record.groupId,
    logical_number_id: record.logicalNumberId,
    ...auditFields(record),
  };
}

export const ownerShape = {
  group_id: z.int().nullable().describe('Group that owns the record.'),
  logical_number_id: z.int().nullable().describe('Logical number that owns the record.'),
};

/** The five routes of a resource whose records belong to a logical number or a group (contract 2 and 16). */
export function ownedRoutes<R extends OwnedRecord>(resource: OwnedResource<R>): readonly Route[] {
  return [...collectionRoutes(resource), ...recordRoutes(resource)];
}

function recordRoutes<R extends OwnedRecord>(resource: OwnedResource<R>): readonly Route[] {
  const { name, records } = resource;
  const at = { path: `/${name}s/{${name}_id}`, owned: true } as const;
  const shape = recordShapes(resource);
  return [
    {
      ...at,
      method: 'GET',
      scope: 'read',
      summary: `Read a ${name}`,
      response: shape,
      read: async (work, call) => answer(resource, await recordOf(resource, work, call)),
    },
    {
      ...at,
      method: 'PUT',
      scope: 'write',
      summary: `Change a ${name}`,
      response: shape,
      body: resource.update,
      write: async (work, call) =>
        answer(resource, await records.update(work, await guardedRecordOf(resource, work, call), call.input)),
    },
    {
      ...at,
      method: 'DELETE',
      scope: 'write',
      summary: `Delete a ${name}`,
      response: EmptyShape,
      write: async (work, call) => {
        await records.delete(work, await guardedRecordOf(resource, work, call));
        return EMPTY;
      },
    },
  ];
}

function collectionRoutes<R extends OwnedRecord>(resource: OwnedResource<R>): readonly Route[] {
  const { name, records, fieldsOf, shape } = resource;
  const path = `/${name}s`;
  return [
    {
      method: 'GET',
      path,
      scope: 'read',
      summary: `List the ${name}s of an owner`,
      owned: true,
      paged: true,
      response: z.union([
        listShape(path.slice(1), `logical_number_${name}`, shape),
        listShape(path.slice(1), `group_${name}`, shape),
      ]),
      read: async (work, call) => {
        const owner = await getOwner(work, selectorOf(call));
        const page = await records.list(work, owner, call.page);
        return listResponse(path.slice(1), wrapperOf(name, owner), page, fieldsOf);
      },
    },
    {
      method: 'POST',
      path,
      scope: 'write',
      summary: `Create a ${name}`,
      owned: true,
      body: resource.create,
      status: 201,
      response: recordShapes(resource),
      write: async (work, call) => {
        const owner = await getOwner(work, selectorOf(call));
        return answer(resource, await records.create(work, owner, call.input), 201);
      },
    },
  ];
}

async function recordOf<R extends OwnedRecord>(
  { name, records }: OwnedResource<R>,
  work: ReadWork,
  call: Call,
): Promise<R> {
  return await records.get(work, await getOwner(work, selectorOf(call)), call.id(`${name}_id`, name));
}

async function guardedRecordOf<R extends OwnedRecord>(
  resource: OwnedResource<R>,
  work: ReadWork,
  call: Call,
): Promise<R> {
  const record = await recordOf(resource, work, call);
  call.ifMatch(wrapperOf(resource.name, record), record);
  return record;
}

function wrapperOf(name: string, owner: Pick<Owner, 'groupId'>): string {
  return owner.groupId === null ? `logical_number_${name}` : `group_${name}`;
}

function answer<R extends OwnedRecord>(
  { name, fieldsOf }: OwnedResource<R>,
  record: R,
  status?: 201,
): RouteResponse {
  return recordResponse(wrapperOf(name, record), fieldsOf(record), record, status);
}

function recordShapes<R extends OwnedRecord>({ name, shape }: OwnedResource<R>): z.ZodType {
  return z.union([recordShape(`logical_number_${name}`, shape), recordShape(`group_${name}`, shape)]);
}

const SELECTORS = ['number', 'name'] as const;

/**
 * `number` and `name` out of the body or, where the body has neither, out of the query (contract 2). A query
 * that says something else than the body is refused: nobody can tell which of the two was meant.
 */
function selectorOf(call: Call): Readonly<Record<string, unknown>> {
  const inBody = given((name) => call.body[name]);
  const inQuery = given((name) => call.query.get(name));
  if (Object.keys(inBody).length === 0) return inQuery;
  for (const [name, value] of Object.entries(inQuery)) {
    if (inBody[name] !== value) {
      throw new DomainError('malformed', 'The body and the query select different owners.');
    }
  }
  return inBody;
}

function given(read: (name: string) => unknown): Readonly<Record<string, unknown>> {
  const entries = SELECTORS.map((name) => [name, read(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}
