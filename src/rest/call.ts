import type { Request } from 'express';

import { isFormType, type Body } from '../http/body/body.js';
import type { Upload } from '../http/body/multipart.js';
import { headerOf } from '../http/headers.js';
import { readPage } from '../http/query.js';
import { demandUnchanged } from '../platform/changes/changes.js';
import { isNameLike, normalized } from '../platform/encoding/text.js';
import { notFound } from '../platform/errors.js';
import { idFromText } from '../platform/validate.js';
import { etagOf } from './envelope.js';
import { pickInput } from './input.js';
import type { PathValues } from './route-table.js';
import type { Call, Route } from './route.js';

/** A request whose token, scope and body are checked. */
export interface ReceivedRequest {
  readonly request: Request;
  readonly route: Route;
  /** Placeholder names in the path, for example `['device_id']`. */
  readonly placeholders: readonly string[];
  readonly values: PathValues;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Body;
  readonly upload: Upload | null;
  readonly ip: string;
  readonly requestId: string;
}

/** The argument of a route's handler. */
export function createCall(received: ReceivedRequest): Call {
  const { request, route, query, body, upload, ip, requestId } = received;
  return {
    id: (placeholder, what) => {
      const id = idFromText(pathSegment(received, placeholder));
      if (id === undefined) throw notFound(what);
      return id;
    },
    name: (placeholder, what) => {
      const text = pathSegment(received, placeholder);
      if (!isNameLike(text)) throw notFound(what);
      return normalized(text);
    },
    query,
    input: route.body === undefined ? {} : pickInput(route.body, body),
    ownerInput: route.ownerSelector === undefined ? {} : pickInput(route.ownerSelector, body),
    labelledAsForm: isFormType(headerOf(request, 'content-type')),
    page: route.paged === true ? readPage(query) : { page: 1, perPage: 1 },
    upload,
    ip,
    requestId,
    ifMatch: (name, record) => {
      demandUnchanged(
        etagOf(name, record),
        tagsIn(headerOf(request, 'if-match')),
        'If-Match is not the current ETag: the record was changed. Read it again.',
      );
    },
  };
}

/** ETags in If-Match; null if the header is absent or `*`, which match any version. */
function tagsIn(header = '*'): readonly string[] | null {
  return header.trim() === '*' ? null : header.split(',').map((tag) => tag.trim());
}

function pathSegment({ route, placeholders, values }: ReceivedRequest, placeholder: string): string {
  const value = values[`p${placeholders.indexOf(placeholder)}`];
  if (value === undefined) throw new Error(`The path ${route.path} has no placeholder ${placeholder}`);
  return value;
}
