import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { z } from 'zod';

import { crc16Of, formatCrc16 } from '../platform/hashes.js';
import { parsed, type Reply } from './http-client.js';
import type { Installs } from './installs.js';
import type { ListedAsset } from './shared.js';
import type { TerminalParts } from './terminal-http.js';

const asset = { name: z.string(), size: z.int(), crc: z.string(), sha256: z.string() };

/** Fields of `GET /terminal/v1/manifest` that the simulator uses. */
const Manifest = z.object({
  logical_number: z.string(),
  group: z.string().nullable(),
  apps: z.array(z.object({ ...asset, version: z.string() })),
  files: z.array(z.object(asset)),
  params_dat: z.object({ size: z.int(), crc: z.string() }),
});
type Manifest = z.output<typeof Manifest>;

/** Share of downloads whose connection breaks in the middle. */
const CUT = 0.1;
/** Attempts before a mismatch counts as an error: content may change on the server between two requests. */
const ATTEMPTS = 3;

/** Keeps manifest, `params.dat` (by ETag) and assets (by CRC) of one terminal up to date. */
export class Downloads {
  #manifest: Manifest | null = null;
  #manifestTag: string | undefined;
  #paramsTag: string | undefined;
  /** CRC by name of each asset that the terminal uses. */
  readonly #assets = new Map<string, string>();

  constructor(
    private readonly parts: TerminalParts,
    private readonly installs: Installs,
  ) {}

  /** Null before the first update. */
  get manifest(): Manifest | null {
    return this.#manifest;
  }

  /** Fetches what has changed. Errors: `RunIsOver`. */
  async update(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const manifest = await this.updateManifest();
      const problems = [await this.#updateParams(manifest)];
      for (const asset of [...manifest.apps, ...manifest.files])
        problems.push(await this.#updateAsset(asset));
      const problem = problems.find((each) => each !== null) ?? null;
      if (problem === null) return;
      if (attempt === ATTEMPTS) this.#noteContent(problem);
      // Clears the ETags so that the next attempt downloads everything again.
      this.#manifestTag = undefined;
      this.#paramsTag = undefined;
    }
  }

  /** Fetches changes if there are any, or an installation has failed; takes one request if not. Errors: `RunIsOver`. */
  async updateIfChanged(): Promise<void> {
    const before = this.#manifest;
    if ((await this.updateManifest()) !== before || this.installs.areUnfinished) await this.update();
  }

  /** Fetches only the manifest, if it has changed. Errors: `RunIsOver`. */
  async updateManifest(): Promise<Manifest> {
    const { stats } = this.parts.shared;
    const headers = ifNoneMatch(this.#manifestTag);
    const reply = await this.parts.http.ask({ method: 'GET', path: '/terminal/v1/manifest', headers });
    if (reply.status === 304 && this.#manifest !== null) {
      stats.count('manifests_unchanged');
      return this.#manifest;
    }
    stats.count('manifests_fetched');
    this.#manifest = parsed(Manifest, reply);
    this.#manifestTag = reply.headers.etag;
    return this.#manifest;
  }

  /** Updates `params.dat`. Resolves to null, or to what differs from the manifest. */
  async #updateParams({ params_dat: listed }: Manifest): Promise<string | null> {
    const { http, serialNumber } = this.parts;
    const { stats } = this.parts.shared;
    const headers = ifNoneMatch(this.#paramsTag);
    const reply = await http.ask({ method: 'GET', path: '/terminal/v1/params.dat', headers });
    if (reply.status === 304) {
      stats.count('params_unchanged');
      return null;
    }
    stats.count('params_fetched');
    const problem = problemOfParams(reply.body);
    if (problem !== null) stats.broke('unreadable_params', `terminal ${serialNumber}: ${problem}`);
    this.#paramsTag = reply.headers.etag;
    const crc = formatCrc16(crc16Of(reply.body));
    return crc === listed.crc ? null : `params.dat has the CRC ${crc}, not ${listed.crc}`;
  }

  /** Downloads and installs an asset, unless the terminal has it or has given up. Resolves as `#updateParams`. */
  async #updateAsset(asset: ListedAsset): Promise<string | null> {
    if (this.#assets.get(asset.name) === asset.crc || this.installs.hasGivenUp(asset)) return null;
    const behaviour = await this.installs.behaviourOf(asset);
    const problem = behaviour === 'pretends' ? null : await this.#fetch(asset);
    const isUsed = problem === null && (await this.installs.report(asset, behaviour));
    if (isUsed) this.#assets.set(asset.name, asset.crc);
    return problem;
  }

  async #fetch(asset: ListedAsset): Promise<string | null> {
    const { stats } = this.parts.shared;
    const reply = await this.#download(asset);
    if (reply.status === 404) return `${asset.name} was not found`;
    if (reply.status === 304) {
      stats.count('assets_unchanged');
    } else {
      const problem = this.#problemOf(asset, reply);
      if (problem !== null) return problem;
      stats.count('assets_downloaded');
    }
    return null;
  }

  /** Downloads an asset, in two parts if the connection breaks; with the headers of its first part. */
  async #download({ name, size }: ListedAsset): Promise<Reply> {
    const { http, random } = this.parts;
    const { stats, hasFaults } = this.parts.shared;
    const path = `/terminal/v1/assets/${encodeURIComponent(name)}`;
    const cutAfter = hasFaults && random.chance(CUT) ? { cutAfter: random.whole(0, size) } : {};
    const had = this.#assets.get(name);
    const query = had === undefined ? '' : `?crc=${had}`;
    let whole = await http.ask({ method: 'GET', path: path + query, ...cutAfter });
    if (whole.isCut) {
      stats.count('connections_lost');
      const { etag = '' } = whole.headers;
      const headers = { range: `bytes=${whole.body.length}-`, 'if-range': etag };
      const isComplete = whole.body.length >= size;
      const rest = await http.ask({ method: 'GET', path, headers: isComplete ? {} : headers });
      whole = rest.status === 206 ? this.#joined(name, whole, rest) : rest;
    }
    if (whole.status !== 404) stats.count('asset_bytes', whole.body.length);
    return whole;
  }

