import { z } from 'zod';

import { MANY_ROWS } from '../database/company/company-rows.js';
import type { ReadWork, WriteWork } from '../database/work.js';
import { offsetOf, type Scope, type Page, type PageRequest } from '../platform/requests.js';
import { etagOf, listResponse, listShape, type RecordFields } from './fields.js';
import type { Call, FilePart, Revised, Route, RouteResponse } from './route.js';

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

interface Writing<R> extends Documented {
  readonly body: z.ZodObject;
  readonly file?: FilePart;
  readonly fields?: RecordFields<R>;
}

/**
 * Routes of a resource, at most five, with own `fields` or `key` if they differ. `Single`: what the key finds, if it has
 * more properties.
 */
export interface Resource<R extends Revised, Single extends R = R> {
  /** Path of the list: `/devices`. One record is at `/devices/{device_id}`. */
  readonly path: string;
  /** Key of one record in responses, and prefix of its ETag: `device`. */
  readonly name: string | RecordName<R>;
  /** Key of a list in responses; the last segment of the path if absent. */
  readonly listName?: string;
  readonly ownerSelector?: z.ZodObject;
  readonly fields: RecordFields<R>;
  readonly key: RecordKey<Single>;
  readonly list?: Documented & {
    readonly fields?: RecordFields<R>;
    /** True if records can have more than a few KiB each. */
    readonly isLarge?: boolean;
    /** Null for a search that the unit may not make. */
    readonly handle: (work: ReadWork, page: PageRequest, call: Call) => Promise<Page<R> | null>;
  };
  readonly read?: Documented & {
    readonly fields?: RecordFields<Single>;
    readonly key?: RecordKey<Single>;
  };
  readonly create?: Writing<R> & {
    readonly handle: (work: WriteWork, input: Call['input'], call: Call) => Promise<R>;
  };
  readonly update?: Writing<R> & {
    readonly handle: (work: WriteWork, record: Single, input: Call['input'], call: Call) => Promise<R>;
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
  const { ownerSelector, list, read, create, update, delete: remove } = resource;
  const make = new ResourceRoutes(resource);
  const routes = [
    list && make.list(list),
    read && make.read(read),
    create && make.create(create),
    update && make.update(update),
    remove && make.delete(remove),
  ].filter((route) => route !== undefined);
  return ownerSelector === undefined ? routes : routes.map((route) => ({ ...route, ownerSelector }));
}

type Part<R extends Revised, S extends R, Name extends keyof Resource<R, S>> = NonNullable<
  Resource<R, S>[Name]
>;

/** Each method makes one route. */
class ResourceRoutes<R extends Revised, S extends R> {
  readonly #name: RecordName<R>;

  constructor(private readonly resource: Resource<R, S>) {
    const { name } = resource;
    this.#name = typeof name === 'string' ? { names: [name], of: () => name } : name;
  }

  list({ handle, fields = this.resource.fields, ...documented }: Part<R, S, 'list'>): Route {
    const { path } = this.resource;
    const listName = this.resource.listName ?? path.split('/').at(-1) ?? '';
    const { names, of } = this.#name;
    return {
      method: 'GET',
      path,
      scope: 'read',
      ...documented,
      paged: true,
      response: oneOf(names.map((name) => listShape(listName, name, fields.shape))),
      read: async (work, call) => {
        // The number of a page has no limit: in a search, too, it may be beyond every row.
        const isSearch = work.examines !== true && offsetOf(call.page) > MANY_ROWS;
        const page = isSearch ? null : await handle(work, call.page, call);
        return listResponse(listName, page, (record) => ({
          [of(record)]: fields.render(record, work.caller),
        }));
      },
    };
  }

  read(read: Part<R, S, 'read'>): Route {
    const { key = this.resource.key, fields = this.resource.fields, ...documented } = read;
    return {
      method: 'GET',
      path: this.#pathOf(key),
      scope: 'read',
      ...documented,
      response: this.#shapeOf(fields),
      read: async (work, call) => this.#respond(work, await key.find(work, call), fields),
    };
  }

  create({ handle, fields = this.resource.fields, ...documented }: Part<R, S, 'create'>): Route {
    const { path } = this.resource;
    return {
      method: 'POST',
      path,
      scope: 'write',
      ...documented,
      statuses: CREATED,
      response: this.#shapeOf(fields),
      write: async (work, call) => this.#respond(work, await handle(work, call.input, call), fields),
    };
  }

  update({ handle, fields = this.resource.fields, ...documented }: Part<R, S, 'update'>): Route {
    const path = this.#pathOf(this.resource.key);
    return {
      method: 'PUT',
      path,
      scope: 'write',
      ...documented,
      response: this.#shapeOf(fields),
      write: async (work, call) => {
        const record = await this.#findUnchanged(work, call);
        return this.#respond(work, await handle(work, record, call.input, call), fields);
      },
    };
  }

  delete({ handle, ...documented }: Part<R, S, 'delete'>): Route {
    const path = this.#pathOf(this.resource.key);
    return {
      method: 'DELETE',
      path,
      scope: 'write',
      ...documented,
      response: z.strictObject({}),
      write: async (work, call) => {
        await handle(work, await this.#findUnchanged(work, call));
        return { body: {} };
      },
    };
  }

  #pathOf({ placeholder }: RecordKey<S>): string {
    return `${this.resource.path}/{${placeholder}}`;
  }

  #shapeOf(fields: Pick<RecordFields<S>, 'shape'>): z.ZodType {
    return oneOf(this.#name.names.map((name) => z.strictObject({ [name]: fields.shape })));
  }

  /** `{ name: fields }` with its ETag (contract 32). */
  #respond<T extends R>(work: ReadWork, record: T, fields: RecordFields<T>): RouteResponse {
    const name = this.#name.of(record);
    const body = { [name]: fields.render(record, work.caller) };
    return { body, etag: etagOf(name, record) };
  }

  /** The record of the path. Errors: `not_found`; `stale` if If-Match names another revision. */
  async #findUnchanged(work: WriteWork, call: Call): Promise<S> {
    const record = await this.resource.key.find(work, call);
    call.ifMatch(this.#name.of(record), record);
    return record;
  }
}

/** Success statuses of a route that creates a record. */
export const CREATED = { 201: 'Created.' } as const;

function oneOf(shapes: readonly z.ZodType[]): z.ZodType {
  const [only, ...others] = shapes;
  return only !== undefined && others.length === 0 ? only : z.union(shapes);
}
