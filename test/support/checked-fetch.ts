import { expectDocumented, hasPath } from './openapi-check.js';

const { fetch } = globalThis;

/** Checks what tests receive by `fetch` against the OpenAPI document, besides streams, which end when the test wants. */
globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { status, headers } = response;
  const contentType = headers.get('content-type') ?? '';
  const isWhole = headers.has('content-length') && /^application\/(json|x-ndjson)/.test(contentType);
  if (!isWhole || input instanceof Request || !hasPath(new URL(input).pathname)) return response;
  const text = await response.clone().text();
  const body: unknown = contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : null;
  expectDocumented({ method: init?.method ?? 'GET', url: new URL(input), status, contentType, body, text });
  return response;
};
