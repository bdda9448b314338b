import type { Request, Response } from 'express';
import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Upload } from '../http/body/multipart.js';
import type { Scope, PageRequest } from '../platform/requests.js';
import type { Schema } from './openapi/schema.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Path, callers, input and output of a route, in one form for all surfaces. */
export interface RouteBase {
  readonly method: Method;
  /** Below the prefix of its surface, with placeholders: `/devices/{device_id}`. */
  readonly path: string;
  /** Scope of the token, which is one of a terminal for `terminals`; null if no token is needed. */
  readonly scope: Scope | null;
  /** In lowerCamelCase, unique in the document; made of the method and the path if absent. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  /** Parameters in query and headers, besides those of other properties; and one in the path to describe it. */
  readonly parameters?: readonly Parameter[];
  /** Fields of the body, or of each row of it, in the model's names. */
  readonly body?: z.ZodObject;
  /** Content-Types of the body. Default: JSON and forms. */
  readonly bodyTypes?: readonly string[];
  /** The body is bytes of one of these types instead of fields. */
  readonly bytes?: { readonly maxBytes: number; readonly types: readonly string[] };
  /** Example of the body, or of one row of it. Default: one made of the model. */
  readonly example?: object;
  /** The file in a body of multipart/form-data; without it, multipart bodies are refused. */
  readonly file?: FilePart;
  /** Fields that select the owner of the record: in the body or, if it has none of them, in the query (contract 2). */
  readonly ownerSelector?: z.ZodObject;
  /** Takes `page` and `per_page`. */
  readonly paged?: boolean;
  /** Shape of the success response: of one line of NDJSON, or of the data of one event. */
  readonly response: z.ZodType;
  /** Content-Type of the success response, without parameters. Default: JSON. */
  readonly responseType?: string;
  /** Content-Type of the same as text, for clients that ask for it. */
  readonly textType?: string;
  /** Description of each success status, for example `{ 201: 'Created.' }`. 304 has no content. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Description of each response header of its own, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error statuses that do not follow from the other properties, for example 416. */
  readonly errors?: readonly number[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A parameter; one in the path is required. `limits` are keywords of its schema, which is a text without another type. */
export const parameter = (
  place: Parameter['in'],
  name: string,
  description: string,
  limits: Schema = {},
): Parameter => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  description,
  schema: { type: 'string', ...limits },
});

/** A file that a body may hold (contract 21 and 23). */
export interface FilePart {
  /** Name of the part in documents; a part of any name is read. */
  readonly name: string;
  /** True if a body without the file is refused. */
  readonly required?: true;
  /** Whether JSON and forms may have the file too, up to 8 MiB, as base64 text in the field of the part's name. */
  readonly asText?: true;
}

/** Route of /v1 that reads in one unit of work. Also HEAD. */
export interface ReadRoute extends RouteBase {
  readonly scope: Scope;
  /** True if it is a list of records that can have more than a few KiB each. */
  readonly isLarge?: boolean;
  /** Null for a search that the unit may not make (`mostRows`), before it reads rows; it then gets another unit. */
  read(work: ReadWork, call: Call): Promise<RouteResponse | null>;
}

/** Route of /v1 that changes something in one unit of work. */
export interface WriteRoute extends RouteBase {
  readonly scope: Scope;
  write(work: WriteWork, call: Call): Promise<RouteResponse>;
}

/** Route of /v1 that needs no token and opens its own units of work. */
export interface OpenRoute extends RouteBase {
  readonly scope: null;
  perform(call: Call): Promise<RouteResponse>;
}

export type Route = ReadRoute | WriteRoute | OpenRoute;

/** One request to a route of /v1. Its syntax is checked; services validate the values. */
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
  /** True if the Content-Type is a form's; some clients label JSON so (contract 25). */
  readonly labelledAsForm: boolean;
  readonly page: PageRequest;
  /** The multipart body, on routes with a `file`; null for JSON and forms. */
  readonly upload: Upload | null;
  readonly ip: string;
  readonly requestId: string;
  /** Errors: `stale` if the request's If-Match names another revision of the record. */
  ifMatch(name: string, record: Revised): void;
}

/** A record with an ETag. */
export interface Revised {
  readonly id: number;
  readonly revision: number;
}

export interface RouteResponse {
  /** May hold one `base64Of(contentId, size)`. */
  readonly body: object;
  readonly etag?: string;
}

/** `device_id` of `/devices/{device_id}`. */
export function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
}

/** `/devices/{}`: the same for all methods of one path, which may name a placeholder differently. */
export const pathPattern = (path: string): string => path.replace(/\{[^}]+\}/g, '{}');

/** True if the response is one record, which has an ETag, and not a page of a list. */
export const readsRecord = (route: RouteBase): boolean => 'read' in route && route.paged !== true;

/** A request to a route. Only its path and the form of its query are checked. */
export interface Received<R extends RouteBase = RouteBase> {
  readonly request: Request;
  readonly response: Response;
  readonly route: R;
  /** Parameters that the route does not use are ignored. */
  readonly query: ReadonlyMap<string, string>;
  /** Values in the path by the name of their placeholder, in order, decoded. They were not checked. */
  readonly values: ReadonlyMap<string, string>;
}
