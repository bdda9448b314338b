import { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Scope } from '../platform/caller.js';
import type { Page } from '../platform/page.js';
import { EMPTY, EmptyShape, listResponse, listShape, recordResponse, recordShape } from './envelope.js';
import type { RecordFields } from './record-fields.js';
import type { Call, Revised, Route, RouteResponse } from './route.js';

/** How a path names one record. */
export interface RecordKey<R> {
  /** `device_id` in `/devices/{device_id}`. */
  readonly placeholder: string;
  readonly find: (work: ReadWork, call: Call) => Promise<R>;
}

export function byId<R>(
  placeholder: string,
  what: string,
  get: (work: ReadWork, id: number) => Promise<R>,
): RecordKey<R> {
  return { placeholder, find: (work, call) => get(work, call.id(placeholder, what)) };
}

/** For a name, number or serial. */
export function byName<R>(
  placeholder: string,
  what: string,
  get: (work: ReadWork, name: string) => Promise<R>,
): RecordKey<R> {
  return { placeholder, find: (work, call) => get(work, call.name(placeholder, what)) };
}

interface Documented {
  readonly summary: string;
  readonly description?: string;
  /** Instead of `read` for GET and `write` for the others. */
  readonly scope?: Scope;
}

/** Takes a body; `fields` and `key` instead of those of the resource. */
interface Writing<R> extends Documented {
  readonly body: z.ZodObject;
  readonly multipart?: true;
  readonly fields?: RecordFields<R>;
}

/**
 * A resource with up to five routes. `Single` is the record as the key finds it, where it has more properties than
 * in lists.
 */
export interface Resource<R extends Revised, Single extends R = R> {
  /** Path of the list: `/devices`. One record is at `/devices/{device_id}`. */
  readonly path: string;
  /** Key of one record in responses, and prefix of its ETag: `device`. A function if it depends on the record. */
  readonly name: string | RecordName<R>;
  /** Key of a list in responses; the last segment of the path if absent. */
  readonly listName?: string;
  readonly ownerSelector?: z.ZodObject;
  readonly fields: RecordFields<R>;
  readonly key: RecordKey<Single>;
  readonly list?: Documented & {
    readonly fields?: RecordFields<R>;
    readonly handle: (work: ReadWork, call: Call) => Promise<Page<R>>;
  };
  readonly read?: Documented & {
    readonly fields?: RecordFields<Single>;
    readonly key?: RecordKey<Single>;
  };
  readonly create?: Writing<R> & {
    readonly handle: (work: WriteWork, call: Call) => Promise<R>;
  };
  readonly update?: Writing<R> & {
    readonly handle: (work: WriteWork, record: Single, call: Call) => Promise<R>;
  };
  readonly delete?: Documented & {
    readonly handle: (work: WriteWork, record: Single) => Promise<void>;
  };
}

/** The key of a record in responses, if there are several: `group_parameter` or `logical_number_parameter`. */
export interface RecordName<R> {
  readonly names: readonly string[];
  readonly of: (record: R) => string;
}

/** The routes of a resource, in the order list, read, create, update, delete. PUT and DELETE honour If-Match. */
export function resourceRoutes<R extends Revised, Single extends R = R>(
  resource: Resource<R, Single>,
): readonly Route[] {
  return [listRoute, readRoute, createRoute, updateRoute, deleteRoute].flatMap((route) => route(resource));
}

function listRoute<R extends Revised, S extends R>(resource: Resource<R, S>): Route[] {
  if (resource.list === undefined) return [];
  const { handle, fields = resource.fields, ...documented } = resource.list;
  const { names, of } = recordName(resource);
  const listName = resource.listName ?? resource.path.split('/').at(-1) ?? '';
  return [
    {
      ...common(resource),
      method: 'GET',
      path: resource.path,
      scope: 'read',
      ...documented,
      paged: true,
      response: oneOf(names.map((name) => listShape(listName, name, fields.shape))),
      read: async (work, call) => {
        const page = await handle(work, call);
        return listResponse(listName, page, (record) => ({
          [of(record)]: fields.render(record, work.caller),
        }));
      },
    },
  ];
}

