import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { createMailer } from '../../src/platform/mail.js';
import { useServerWithMail } from '../support/mailbox.js';

const LETTER = { to: 'ana@people.example', subject: 'Olá', text: 'Text' };
const { mailbox } = useServerWithMail();

const mailerAt = (url: string) =>
  createMailer({
    settings: { url, from: 'gateway@gateway.example' },
    publicUrl: 'https://gateway.example',
    onError: () => undefined,
    deadlineMs: 300,
  });

/** A mail server whose greeting never ends. */
async function endlessServer(): Promise<string> {
  const server = createServer((socket) => {
    const timer = setInterval(() => socket.write('220-wait\r\n'), 20);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

it('an e-mail is delivered once the mail server has accepted it', async () => {
  await mailerAt(mailbox.url).deliver(LETTER);
  expect(mailbox.letters.map(({ to }) => to)).toContain(LETTER.to);
});

it.each([
  ['does not end its answer', endlessServer, 'It cannot be reached, or does not answer.'],
  ['cannot be reached', () => 'smtp://127.0.0.1:1', 'It cannot be reached, or does not answer.'],
  [
    'refuses the address',
    () => {
      mailbox.refused.add(LETTER.to);
      return mailbox.url;
    },
    'It said: 550 no such mailbox.',
  ],
])('an e-mail is not delivered by a mail server that %s', async (_how, urlOf, reason) => {
  await expect(mailerAt(await urlOf()).deliver(LETTER)).rejects.toThrow(
    `The mail server has not taken the e-mail. ${reason}`,
  );
});

it('a server without a mail server delivers nothing', async () => {
  const mailer = createMailer({ settings: null, publicUrl: '', onError: () => undefined });
  await expect(mailer.deliver(LETTER)).rejects.toThrow('sends no e-mail');
});
