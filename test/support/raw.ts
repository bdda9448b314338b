import { connect } from 'node:net';

export interface RawAnswers {
  readonly text: string;
  readonly statuses: readonly number[];
}

/** Sends bytes as they are on one connection, and gathers what comes until the server closes it. */
export async function sendRaw(url: string, ...parts: readonly string[]): Promise<RawAnswers> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part, 'latin1');
    });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      resolve({ text, statuses: statuses.filter((status) => status !== 100) });
    });
  });
}

/** The parts of one answer: header names in lower case, and the body as JSON. */
export function parseAnswer(text: string): { headers: Map<string, string>; body: unknown } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: JSON.parse(body) };
}
