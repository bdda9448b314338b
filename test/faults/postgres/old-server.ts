import { createServer, type AddressInfo, type Server } from 'node:net';

/** Answers every statement like a PostgreSQL of this version, for example 140011. Resolves to its URL. */
export async function oldServer(version: number, name: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!isStarted) socket.write(Buffer.concat([message('R', int(0, 4)), READY]));
      else if (bytes.toString('latin1', 0, 1) === 'Q') socket.write(answer(String(version), name));
      isStarted = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://gateway:none@127.0.0.1:${port}/gateway`, server };
}

function int(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int(body.length + 4, 4), body]);
}

const READY = message('Z', Buffer.from('I'));
const TEXT_TYPE = 25;

function answer(...values: readonly [number: string, name: string]): Buffer {
  const columns = ['number', 'name'].flatMap((name) => [
    text(name),
    int(0, 4),
    int(0, 2),
    int(TEXT_TYPE, 4),
    int(-1, 2),
    int(-1, 4),
    int(0, 2),
  ]);
  const cells = values.flatMap((value) => [int(Buffer.byteLength(value), 4), Buffer.from(value)]);
  const [description, row] = [message('T', int(2, 2), ...columns), message('D', int(2, 2), ...cells)];
  return Buffer.concat([description, row, message('C', text('SELECT 1')), READY]);
}
