import { expectDocumented } from '../../support/openapi-check.js';
import { MARKERS } from './companies.js';
import { bytesOf, type Attempt } from './requests/attempt.js';
import type { Answer, Received } from './wire.js';

/** Problem of a response. `kind` is a fixed sentence; `detail` is the part of the response that shows it. */
export interface Problem {
  readonly kind: string;
  readonly detail: string;
}

/** Codes of the 503 that the documents name. */
const DOCUMENTED_503 = ['busy', 'storage_full', 'storage_read_only', 'storage_unavailable', 'UNAVAILABLE'];
const HTML_PATHS = /^\/(docs|graphql$)/;
/** Parts of an answer that show how the server works. A request may contain them: then they are only repeated. */
const REVEALING: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a stack trace', /\bat (?:\S+ )?\(?(?:file:|node:|\/)[^\s"]+:\d+/],
  ['a path of a file', /(?:\/(?:tmp|home|work|root|usr|dev\/shm)\/|node_modules|dist\/)[^\s"]*/],
  ['a statement of SQL', /\b(?:select .{1,80} from|insert into|update .{1,40} set|delete from) [a-z_"]+/i],
  ['an error of SQLite', /SQLITE_\w+|no such column|constraint failed|near "\w+": syntax/],
  ['an error of the program', /Cannot read propert|is not a function|undefined is not|TypeError|RangeError/],
];

export interface Secrets {
  /** Tokens, passwords and secrets that no answer or log line may show, except to their owner. */
  readonly tokens: () => readonly string[];
  /** Card numbers that requests have sent as part of transactions. */
  readonly cards: ReadonlySet<string>;
}

/** All problems of what the server sent for a request. */
export function problemsOf(attempt: Attempt, received: Received, secrets: Secrets): Problem[] {
  const sent = bytesOf(attempt).toString('utf8');
  const problems: Problem[] = [];
  if (
    received.gaveUp &&
    attempt.delivery === 'whole' &&
    attempt.isMisframed !== true &&
    attempt.surface !== 'streams'
  ) {
    problems.push({ kind: 'no answer', detail: `${Math.round(received.milliseconds)} ms` });
  }
  for (const answer of received.answers) {
    const text = answer.body.toString('utf8');
    problems.push(...statusProblems(attempt, answer, text));
    problems.push(...leaks(attempt, text, sent, secrets));
    if (attempt.isMisframed !== true && attempt.delivery === 'whole') {
      problems.push(...formProblems(attempt, answer, text));
    }
  }
  return problems;
}

const excerpt = (text: string): string => text.slice(0, 400);

function statusProblems({ path }: Attempt, { status, headers }: Answer, text: string): Problem[] {
  const problems: Problem[] = [];
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
  if (status === 0) problems.push({ kind: 'not HTTP', detail: excerpt(text) });
  if (status >= 500 && !(status === 503 && DOCUMENTED_503.includes(code))) {
    problems.push({ kind: `status ${status}`, detail: excerpt(text) });
  }
  if (text.includes('INTERNAL_SERVER_ERROR'))
    problems.push({ kind: 'an internal error', detail: excerpt(text) });
  const isHtml =
    (headers.get('content-type') ?? '').includes('text/html') || /^\s*<(!doctype|html)/i.test(text);
  if (isHtml && !HTML_PATHS.test(path)) problems.push({ kind: 'HTML', detail: excerpt(text) });
  return problems;
}

/** Errors, of sockets and streams too, quote what was sent, and pongs have the payload of their pings. */
const ECHO = /^(?:data: )?\{"errors"|"payload":\{"errors"|"type":"(?:error|pong)"/m;

/** Texts of the other company, secrets and inner workings, unless the request itself contains them. */
export function leaks(
  { sender }: Pick<Attempt, 'sender'>,
  text: string,
  sent: string,
  { tokens, cards }: Secrets,
): Problem[] {
  const foreign = MARKERS.filter((_, company) => company !== sender.company);
  const problems: Problem[] = [];
  const decodedSent = safelyDecoded(sent);
  for (const marker of foreign) {
    const found = [...new Set(text.match(new RegExp(`${marker}\\d+`, 'g')) ?? [])];
    const unsent = found.filter((each) => !sent.includes(each) && !decodedSent.includes(each));
    if (unsent.length > 0)
      problems.push({ kind: 'data of another company', detail: unsent.slice(0, 3).join() });
    const encoded = Buffer.from(marker).toString('base64').slice(0, 8);
    if (text.includes(encoded)) problems.push({ kind: 'content of another company', detail: encoded });
  }
  for (const token of tokens()) {
    if (text.includes(token) && token !== sender.token)
      problems.push({ kind: 'a token', detail: token.slice(-4) });
  }
  const digits = joinedDigits(text);
  const sentDigits = joinedDigits(sent);
  for (const card of cards) {
    if (digits.includes(card) && !(sentDigits.includes(card) && ECHO.test(text))) {
      problems.push({ kind: 'a card number', detail: `${card.slice(0, 6)}…` });
    }
  }
  for (const [kind, pattern] of REVEALING) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined && !sent.includes(found.slice(0, 30)) && !isOwnText(text, found)) {
      problems.push({ kind, detail: found.slice(0, 200) });
    }
  }
  return problems;
}

function joinedDigits(text: string): string {
  return text.replace(/(\d)[ .\-_]+(?=\d)/g, '$1');
}

/** Odd texts of earlier requests are stored, and so they are in lists: those of `values.ts`, or their beginnings. */
function isOwnText(text: string, found: string): boolean {
  return (
    ['SELECT name FROM', 'DROP TABLE', 'etc/passwd'].some((own) => found.includes(own)) ||
    text.startsWith('# HELP')
  );
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(%[0-9a-f]{2})+/gi, (part) =>
      Buffer.from(part.replaceAll('%', ''), 'hex').toString(),
    );
  }
}

function formProblems(attempt: Attempt, answer: Answer, text: string): Problem[] {
  if (attempt.method === 'HEAD' || answer.status === 304 || text === '') return [];
  const contentType = answer.headers.get('content-type') ?? '';
  const body = parsedBody(contentType, text);
  if (body === NOT_JSON) return [{ kind: 'malformed JSON', detail: excerpt(text) }];
  if (isUnreadable(answer, body)) return [];
  if (attempt.surface === 'REST') return documentProblems(attempt, answer, { contentType, text, body });
  if (attempt.surface === 'streams' && contentType.startsWith('text/event-stream')) return [];
  if (!['/graphql', '/graphql/stream'].includes(attempt.path)) return [];
  return responseProblems(body);
}

/** A response of GraphQL has data, or errors with a message and a code; `data` itself is compared in `planned.test.ts`. */
export function responseProblems(body: unknown): Problem[] {
  const { data, errors, ...more } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const list = (errors ?? []) as readonly { message?: unknown; extensions?: { code?: unknown } }[];
  const isSound =
    Object.keys(more).every((name) => name === 'extensions') &&
    (errors === undefined ? data !== undefined && data !== null : Array.isArray(errors) && list.length > 0) &&
    list.every(({ message, extensions }) =>
      [message, extensions?.code].every((part) => typeof part === 'string'),
    );
  return isSound
    ? []
    : [{ kind: 'not the shape of a GraphQL response', detail: excerpt(JSON.stringify(body)) }];
}

/** The answer to bytes that are not an HTTP request: the same whatever their path. */
function isUnreadable({ status }: Answer, body: unknown): boolean {
  const { code } = (body ?? {}) as { code?: unknown };
  return (
    [400, 408, 413, 431].includes(status) &&
    ['malformed', 'too_slow', 'too_large', 'headers_too_large'].includes(String(code))
  );
}

const NOT_JSON = Symbol('not JSON');

function parsedBody(contentType: string, text: string): unknown {
  if (!contentType.includes('json')) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}

function documentProblems(
  { method, path }: Attempt,
  { status }: Answer,
  { contentType, text, body }: { contentType: string; text: string; body: unknown },
): Problem[] {
  if (!/^\/v1\/[^%;#]*$/.test(path)) return [];
  try {
    expectDocumented({ method, url: new URL(path, 'http://campaign'), status, contentType, body, text });
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ kind: 'not as documented', detail: message.slice(0, 600) }];
  }
}
