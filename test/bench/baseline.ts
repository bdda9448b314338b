/**
 * A minimal server with the same responses: node:http, prepared statements, no authentication, no validation, no
 * stored totals. Its argument is the database file; it prints `listens on URL`.
 */
import Sqlite from 'better-sqlite3';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { DAY } from '../../src/platform/clock.js';

type Row = Readonly<Record<string, string | number | null>>;

const database = new Sqlite(process.argv[2] ?? '', { timeout: 5_000 });
database.pragma('synchronous = FULL');
database.pragma('foreign_keys = ON');

const PER_PAGE = 30;
const OF_STATUS =
  'from transactions where company_id = 1 and status = ? and started_at >= ? and started_at < ?';
const ORDER = 'order by started_at desc, id desc limit ? offset ?';
const statements = {
  countDevices: database.prepare('select count(*) as total from devices where company_id = 1'),
  devices: database.prepare('select * from devices where company_id = 1 order by id limit ? offset ?'),
  device: database.prepare('select * from devices where company_id = 1 and id = ?'),
  countTransactions: database.prepare('select count(*) as total from transactions where company_id = 1'),
  transactions: database.prepare(`select * from transactions where company_id = 1 ${ORDER}`),
  countOfStatus: database.prepare(`select count(*) as total ${OF_STATUS}`),
  ofStatus: database.prepare(`select * ${OF_STATUS} ${ORDER}`),
  drawDevice: database
    .prepare<[], number>(
      `update counters set last_drawn = last_drawn + 1
    where company_id = 1 and name = 'devices' returning last_drawn`,
    )
    .pluck(),
  createDevice:
    database.prepare(`insert into devices (company_id, id, serial_number, enabled, logical_number_id, meta,
    framework_version, revision, created_at, updated_at, created_by, created_via)
    values (1, ?, ?, 1, null, '{}', null, 1, ?, ?, 1, 'api') returning *`),
};

const time = (milliseconds: Row[string]): string | null =>
  milliseconds == null ? null : `${new Date(Number(milliseconds)).toISOString().slice(0, 19)}Z`;

function deviceFields(row: Row) {
  return {
    id: row.id,
    serial_number: row.serial_number,
    enabled: row.enabled === 1,
    logical_number_id: row.logical_number_id,
    meta: JSON.parse(String(row.meta)) as unknown,
    framework_version: row.framework_version,
    updated_at: time(row.updated_at ?? null),
    created_at: time(row.created_at ?? null),
    created_by: row.created_by,
    created_via: row.created_via,
  };
}

function transactionFields(row: Row) {
  return {
    id: row.id,
    transaction_type: row.transaction_type,
    serial_number: row.serial_number,
    logical_number: row.logical_number,
    app_name: row.app_name,
    detail: row.detail,
    framework_version: row.framework_version,
    status: row.status,
    sent: row.sent ?? 'null',
    received: row.received ?? 'null',
    parsed: row.parsed == null ? 'null' : snakeCased(JSON.parse(String(row.parsed))),
    started_at: time(row.started_at ?? null),
    finished_at: time(row.finished_at ?? null),
  };
}

function snakeCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = snakeCased(field);
  }
  return fields;
}

function list(key: string, item: string, page: number, total: number, records: readonly object[]) {
  const pages = Math.ceil(total / PER_PAGE);
  return {
    pagination: { page, total_pages: pages, entries: records.length, total_entries: total },
    [key]: records.map((record) => ({ [item]: record })),
  };
}

const totalOf = (row: unknown): number => (row as { total: number }).total;

function respond(path: string, query: URLSearchParams): object {
  const page = Number(query.get('page') ?? '1');
  const offset = (page - 1) * PER_PAGE;
  if (path === '/v1/devices') {
    const rows = statements.devices.all(PER_PAGE, offset) as Row[];
    return list('devices', 'device', page, totalOf(statements.countDevices.get()), rows.map(deviceFields));
  }
  if (path === '/v1/transactions') {
    const status = query.get('status');
    const since = Date.parse(query.get('since') ?? '1970-01-01');
    const until = Date.parse(query.get('until') ?? '9999-12-30') + DAY;
    const total =
      status === null
        ? statements.countTransactions.get()
        : statements.countOfStatus.get(status, since, until);
    const rows =
      status === null
        ? statements.transactions.all(PER_PAGE, offset)
        : statements.ofStatus.all(status, since, until, PER_PAGE, offset);
    return list('transactions', 'transaction', page, totalOf(total), (rows as Row[]).map(transactionFields));
  }
  return { device: deviceFields(statements.device.get(Number(path.split('/')[3])) as Row) };
}

const createRow = database.transaction(
  (serialNumber: string, now: number) =>
    statements.createDevice.get(statements.drawDevice.get(), serialNumber, now, now) as Row,
);

function createDevice(body: string): object {
  const { serial_number: serialNumber } = JSON.parse(body) as { serial_number: string };
  return { device: deviceFields(createRow.immediate(serialNumber, Date.now())) };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}

const server = createServer((request: IncomingMessage, response) => {
  if (request.method === 'POST') {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => send(response, 201, createDevice(body)));
    return;
  }
  const url = new URL(request.url ?? '/', 'http://baseline');
  send(response, 200, respond(url.pathname, url.searchParams));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
