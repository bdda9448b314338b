import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

import type { Config } from '../../src/platform/config/config.js';
import { createMailer } from '../../src/platform/mail.js';
import { startServer, type TestServer } from './server.js';
import { waitFor } from './wait-for.js';

/** Mailer of a server that sends no e-mail. */
export const NO_MAIL = createMailer({ settings: null, publicUrl: '', onError: () => undefined });

export interface Letter {
  readonly to: string;
  readonly text: string;
}

type Mailbox = Awaited<ReturnType<typeof openMailbox>>;

/** Like `useServer`, a server that sends its e-mails to a mailbox. */
export function useServerWithMail(settings: Partial<Config> = {}): {
  readonly server: TestServer;
  readonly mailbox: Mailbox;
} {
  const [server, mailbox] = [{} as TestServer, {} as Mailbox];
  beforeAll(async () => {
    Object.assign(mailbox, await openMailbox());
    const mail = { url: mailbox.url, from: 'gateway@gateway.example' };
    Object.assign(server, await startServer({ mail, ...settings }));
  });
  afterAll(async () => {
    await server.stop();
    await mailbox.close();
  });
  return { server, mailbox };
}

/** A server of SMTP that keeps what it gets. */
async function openMailbox() {
  const letters: Letter[] = [];
  const refused = new Set<string>();
  const server = createServer((socket) => talk(socket));
  const talk = (socket: Socket): void => {
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    let [to, data, buffer]: [string, string | null, string] = ['', null, ''];
    socket.on('error', () => undefined);
    say('220 mailbox');
    socket.on('data', (bytes) => {
      buffer += bytes.toString('utf8');
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (data !== null && line !== '.') data += `${line}\n`;
        else if (data !== null) {
          letters.push({ to, text: decoded(data) });
          data = null;
          say('250 kept');
        } else if (/^RCPT TO/i.test(line)) {
          to = /<(.*)>/.exec(line)?.[1] ?? '';
          say(refused.has(to) ? '550 no such mailbox' : '250 ok');
        } else if (/^DATA/i.test(line)) {
          data = '';
          say('354 go on');
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else say('250 ok');
      }
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters,
    /** Addresses that get nothing. */
    refused,
    close: () => new Promise((resolve) => server.close(resolve)),
    /** The letters to an address, once there are as many. */
    to: async (email: string, count = 1): Promise<readonly Letter[]> => {
      const own = (): readonly Letter[] => letters.filter((each) => each.to === email);
      return await waitFor(() => {
        if (own().length < count) throw new Error(`${email} has ${own().length} letters`);
        return own();
      });
    },
  };
}

/** The text of an e-mail whose lines are quoted-printable. */
const decoded = (data: string): string =>
  data
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** The code in an address of a letter or a payload. */
export const codeIn = (text: string): string => /#[a-z-]+=([0-9a-f]+)/.exec(text)?.[1] ?? '';
