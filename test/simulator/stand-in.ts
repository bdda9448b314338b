import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { crc16Of, formatCrc16 } from '../../src/platform/hashes.js';

const crcOf = (bytes: Buffer): string => formatCrc16(crc16Of(bytes));

export interface Faults {
  readonly asset?: Buffer;
  readonly params?: string;
  /** Ids of messages of each wait, in the order of waits; one new message for each wait otherwise. */
  readonly ids?: readonly (readonly string[])[];
  readonly result?: (reference: string, isKnown: boolean) => string;
  /** Status of the first requests to `/report`. */
  readonly busy?: number;
  /** End of a command to change the software, which the first wait has. */
  readonly commandUntil?: Date;
  /** Whether no token works after a renewal. */
  readonly endsTokens?: boolean;
}

export interface StandIn {
  readonly url: URL;
  /** Method, path and range or `If-None-Match` of requests. */
  readonly requests: string[];
  readonly confirmed: string[];
  readonly reports: unknown[];
  /** Reports of installations. */
  readonly installs: Record<string, unknown>[];
  readonly rows: Map<string, Record<string, unknown>>;
  /** Reports of the command. */
  readonly commandReports: unknown[];
  /** Has other bytes for the asset from now on. */
  release(asset: Buffer): void;
  stop(): Promise<void>;
}

const ASSET = Buffer.alloc(4_000, 'a sale ');
const NAME = 'acme_sale.posxml';
const COMMAND = { id: '9', message: '9|SYSTEM_UPDATE|', command: '5' };

/** A small server for terminals, which keeps its promises but for the faults. */
export async function startStandIn(faults: Faults = {}): Promise<StandIn> {
  const [requests, confirmed, reports] = [[] as string[], [] as string[], [] as unknown[]];
  const installs: Record<string, unknown>[] = [];
  const rows = new Map<string, Record<string, unknown>>();
  const commandReports: unknown[] = [];
  const left = { waits: 0, busy: faults.busy ?? 0 };
  const params = Buffer.from(
    faults.params ?? `host="gw.example"\napps_list=1 - Sale,${NAME},posxml,${crcOf(ASSET)};\nfiles_list=\n`,
  );
  let released: Buffer = ASSET;
  let token = 'secret';
  const manifest = (): string =>
    JSON.stringify({
      device: { serial_number: 'SN-1', enabled: true },
      logical_number: '1',
      group: null,
      parameters: [],
      files: [],
      apps: [
        {
          name: NAME,
          version: released === ASSET ? '1.0' : '1.1',
          size: released.length,
          crc: crcOf(released),
          sha256: sha256(released),
        },
      ],
      params_dat: { size: params.length, crc: crcOf(params) },
    });
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void> | void> =
    {
      'GET /terminal/v1/manifest': (request, response) =>
        sendTagged(request, response, Buffer.from(manifest())),
      'GET /terminal/v1/params.dat': (request, response) => sendTagged(request, response, params),
      [`GET /terminal/v1/assets/${NAME}`]: (request, response) =>
        sendTagged(request, response, faults.asset ?? released, crcOf(released)),
      'POST /terminal/v1/report': async (request, response) => {
        reports.push(JSON.parse(await text(request)));
        left.busy -= 1;
        if (left.busy >= 0) response.writeHead(503, { 'retry-after': '1' });
        response.end('{}');
      },
      'POST /terminal/v1/installs': async (request, response) => {
        installs.push(JSON.parse(await text(request)) as Record<string, unknown>);
        response.end('{}');
      },
      'POST /terminal/v1/logs': async (request, response) => {
        await text(request);
        response.end('{"id":"1"}');
      },
      'POST /terminal/v1/token': (_request, response) => {
        token = `token ${requests.length}`;
        response.end(JSON.stringify({ token }));
        if (faults.endsTokens === true) token = 'none';
      },
      'POST /terminal/v1/transactions': async (request, response) => {
        const lines = (await text(request)).trimEnd().split('\n');
        const results = lines.map((line, index) => {
          const row = JSON.parse(line) as Record<string, unknown>;
          const reference = String(row.reference);
          const isKnown = rows.get(reference)?.status === row.status;
          rows.set(reference, row);
          const result = faults.result?.(reference, isKnown) ?? (isKnown ? 'repeated' : 'created');
          return JSON.stringify({ line: index + 1, result, id: index });
        });
        response.end([...results, JSON.stringify({ total: lines.length })].join('\n'));
      },
      'GET /terminal/v1/notifications': (_request, response) => {
        left.waits += 1;
        const ids = faults.ids?.[left.waits - 1] ?? (left.waits === 1 ? ['1'] : []);
        const notifications: object[] = ids.map((id) => ({ id, message: `${id}|SHOW_MESSAGE|Hello` }));
        if (left.waits === 1 && faults.commandUntil !== undefined)
          notifications.push({ ...COMMAND, expires_at: faults.commandUntil.toISOString() });
        const answer = (): void => void response.end(JSON.stringify({ notifications }));
        if (ids.length > 0) answer();
        else setTimeout(answer, 200);
      },
      [`POST /terminal/v1/commands/${COMMAND.id}`]: async (request, response) => {
        commandReports.push(JSON.parse(await text(request)));
        response.end('{}');
      },
      'GET /terminal/v1/notifications/stream': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('id: 1\ndata: {"id":"1","message":"1|SHOW_MESSAGE|Hello"}\n\n: still here\n\n');
      },
      'POST /terminal/v1/notifications/confirm': async (request, response) => {
        confirmed.push((JSON.parse(await text(request)) as { event: string }).event);
        response.end('{}');
      },
    };
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const path = `${method} ${url.split('?')[0] ?? ''}`;
    const { range = '', 'if-none-match': tag = '' } = request.headers;
    requests.push(`${path} ${range}${tag === '' ? '' : 'unless changed'}`.trimEnd());
    const route = routes[path];
    if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end('{}');
    else if (route === undefined) response.writeHead(501).end('{}');
    else void route(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const release = (asset: Buffer): void => void (released = asset);
  return { url, requests, confirmed, reports, installs, rows, commandReports, release, stop };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function sendTagged(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  crc = crcOf(bytes),
): void {
  const tag = `"${sha256(bytes)}"`;
  response.setHeader('etag', tag).setHeader('x-crc16', crc);
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304).end();
  } else if (from === undefined || request.headers['if-range'] !== tag) {
    response.end(bytes);
  } else {
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-range': range }).end(bytes.subarray(Number(from)));
  }
}
