import { fileForm, type Client, type Fields, type Reply } from '../support/client.js';

/** A kind of record that a writer creates, changes and deletes; paths are relative to /v1. */
interface Kind {
  readonly name: string;
  create(by: Writer, text: string): Request;
  /** Null, like `remove`, if /v1 has no such request. */
  change(by: Writer, record: KnownRecord, text: string): Request | null;
  remove(by: Writer, record: KnownRecord): Request | null;
  /** A list that has all of the writer's records, unless it is that of `name`. */
  list?(by: Writer): List;
  /** The fields to compare after a crash, separated by spaces, for example `w3-17x9z true`. */
  shape(fields: Fields): string;
}

interface List {
  readonly path: string;
  readonly key: string;
}

interface Request {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Fields | FormData | undefined;
  /** Shape of the record after the request; null if it is deleted. */
  readonly shape: string | null;
}

interface KnownRecord {
  readonly id: number;
  readonly shape: string;
}

type Body = Fields | FormData;
const post = (path: string, body: Body, shape: string): Request => ({ method: 'POST', path, body, shape });
const put = (path: string, body: Body, shape: string): Request => ({ method: 'PUT', path, body, shape });
const remove = (path: string): Request => ({ method: 'DELETE', path, shape: null });
const part = (shape: string, index = 0): string => shape.split(' ')[index] ?? '';

const byName = (path: string, key: string): Kind => ({
  name: path,
  create: (by, text) => post(path, { [key]: by.nameOf(text) }, by.nameOf(text)),
  change: (by, { shape }, text) => put(`${path}/${shape}`, { [key]: by.nameOf(text) }, by.nameOf(text)),
  remove: (_by, { shape }) => remove(`${path}/${shape}`),
  shape: (fields) => String(fields[key]),
});

const devices: Kind = {
  name: 'devices',
  create: (by, text) => post('devices', { serial_number: by.nameOf(text) }, `${by.nameOf(text)} true`),
  change: (_by, { shape }) => {
    const enabled = part(shape, 1) !== 'true';
    return put(`devices/${part(shape)}`, { enabled }, `${part(shape)} ${enabled}`);
  },
  remove: (_by, { shape }) => remove(`devices/${part(shape)}`),
  shape: (fields) => `${String(fields.serial_number)} ${String(fields.enabled)}`,
};

const versions: Kind = {
  name: 'versions',
  create: (by, text) => {
    const number = by.nameOf(text);
    const body = { number, authorizer_url: 'new', bytecode: btoa(text) };
    return post(`apps/${by.appId}/versions`, body, `${number} new`);
  },
  change: (by, { id, shape }, text) => {
    const body = { authorizer_url: text, bytecode: btoa(text) };
    return put(`apps/${by.appId}/versions/${id}`, body, `${part(shape)} ${text}`);
  },
  remove: (by, { id }) => remove(`apps/${by.appId}/versions/${id}`),
  list: (by) => ({ path: `apps/${by.appId}/versions`, key: 'appversions' }),
  shape: (fields) => `${String(fields.number)} ${String(fields.authorizer_url)}`,
};

const upload = (name: string, text: string): readonly [FormData, string] => [
  fileForm(name, text.repeat(3_000), { description: text }, 'asset'),
  `${name} ${text} ${text.length * 3_000}`,
];

const files: Kind = {
  name: 'files',
  create: (by, text) => post('files', ...upload(by.nameOf(text), text)),
  change: (_by, { id, shape }, text) => put(`files/${id}`, ...upload(part(shape), text)),
  remove: (_by, { id }) => remove(`files/${id}`),
  shape: ({ name, description, size }) => `${String(name)} ${String(description)} ${String(size)}`,
};

const notifications: Kind = {
  name: 'notifications',
  create: (by, text) => {
    const body = { content: by.nameOf(text), range: 'group', group_id: by.ownerId };
    return post('notifications', body, `SHOW_MESSAGE|${by.nameOf(text)}`);
  },
  change: () => null,
  remove: () => null,
  shape: (fields) => String(fields.content),
};

const KINDS: readonly Kind[] = [
  byName('groups', 'name'),
  byName('logical_numbers', 'number'),
  devices,
  versions,
  files,
  notifications,
];

const MAX_RECORDS_OF_A_KIND = 12;
/** Number of logical numbers in the group that a writer notifies. */
export const TERMINALS_EACH = 3;

/** Cache of whole lists: writers share the lists that they check. */
export class Lists {
  readonly #read = new Map<string, Promise<readonly Fields[]>>();

  constructor(private readonly client: Client) {}

  read(list: List): Promise<readonly Fields[]> {
    const name = JSON.stringify(list);
    const reading = this.#read.get(name) ?? this.#readPages(list);
    this.#read.set(name, reading);
    return reading;
  }

  async #readPages({ path, key }: List): Promise<readonly Fields[]> {
    const all: Fields[] = [];
    for (let page = 1; ; page += 1) {
      const reply = await this.client.get(path, undefined, { query: { page, per_page: 100 } });
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
      all.push(...reply.list(key));
      if (page >= Number((reply.body.pagination as Fields).total_pages)) return all;
    }
  }
}

