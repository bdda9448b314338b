import type { z } from 'zod';

import type { ReadWork, WriteWork } from '../database/work.js';
import type { Scope } from '../platform/caller.js';
import type { PageRequest } from '../platform/page.js';
import type { Upload } from '../http/upload.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A record that can be guarded by If-Match. */
export interface Revised {
  readonly id: number;
  readonly revision: number;
}

/** One request, read and checked as far as the transport can; values are the domain's to validate. */
export interface Call {
  /** The canonical id in the path; anything else is `not_found`. */
  id(parameter: string, what: string): number;
  /** A name, number or serial in the path, decoded once; what could be no name is `not_found`. */
  name(parameter: string, what: string): string;
  readonly query: ReadonlyMap<string, string>;
  /** The body's own fields, as sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body's fields in the model's names: what `route.body` knows, and nothing else. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The Content-Type says form, as some clients label their JSON too (contract 25). */
  readonly labelledAsForm: boolean;
  readonly page: PageRequest;
  /** The parts of a multipart body, on routes that take one. */
  readonly upload: Upload | null;
  readonly ip: string;
  readonly requestId: string;
  /** Refuses with `stale` where the client's If-Match names another state of the record. */
  ifMatch(kind: string, record: Revised): void;
}

export interface RouteResponse {
  readonly status: 200 | 201;
  readonly body: object;
  readonly etag?: string;
  /** The content whose base64 goes where the body holds `CONTENT_PLACEHOLDER`; null for no bytes. */
  readonly contentId?: number | null;
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

interface RouteBase {
  readonly method: Method;
  /** Below /v1, with `{placeholders}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Fields of a JSON or form body, in the model's names. */
  readonly body?: z.ZodObject;
  /** Takes multipart/form-data with a file too. */
  readonly multipart?: boolean;
  /** Takes the owner selector `number` or `name`, in the body or the query. */
  readonly owned?: boolean;
  /** Takes `page` and `per_page`. */
  readonly paged?: boolean;
  readonly query?: readonly QueryParameter[];
  readonly status?: 200 | 201;
  /** Shape of the success answer. */
  readonly response: z.ZodType;
}

export interface ReadRoute extends RouteBase {
  readonly scope: Scope;
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
