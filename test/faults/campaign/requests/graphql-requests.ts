import type { GraphQLSchema } from 'graphql';
import { createHash } from 'node:crypto';

import type { Random } from '../../../../src/platform/random.js';
import type { Sender } from '../companies.js';
import type { Known } from '../records.js';
import type { Attempt } from './attempt.js';
import { DocumentBuilder, FILE, type GeneratedDocument } from './documents.js';
import { toJson, type OddValues } from './values.js';

type Parts = Pick<Attempt, 'surface' | 'method' | 'path' | 'query' | 'headers' | 'body'>;

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const PREFLIGHT = ['Apollo-Require-Preflight', 'true'] as const;
const BOUNDARY = 'campaign-part';
const KINDS = ['query', 'query', 'mutation', 'mutation', 'subscription'] as const;
const ODD_TARGETS = 'variables.x query __proto__.x variables.__proto__ variables.. 0.variables.x'.split(' ');

/** Makes GraphQL requests over every transport, most of them with valid documents. */
export class GraphqlRequests {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly random: Random,
    private readonly odd: OddValues,
    private readonly known: (company: 0 | 1) => Known,
  ) {}

  /** A document with its variables, as messages of sockets have it. */
  payload(sender: Sender): { readonly query: string; readonly variables: object } {
    const { text, variables } = this.#document(sender);
    return { query: text, variables };
  }

  next(sender: Sender): Attempt {
    const { random } = this;
    const document = this.#document(sender);
    const isMangled = random.chance(0.08);
    const given = isMangled ? { ...document, text: this.#mangled(document.text) } : document;
    const parts = this.#sent(given);
    const headers = sender.token === null ? [] : [['Authorization', `Bearer ${sender.token}`] as const];
    return { ...parts, headers: [...headers, ...parts.headers], sender, delivery: 'whole' };
  }

  #document(sender: Sender): GeneratedDocument {
    const { schema, random, odd } = this;
    const own = this.known(sender.company ?? 0);
    // Ids of the other company may be anywhere: they find nothing.
    const other = this.known(sender.company === 1 ? 0 : 1);
    const known = random.chance(0.85) ? own : { ...own, ids: other.ids };
    return new DocumentBuilder(schema, random, odd, known).document(random.pick(KINDS));
  }

  #mangled(text: string): string {
    const { random } = this;
    const at = random.whole(0, text.length);
    const piece = random.pick('{ } " ... @ $ \u0000 \ud800 # """ ! 1e309 ٣'.split(' '));
    return random.chance(0.5)
      ? text.slice(0, at) + piece + text.slice(at)
      : text.slice(0, at) + text.slice(at + random.whole(1, 12));
  }

  #sent(document: GeneratedDocument): Parts {
    const { random } = this;
    if (document.files.length > 0 && random.chance(0.9)) return this.#multipart(document);
    if (document.kind === 'subscription' || random.chance(0.06)) return this.#stream(document);
    const way = random.whole(0, 99);
    if (way < 5) return this.#odd(document);
    if (way < 17) return this.#get(document);
    if (way < 29) return this.#persisted(document);
    return this.#post(document);
  }

  #post({ text, variables }: GeneratedDocument): Parts {
    return over('POST', [JSON_TYPE], { query: text, variables });
  }

  #get(document: GeneratedDocument): Parts {
    const { text, variables, kind } = document;
    const query = [
      `query=${encodeURIComponent(text.toWellFormed())}`,
      `variables=${encodeURIComponent(toJson(variables).toWellFormed())}`,
    ];
    const isShort = query.join('&').length < 14_000;
    const isSent = isShort && (kind === 'query' || this.random.chance(0.2));
    return isSent ? { ...over('GET', [PREFLIGHT], null), query } : this.#post(document);
  }

  #persisted({ text, variables }: GeneratedDocument): Parts {
    const { random } = this;
    const hashed = random.chance(0.9) ? text : 'another text';
    const sha256Hash = createHash('sha256').update(hashed).digest('hex');
    const extensions = {
      persistedQuery: { version: random.pick([1, 1, 1, 1, 1, 1, 1, 2, '1']), sha256Hash },
    };
    return over('POST', [JSON_TYPE], {
      ...(random.chance(0.6) ? { query: text } : {}),
      variables,
      extensions,
    });
  }

  /** As a batch, as a form, with odd envelopes. */
  #odd({ text, variables }: GeneratedDocument): Parts {
    const { random, odd } = this;
    const one = { query: text, variables };
    const form = String(new URLSearchParams({ query: text, variables: toJson(variables) }));
    switch (random.whole(0, 5)) {
      case 0:
        return over('POST', [JSON_TYPE], [one, one]);
      case 1:
        return over('POST', [['Content-Type', 'application/x-www-form-urlencoded'], PREFLIGHT], form);
      case 2:
        return over('POST', [['Content-Type', 'application/graphql']], text);
      case 3:
        return over('POST', [JSON_TYPE], { ...one, operationName: odd.json(), extensions: odd.json() });
      case 4:
        return over('POST', [JSON_TYPE], odd.corrupted(Buffer.from(toJson(one))));
      default:
        return over(
          'POST',
          [JSON_TYPE, ['Accept', random.pick(['text/html', 'application/graphql-response+json', '*/*;q=x'])]],
          one,
        );
    }
  }

  #stream({ text, variables }: GeneratedDocument): Parts {
    const accept = ['Accept', 'text/event-stream'] as const;
    const parts = over('POST', [JSON_TYPE, accept], { query: text, variables });
    const last = this.random.chance(0.2)
      ? [['Last-Event-ID', this.random.pick(['0', '1', '999999', 'x', '-1'])] as const]
      : [];
    return { ...parts, surface: 'streams', path: '/graphql/stream', headers: [...parts.headers, ...last] };
  }

  #multipart({ text, variables, files }: GeneratedDocument): Parts {
    const { random, odd } = this;
    const [file = 'file'] = files;
    const operations = toJson({
      query: text,
      variables: { ...variables, [file]: withoutFile(variables[file]) },
    });
    const path = pathOfFile(variables[file]);
    const target = random.chance(0.85)
      ? ['variables', file, ...path].join('.')
      : random.pick([...ODD_TARGETS, odd.text()]);
    const part = (head: string, body: string): string =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
    const pieces = [
      part('name="operations"', operations),
      part('name="map"', random.chance(0.92) ? JSON.stringify({ 0: [target] }) : toJson(odd.json())),
      part(`name="0"; filename="file ${random.digits(8)}.bin"`, 'y'.repeat(random.whole(0, 4_000))),
    ];
    const order = random.chance(0.93) ? pieces : [...pieces].reverse();
    const end = random.chance(0.95) ? `--${BOUNDARY}--\r\n` : '';
    const headers = [['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`] as const, PREFLIGHT];
    return over(
      'POST',
      random.chance(0.9) ? headers : headers.slice(0, 1),
      Buffer.from(order.join('') + end),
    );
  }
}

function over(method: string, headers: Attempt['headers'], body: Attempt['body']): Parts {
  return { surface: 'GraphQL', method, path: '/graphql', query: [], headers, body };
}

function withoutFile(value: unknown): unknown {
  if (value === FILE) return null;
  if (Array.isArray(value)) return value.map(withoutFile);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutFile(each)]));
}

/** The names that lead to the file in a variable. */
function pathOfFile(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !isPlain(value)) return [];
  for (const [name, each] of Object.entries(value)) {
    if (each === FILE) return [name];
    const inner = pathOfFile(each);
    if (inner.length > 0) return [name, ...inner];
  }
  return [];
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
