/** Introduction of the document: paragraphs with `code` and **strong** words. */
export const INTRODUCTION = [
  'JSON over HTTP for payment terminals and the software they run: devices, logical numbers, groups, applications with their versions, files, parameters, metacontents, users, push notifications and transactions.',
  '**Token.** Every call except `POST /v1/users/token` needs an API token: `?access_token=…`, or `Authorization: Bearer …`, which keeps it out of URLs. A token gives access to the records of one company; any other record is 404.',
  '**Bodies.** Any method may carry one, GET and DELETE too. A JSON object is read as JSON whatever its Content-Type says; otherwise a form is read as flat fields. Booleans may be sent as text, enumerations in any letter case. Unknown and read-only fields are ignored. JSON and forms are limited to 1 MiB and must be uncompressed UTF-8.',
  '**Paths** are exact and case-sensitive; names in them are percent-encoded; a trailing slash is accepted.',
  '**Lists** are paged: `page` from 1, `per_page` up to 100 (default 30). They are ascending by id; transactions are newest first.',
  '**Errors** are objects with `message`, a stable `code`, a `request_id` and, for fields, `errors`. No success response has a top-level `message`, except that of a new notification.',
  '**Rate limit.** Requests are counted for each client address in windows of an hour. Every response has the three headers `X-Rate-Limit-…`, unless the limit is off. Beyond the limit the response is 429 with `Retry-After`.',
  '**Repeating safely.** A POST with an `Idempotency-Key` is performed once in 24 hours; a repeated request gets the same response, with `Idempotent-Replayed: true`. Another request with the same key is 422.',
  '**Changing safely.** A single record has an `ETag`. Send it as `If-Match`: if the record was changed since, the response is 412 and nothing is overwritten.',
  '**GraphQL.** The same records are at `/graphql`, with the same tokens: for dashboards, which get all that a page shows in one request, summaries and live events included. `schema.graphql` in the package describes every type and field.',
].join('\n\n');
