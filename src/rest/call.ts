import type { Request } from 'express';

import { DomainError, notFound } from '../platform/errors.js';
import { isNameLike, normalized } from '../platform/text.js';
import { idFromText } from '../platform/validate.js';
import { isFormType, type Body } from '../http/body.js';
import { etagOf } from './envelope.js';
import { pickInput } from './input.js';
import { readPage } from '../http/query.js';
import type { Call, Route } from './route.js';
import type { Upload } from '../http/upload.js';

export interface Received {
  readonly request: Request;
  readonly route: Route;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Pick<Body, 'fields' | 'isForm'>;
  readonly upload: Upload | null;
  readonly ip: string;
  readonly requestId: string;
}

/** What a route is given. */
export function createCall(received: Received): Call {
  const { request, route, query, body, upload, ip, requestId } = received;
  const parameter = (name: string): string => segmentOf(request, route, name);
  return {
    id: (name, what) => {
      const id = idFromText(parameter(name));
      if (id === undefined) throw notFound(what);
      return id;
    },
    name: (name, what) => {
      const text = parameter(name);
      if (!isNameLike(text)) throw notFound(what);
      return normalized(text);
    },
    query,
    body: body.fields,
    input: route.body === undefined ? {} : pickInput(route.body, body),
    labelledAsForm: isFormType(request.headers['content-type']),
    page: route.paged === true ? readPage(query) : { page: 1, perPage: 1 },
    upload,
    ip,
    requestId,
    ifMatch: (kind, record) => {
      const wanted = request.headers['if-match'];
      if (wanted === undefined || wanted.trim() === '*') return;
      const current = etagOf(kind, record);
      if (wanted.split(',').some((tag) => tag.trim() === current)) return;
      throw new DomainError('stale', 'The record was changed meanwhile: read it again.');
    },
  };
}

/** Express knows the placeholders by their place, since two methods may name the same one differently. */
export function expressPath(path: string): string {
  let place = 0;
  return path.replace(/\{[^}]+\}/g, () => `:p${place++}`);
}

function segmentOf(request: Request, route: Route, name: string): string {
  const place = [...route.path.matchAll(/\{([^}]+)\}/g)].findIndex((match) => match[1] === name);
  const value: unknown = request.params[`p${place}`];
  if (typeof value !== 'string') throw new Error(`${route.path} has no ${name}`);
  return value;
}
