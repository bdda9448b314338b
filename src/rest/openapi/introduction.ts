/** What holds for every call; paragraphs, with code between backticks. */
export const INTRODUCTION = [
  'JSON over HTTP for payment terminals and the software they run: devices, logical numbers, groups, applications with their versions, files, parameters, metacontents, users, push notifications and transactions.',
  '**Token.** Every call but `POST /v1/users/token` takes an API token: `?access_token=…`, or `Authorization: Bearer …`, which keeps it out of URLs. A token sees the records of its company; any other record is 404.',
  '**Bodies.** Any method may carry one, GET and DELETE too. A JSON object is read as JSON whatever its Content-Type says; otherwise a form is read as flat fields. Booleans may be sent as text, enumerations in any letter case. Unknown and read-only fields are ignored. JSON and forms have at most 1 MiB and are UTF-8, not compressed.',
  '**Paths** are exact and case-sensitive; names in them are percent-encoded; a trailing slash is accepted.',
  '**Lists** come in pages: `page` from 1, `per_page` up to 100, 30 where absent. Ascending by id; transactions newest first.',
  '**Errors** are objects with `message`, a stable `code`, a `request_id` and, for fields, `errors`. No success has a top-level `message`, save the one of a new notification.',
  '**Rate limit.** Requests are counted for each client address in windows of an hour. The three headers `X-Rate-Limit-…` stand on every answer, unless the limit is off; beyond the limit the answer is 429 with `Retry-After`.',
  '**Repeating safely.** A POST with an `Idempotency-Key` is performed once in 24 hours; the same request again gets the same answer, with `Idempotent-Replayed: true`. Another request with the same key is 422.',
  '**Changing safely.** A single record comes with an `ETag`; send it as `If-Match`, and a change that would overwrite somebody else’s is 412.',
].join('\n\n');
