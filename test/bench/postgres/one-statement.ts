/**
 * A minimal server that answers each query with one SQL statement, which makes the JSON of the response in PostgreSQL,
 * as PostGraphile does: node:http and `pg`, prepared by name; no authentication, no transaction, no row-level security,
 * no limits. Its argument is the URL of the database, of a user whom policies do not concern.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 16 });

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;
const DEVICES = `select json_build_object(
  'pagination', json_build_object('page', 1, 'total_pages', ceil(t.total / 30.0)::int, 'entries', 30, 'total_entries', t.total),
  'devices', (select json_agg(json_build_object('device', json_build_object('id', id, 'serial_number', serial_number,
      'enabled', enabled, 'logical_number_id', logical_number_id, 'meta', meta, 'framework_version', framework_version,
      'updated_at', to_char(updated_at at time zone 'UTC', ${TIME}),
      'created_at', to_char(created_at at time zone 'UTC', ${TIME}),
      'created_by', created_by, 'created_via', created_via)) order by id)
    from (select * from devices where company_id = 1 order by id limit 30) d))::text as body
  from (select count(*) as total from devices where company_id = 1) t`;

const FILES = `select json_build_object('nodes', coalesce(json_agg(json_build_object('name', f.name, 'crc', f.crc, 'size', f.size)
    order by f.id), '[]')) from (select files.id, name, crc, size from app_version_files l
    join files on files.company_id = l.company_id and files.id = l.file_id
    where l.company_id = 1 and l.app_version_id = v.id order by files.id limit 3) f`;
const VERSIONS = `select json_build_object('nodes', coalesce(json_agg(json_build_object('number', v.number,
    'app', json_build_object('name', v.app_name), 'files', (${FILES})) order by v.id), '[]'))
  from (select v.id, v.number, apps.name as app_name from logical_number_app_versions l
    join app_versions v on v.company_id = l.company_id and v.id = l.app_version_id
    join apps on apps.company_id = v.company_id and apps.id = v.app_id
    where l.company_id = 1 and l.logical_number_id = n.id order by v.id limit 5) v`;
const NUMBERS = `select json_build_object(
    'totalCount', (select count(*) from logical_numbers where company_id = 1 and group_id = g.id),
    'nodes', coalesce(json_agg(json_build_object('number', n.number, 'appVersions', (${VERSIONS})) order by n.id), '[]'))
  from (select id, number from logical_numbers where company_id = 1 and group_id = g.id order by id limit 20) n`;
const NESTED = `select json_build_object('data', json_build_object('groups', json_build_object(
    'totalCount', (select count(*) from groups where company_id = 1),
    'nodes', (select json_agg(json_build_object('name', g.name, 'logicalNumbers', (${NUMBERS})) order by g.id)
      from (select id, name from groups where company_id = 1 order by id limit 10) g))))::text as body`;

const server = createServer((request, response) => {
  request.resume();
  const [name, text] = request.method === 'GET' ? ['devices', DEVICES] : ['nested', NESTED];
  pool.query<{ body: string }>({ name, text }).then(
    ({ rows }) => {
      const body = Buffer.from(rows[0]?.body ?? '');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    },
    (error: unknown) => {
      response.writeHead(500, { 'content-length': 0 }).end();
      process.stderr.write(`${String(error)}\n`);
    },
  );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