  #joined(name: string, first: Reply, rest: Reply): Reply {
    this.parts.shared.stats.count('assets_resumed');
    const range = rest.headers['content-range'] ?? '';
    if (!range.startsWith(`bytes ${first.body.length}-`)) {
      this.#noteContent(`${name}: bytes from ${first.body.length} on were requested, ${range} came`);
    }
    return { ...first, body: Buffer.concat([first.body, rest.body]), isCut: rest.isCut };
  }

  /** Null if the bytes match the headers and the manifest; otherwise the difference. */
  #problemOf({ name, size, crc, sha256 }: ListedAsset, { headers, body }: Reply): string | null {
    const found = formatCrc16(crc16Of(body));
    const announced = headers['x-crc16'];
    // Headers belong to the same response: they must match even if the asset changed after the manifest.
    if (found !== announced)
      this.#noteContent(`${name} has the CRC ${found}, its header ${String(announced)}`);
    if (found !== crc) return `${name} has the CRC ${found}, the manifest ${crc}`;
    if (body.length !== size) return `${name} has ${body.length} bytes, the manifest ${size}`;
    const hash = createHash('sha256').update(body).digest('hex');
    return hash === sha256 ? null : `${name} has the hash ${hash}, the manifest ${sha256}`;
  }

  #noteContent(text: string): void {
    this.parts.shared.stats.broke('wrong_content', `terminal ${this.parts.serialNumber}: ${text}`);
  }
}

function ifNoneMatch(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { 'if-none-match': tag };
}

/** Entries such as `1 - Sale,acme_sale.posxml,posxml,31C3` and `acme_b.dat,FFFF`; the company is before the `_`. */
const LISTS = {
  apps_list: /^[^,]+,[^,]*_[^,]*,(?:posxml|ruby),[0-9A-F]{4}$/,
  files_list: /^[^,]*_[^,]*,[0-9A-F]{4}$/,
};

/**
 * Why a terminal cannot read `params.dat`; null if it can. The file has lines of `key=value` that end with LF, of
 * which the first `=` separates; `apps_list` and `files_list` are entries that end with `;`.
 */
export function problemOfParams(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return 'it is not UTF-8';
  const values = new Map<string, string>();
  for (const [index, line] of bytes.toString().replace(/\n$/, '').split('\n').entries()) {
    const at = line.indexOf('=');
    if (at < 1 || line.includes('\r')) return `line ${index + 1} is not key=value: ${line.slice(0, 60)}`;
    const key = line.slice(0, at);
    if (values.has(key)) return `it has the key ${key} twice`;
    values.set(key, line.slice(at + 1));
  }
  for (const [name, form] of Object.entries(LISTS)) {
    const list = values.get(name) ?? '';
    if (list === '') continue;
    if (!list.endsWith(';')) return `${name} does not end with ;`;
    const entries = list.slice(0, -1).split(';');
    const wrong = entries.find((entry) => !form.test(entry));
    if (wrong !== undefined) return `${name} has an entry in another form: ${wrong.slice(0, 60)}`;
  }
  return null;
}