function readRoute<R extends Revised, S extends R>(resource: Resource<R, S>): Route[] {
  if (resource.read === undefined) return [];
  const { key = resource.key, fields = resource.fields, ...documented } = resource.read;
  const respond = responder(resource, fields);
  return [
    {
      ...common(resource),
      method: 'GET',
      path: `${resource.path}/{${key.placeholder}}`,
      scope: 'read',
      ...documented,
      response: recordShapes(resource, fields),
      read: async (work, call) => respond(work, await key.find(work, call)),
    },
  ];
}

function createRoute<R extends Revised, S extends R>(resource: Resource<R, S>): Route[] {
  if (resource.create === undefined) return [];
  const { handle, fields = resource.fields, ...documented } = resource.create;
  const respond = responder(resource, fields);
  return [
    {
      ...common(resource),
      method: 'POST',
      path: resource.path,
      scope: 'write',
      ...documented,
      status: 201,
      response: recordShapes(resource, fields),
      write: async (work, call) => respond(work, await handle(work, call), 201),
    },
  ];
}

function updateRoute<R extends Revised, S extends R>(resource: Resource<R, S>): Route[] {
  if (resource.update === undefined) return [];
  const { handle, fields = resource.fields, ...documented } = resource.update;
  const respond = responder(resource, fields);
  return [
    {
      ...common(resource),
      method: 'PUT',
      path: `${resource.path}/{${resource.key.placeholder}}`,
      scope: 'write',
      ...documented,
      response: recordShapes(resource, fields),
      write: async (work, call) =>
        respond(work, await handle(work, await unchangedRecord(resource, work, call), call)),
    },
  ];
}

function deleteRoute<R extends Revised, S extends R>(resource: Resource<R, S>): Route[] {
  if (resource.delete === undefined) return [];
  const { handle, ...documented } = resource.delete;
  return [
    {
      ...common(resource),
      method: 'DELETE',
      path: `${resource.path}/{${resource.key.placeholder}}`,
      scope: 'write',
      ...documented,
      response: EmptyShape,
      write: async (work, call) => {
        await handle(work, await unchangedRecord(resource, work, call));
        return EMPTY;
      },
    },
  ];
}

function common({ ownerSelector }: Pick<Route, 'ownerSelector'>): Pick<Route, 'ownerSelector'> {
  return ownerSelector === undefined ? {} : { ownerSelector };
}

interface Named<R> {
  readonly name: string | RecordName<R>;
}

function recordName<R>({ name }: Named<R>): RecordName<R> {
  return typeof name === 'string' ? { names: [name], of: () => name } : name;
}

/** The record of the path. Errors: `not_found`; `stale` if If-Match names another revision. */
async function unchangedRecord<R extends Revised, S extends R>(
  resource: Resource<R, S>,
  work: WriteWork,
  call: Call,
): Promise<S> {
  const record = await resource.key.find(work, call);
  call.ifMatch(recordName(resource).of(record), record);
  return record;
}

/** Renders one record; `T` is `R`, or `Single` for the route that reads. */
function responder<R extends Revised, T extends R>({ name }: Named<R>, fields: RecordFields<T>) {
  const { of } = recordName({ name });
  return (work: ReadWork, record: T, status?: 201): RouteResponse =>
    recordResponse(of(record), fields.render(record, work.caller), record, status);
}

function recordShapes<R, T>(resource: Named<R>, fields: RecordFields<T>): z.ZodType {
  return oneOf(recordName(resource).names.map((name) => recordShape(name, fields.shape)));
}

function oneOf(shapes: readonly z.ZodType[]): z.ZodType {
  const [only, ...others] = shapes;
  return only !== undefined && others.length === 0 ? only : z.union(shapes);
}
