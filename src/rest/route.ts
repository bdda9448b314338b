import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Upload } from '../http/body/multipart.js';
import type { Scope } from '../platform/caller.js';
import type { PageRequest } from '../platform/requests/page.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A record with an ETag. */
export interface Revised {
  readonly id: number;
  readonly revision: number;
}

/** One request to a route. Its syntax is checked; services validate the values. */
export interface Call {
  /** The id in the path, for example of `{device_id}`. Errors: `not_found` for `what` unless canonical ("17"). */
  id(placeholder: string, what: string): number;
  /** The decoded name, number or serial in the path. Errors: `not_found` for `what` if it cannot be a name. */
  name(placeholder: string, what: string): string;
  readonly query: ReadonlyMap<string, string>;
  /** The fields of the body that `route.body` has, by the model's names (`serialNumber`). */
  readonly input: Readonly<Record<string, unknown>>;
  /** The fields of the body that `route.ownerSelector` has. */
  readonly ownerInput: Readonly<Record<string, unknown>>;
  /** Whether the Content-Type is a form's; some clients label JSON so (contract 25). */
  readonly labelledAsForm: boolean;
  readonly page: PageRequest;
  /** The multipart body, on routes with a `file`; null for JSON and forms. */
  readonly upload: Upload | null;
  readonly ip: string;
  readonly requestId: string;
  /** Errors: `stale` if the request's If-Match names another revision of the record. */
  ifMatch(name: string, record: Revised): void;
}

export interface RouteResponse {
  readonly status: 200 | 201;
  /** May hold one `base64Of(contentId, size)`. */
  readonly body: object;
  readonly etag?: string;
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

/** A file that a body may hold (contract 21 and 23). */
export interface FilePart {
  /** Name of the part in documents; a part of any name is read. */
  readonly name: string;
  /** Whether a body without the file is refused. */
  readonly required?: true;
  /** Whether JSON and forms may have the file too, as base64 text in the field of the part's name. */
  readonly asText?: true;
}

interface RouteBase {
  readonly method: Method;
  /** Below /v1, with placeholders: `/devices/{device_id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Fields of a JSON or form body, in the model's names. */
  readonly body?: z.ZodObject;
  /** The file in a body of multipart/form-data; without it, multipart bodies are refused. */
  readonly file?: FilePart;
  /** Fields that select the owner of the record: in the body or, if it has none of them, in the query (contract 2). */
  readonly ownerSelector?: z.ZodObject;
  /** Takes `page` and `per_page`. */
  readonly paged?: boolean;
  readonly query?: readonly QueryParameter[];
  readonly status?: 200 | 201;
  /** Shape of the success response. */
  readonly response: z.ZodType;
}

export interface ReadRoute extends RouteBase {
  readonly scope: Scope;
  /** Whether it is a list of records that can have more than a few KiB each. */
  readonly isLarge?: boolean;
  read(work: ReadWork, call: Call): Promise<RouteResponse>;
}

export interface WriteRoute extends RouteBase {
  readonly scope: Scope;
  write(work: WriteWork, call: Call): Promise<RouteResponse>;
}

/** Needs no token and opens its own units of work. */
export interface OpenRoute extends RouteBase {
  readonly scope: null;
  perform(call: Call): Promise<RouteResponse>;
}

export type Route = ReadRoute | WriteRoute | OpenRoute;

/** Whether the response is one record, which has an ETag, and not a page of a list. */
export function readsRecord(route: Route): boolean {
  return 'read' in route && route.paged !== true;
}

/** `device_id` of `/devices/{device_id}`. */
export function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
}

/** `/devices/{}`: the same for all methods of one path, which may name a placeholder differently. */
export function pathPattern(path: string): string {
  return path.replace(/\{[^}]+\}/g, '{}');
}
