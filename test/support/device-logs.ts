import { deflateRawSync, crc32, gunzipSync } from 'node:zlib';

import { sendHttp } from './client.js';
import type { Fields, TestServer } from './server.js';

export interface LogReply {
  readonly status: number;
  readonly body: Fields;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a log as firmware does: bytes without a Content-Type. */
export async function sendLog(
  server: TestServer,
  token: string,
  query: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<LogReply> {
  const url = `${server.url}/terminal/v1/logs${query}`;
  const all = { authorization: `Bearer ${token}`, ...headers };
  const { text, ...reply } = await sendHttp(url, { method: 'POST', headers: all, body });
  return { ...reply, body: JSON.parse(text) as Fields };
}

interface Entry {
  readonly name: string;
  readonly content: Buffer;
  /** 0 for bytes as they are, 8 for deflate; others are not made. */
  readonly method?: number;
}

/** A zip archive. */
export function zipOf(...entries: readonly Entry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8 } of entries) {
    const bytes = method === 8 ? deflateRawSync(content) : content;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(method, 4);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(bytes.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, Buffer.from(name), bytes]);
    const version = Buffer.from([20, 0]);
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), version, head, place, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The text of a log as it is stored. */
export async function storedText({ place }: TestServer, logId: number): Promise<string> {
  const rows = await place.sql<{ bytes: Buffer }>(
    'select bytes from device_log_chunks where log_id = $1 order by part, sequence',
    [logId],
  );
  return rows.map(({ bytes }) => gunzipSync(bytes).toString()).join('');
}
