import { createServer, type AddressInfo, type Server } from 'node:net';

/** Answers every statement like a PostgreSQL of this version, for example 140011. Resolves to its URL. */
export async function oldServer(version: number, name: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', int32(0)), READY]));
      } else if (bytes.toString('latin1', 0, 1) === 'Q') {
        const row = [String(version), name];
        socket.write(
          Buffer.concat([columns('number', 'name'), values(row), message('C', text('SELECT 1')), READY]),
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://gateway:none@127.0.0.1:${port}/gateway`, server };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

const READY = message('Z', Buffer.from('I'));
const TEXT_TYPE = 25;

function columns(...names: string[]): Buffer {
  const fields = names.map((name) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0)]),
  );
  return message('T', Buffer.concat([int16(fields.length), ...fields]));
}

function values(row: readonly string[]): Buffer {
  const fields = row.map((value) => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]));
  return message('D', Buffer.concat([int16(fields.length), ...fields]));
}
