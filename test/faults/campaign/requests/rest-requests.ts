import type { Random } from '../../../../src/platform/random.js';
import type { Route } from '../../../../src/rest/route.js';
import { ROUTES } from '../../../support/openapi-check.js';
import { goodBody } from '../../../support/route-requests.js';
import type { Sender } from '../companies.js';
import type { Known } from '../records.js';
import type { Attempt } from './attempt.js';
import { toJson, type OddValues } from './values.js';

/** Types of the records that placeholders with ids name. */
const TYPES: Readonly<Record<string, string>> = {
  app_id: 'App',
  version_id: 'AppVersion',
  file_id: 'File',
  parameter_id: 'Parameter',
  metacontent_id: 'Metacontent',
  notification_id: 'Notification',
  user_id: 'User',
  device_id: 'Device',
};
const BOUNDARY = 'campaign-part';
const FORM = 'application/x-www-form-urlencoded';
const CONTENT_TYPES = [
  'application/json',
  FORM,
  `multipart/form-data; boundary=${BOUNDARY}`,
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Makes requests to every route of /v1, most of them slightly wrong. */
export class RestRequests {
  constructor(
    private readonly random: Random,
    private readonly odd: OddValues,
    /** Records of the two companies. */
    private readonly known: (company: 0 | 1) => Known,
  ) {}

  next(sender: Sender, route: Route = this.random.pick(ROUTES)): Attempt {
    const { random } = this;
    const own = this.known(sender.company ?? 0);
    // The n-th version belongs to the n-th app, from the first again after the last.
    const index = random.whole(0, 99);
    const choose = (placeholder: string): string => named(own, placeholder, index);
    const path = `/v1${route.path}`.replace(/\{([^}]+)\}/g, (_, name: string) => {
      if (random.chance(0.85)) return encodeURIComponent(choose(name));
      // Names of the other company are sent in paths only: no request may plant them elsewhere.
      if (random.chance(0.5)) return encodeURIComponent(named(this.known(random.pick([0, 1])), name, index));
      const text = this.odd.id();
      return random.chance(0.8) ? encodeURIComponent(text.toWellFormed()) : rawPath(text);
    });
    const fields: unknown = { ...goodBody(route, choose), ...this.#moreFields(route) };
    const mutated = random.chance(0.45) ? this.odd.mutated(fields) : fields;
    const token = sender.token === null ? [] : [`access_token=${sender.token}`];
    return {
      ...this.#withBody(route, mutated as object),
      surface: 'REST',
      sender,
      path,
      method: random.chance(0.93) ? route.method : random.pick(METHODS),
      query: [...token, ...this.#query(route)],
      delivery: 'whole',
    };
  }

  #moreFields({ body }: Route): object {
    const { random } = this;
    const names = Object.keys(body?.shape ?? {}).filter(() => random.chance(0.2));
    return Object.fromEntries(names.map((name) => [snakeCase(name), this.odd.json()]));
  }

  #query(route: Route): string[] {
    const { random, odd } = this;
    const names = [
      ...(route.paged === true ? ['page', 'per_page'] : []),
      ...(route.parameters ?? []).map(({ name }) => name),
      ...Object.keys(route.ownerSelector?.shape ?? {}),
    ].filter(() => random.chance(0.25));
    const parts = names.map((name) => {
      const value = random.chance(0.5) ? String(random.whole(1, 5)) : odd.text().slice(0, 2_000);
      const form = random.chance(0.7) ? name : name + random.pick(['[]', '[$ne]', '[0]']);
      return `${form}=${random.chance(0.95) ? encodeURIComponent(value.toWellFormed()) : rawPath(value)}`;
    });
    const repeated = random.chance(0.05) ? parts.slice(0, 1) : [];
    return [
      ...parts,
      ...repeated,
      ...(random.chance(0.02) ? [random.pick(['%zz=1', '__proto__[a]=1', '%00', '&&=', 'a%5B%5D=1'])] : []),
    ];
  }

  #withBody(route: Route, fields: object): Pick<Attempt, 'headers' | 'body'> {
    const { random } = this;
    if (route.body === undefined && random.chance(0.9)) return { headers: [], body: null };
    const type = random.chance(0.6) ? 'application/json' : random.pick(CONTENT_TYPES);
    const headers = [['Content-Type', type]] as const;
    const usesFile = route.file !== undefined && random.chance(0.5);
    if (type.includes('boundary') || usesFile) {
      const multipart = `multipart/form-data; boundary=${BOUNDARY}`;
      return { headers: [['Content-Type', multipart]], body: this.#multipart(route, fields) };
    }
    if (type === FORM && random.chance(0.8)) return { headers, body: formOf(fields) };
    if (random.chance(0.07)) return { headers, body: this.odd.corrupted(Buffer.from(toJson(fields))) };
    return { headers, body: fields };
  }

  #multipart(route: Route, fields: object): Buffer {
    const { random, odd } = this;
    const parts = Object.entries(fields).map(
      ([name, value]) => `Content-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${asText(value)}`,
    );
    const fileName = quoted(random.chance(0.7) ? `file ${random.digits(6)}.bin` : odd.text());
    const disposition = `Content-Disposition: form-data; name="${route.file?.name ?? 'file'}"; filename="${fileName}"`;
    const file = `${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n${'x'.repeat(random.whole(0, 3_000))}`;
    const all = [...parts, ...(random.chance(0.85) ? [file] : []), ...(random.chance(0.1) ? [file] : [])];
    const text = `${all.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;
    return random.chance(0.1) ? odd.corrupted(Buffer.from(text)) : Buffer.from(text);
  }
}

function named(known: Known, placeholder: string, index: number): string {
  const type = TYPES[placeholder];
  const choices = type === undefined ? known.names[placeholder] : known.ids[type];
  if (choices === undefined) throw new Error(`Nothing is known for {${placeholder}}`);
  return String(choices[index % choices.length]);
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const quoted = (text: string): string => text.replace(/["\r\n]/g, '_');
const asText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** Characters that end a request line or begin a query are left out. */
function rawPath(text: string): string {
  return Buffer.from(text.slice(0, 500))
    .toString('latin1')
    .replace(/[\r\n ?#]/g, '');
}

function formOf(fields: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, asText(each));
    else form.append(name, asText(value));
  }
  return String(form);
}