/** Sends random writes and records which ones were acknowledged. Many writers run at the same time. */
export class Writer {
  readonly #known = new Map<string, Map<number, string>>(KINDS.map((kind) => [kind.name, new Map()]));
  /** The request without a response; after a crash its change may or may not be stored. */
  #inFlight: { kind: Kind; id: number | null; request: Request } | null = null;
  #texts = 0;
  acknowledged = 0;
  appId = 0;
  ownerId = 0;

  constructor(
    readonly name: string,
    private readonly random: () => number,
  ) {}

  get owner(): string {
    return `${this.name}_owner`;
  }

  /** Name of a record of this writer, for example `w3-17x9z`. */
  nameOf(text: string): string {
    return `${this.name}-${text}`;
  }

  /** Creates the app and the group that the writer's records belong to. */
  async prepare(client: Client): Promise<void> {
    const group = await client.post('groups', { name: this.owner });
    const app = await client.post('apps', { name: this.owner });
    this.ownerId = Number(group.record('group').id);
    this.appId = Number(app.record('app').id);
    for (let n = 1; n <= TERMINALS_EACH; n += 1) {
      const number = `${this.owner}_${n}`;
      const created = await client.post('logical_numbers', { number, group_id: this.ownerId });
      if (created.status !== 201) throw new Error(created.text);
    }
  }

  /** Writes until the server is gone. Errors: an `Error` if a request is refused, or fails before that. */
  async write(client: Client, isGone: () => boolean): Promise<void> {
    for (;;) {
      const { kind, id, request } = this.#choose();
      this.#inFlight = { kind, id, request };
      let reply: Reply;
      try {
        reply = await client.request(request.method, request.path, request.body);
      } catch (error) {
        if (isGone()) return;
        throw error;
      }
      if (reply.status >= 300) throw new Error(`${request.method} ${request.path}: ${reply.text}`);
      this.#acknowledge(kind, id, request, reply);
      this.#inFlight = null;
    }
  }

  /** Returns a message for each difference from the acknowledged records; continues from the stored records. */
  async verify(lists: Lists): Promise<string[]> {
    const problems: string[] = [];
    for (const kind of KINDS) {
      const found = await this.#read(lists, kind);
      problems.push(...this.#compare(kind, found));
      this.#known.set(kind.name, found);
    }
    this.#inFlight = null;
    return problems;
  }

  #choose(): { kind: Kind; id: number | null; request: Request } {
    const kind = KINDS[Math.floor(this.random() * KINDS.length)] ?? devices;
    const known = [...(this.#known.get(kind.name) ?? [])].map(([id, shape]) => ({ id, shape }));
    const record = known[Math.floor(this.random() * known.length)];
    const text = `${++this.#texts}x${Math.floor(this.random() * 1e9).toString(36)}`;
    const chance = known.length > MAX_RECORDS_OF_A_KIND ? 1 : this.random();
    const changing =
      record === undefined || chance < 0.5
        ? null
        : chance < 0.75
          ? kind.change(this, record, text)
          : kind.remove(this, record);
    return changing === null || record === undefined
      ? { kind, id: null, request: kind.create(this, text) }
      : { kind, id: record.id, request: changing };
  }

  #acknowledge(kind: Kind, id: number | null, { shape }: Request, reply: Reply): void {
    this.acknowledged += 1;
    const known = this.#known.get(kind.name);
    const record = Object.values(reply.body)[0] as Fields | string | undefined;
    // The response to a notification has no id: it gets a negative one and is later found by its shape.
    const recordId = id ?? (typeof record === 'object' ? Number(record.id) : -this.acknowledged);
    if (shape === null) known?.delete(recordId);
    else known?.set(recordId, shape);
  }

  async #read(lists: Lists, kind: Kind): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (const fields of await lists.read(kind.list?.(this) ?? { path: kind.name, key: kind.name })) {
      const shape = kind.shape(fields);
      if (shape.replace('SHOW_MESSAGE|', '').startsWith(`${this.name}-`)) found.set(Number(fields.id), shape);
    }
    return found;
  }

  #compare(kind: Kind, found: ReadonlyMap<number, string>): string[] {
    const problems: string[] = [];
    const inFlight = this.#inFlight?.kind === kind ? this.#inFlight : null;
    const unmatched = new Map(found);
    for (const [known, shape] of this.#known.get(kind.name) ?? []) {
      const id = known > 0 ? known : [...unmatched].find(([, text]) => text === shape)?.[0];
      const stored = id === undefined ? null : (unmatched.get(id) ?? null);
      const allowed = inFlight?.id === known ? [shape, inFlight.request.shape] : [shape];
      if (!allowed.includes(stored)) {
        problems.push(`${kind.name} ${known}: acknowledged ${shape}, found ${stored ?? 'nothing'}`);
      }
      if (id !== undefined) unmatched.delete(id);
    }
    const created = inFlight?.id === null ? inFlight.request.shape : null;
    const unknown = [...unmatched].filter(([, shape]) => shape !== created);
    problems.push(
      ...unknown.map(([id, shape]) => `${kind.name} ${id}: ${shape}, which was never acknowledged`),
    );
    if (unmatched.size - unknown.length > 1) problems.push(`${kind.name}: ${created ?? ''} is stored twice`);
    return problems;
  }
}
