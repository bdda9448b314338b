import { setTimeout as sleep } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';

import { MINUTE, SECOND } from './clock.js';

export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  readonly url: string;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Addresses of pages of this server, and e-mails with them. */
export interface Mailer {
  /** False if the server has no `SMTP_URL`: `send` does nothing. */
  readonly isOn: boolean;
  /** Address of the server for browsers, without a slash at the end; empty if it is not set. */
  readonly publicUrl: string;
  /** Returns at once. What could not be sent after three attempts is reported. */
  readonly send: (mail: Mail) => void;
}

const ATTEMPTS_AFTER_MS = [0, 10 * SECOND, MINUTE];
const TIMEOUT_MS = 15 * SECOND;
/** E-mails that wait or are being sent; beyond them, one is dropped and reported. */
const MAX_WAITING = 1_000;

export interface MailerOptions {
  readonly settings: MailSettings | null;
  readonly publicUrl: string;
  readonly onError: (error: unknown) => void;
}

export function createMailer({ settings, publicUrl, onError }: MailerOptions): Mailer {
  if (settings === null) return { isOn: false, publicUrl, send: () => undefined };
  const { url, from } = settings;
  let waiting = 0;
  let transport: Promise<Transporter> | undefined;
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    // Texts of users must not name files or addresses that the server would read.
    return createTransport({ url, ...limits, disableFileAccess: true, disableUrlAccess: true });
  };
  const deliver = async (mail: Mail): Promise<void> => {
    let failure: unknown;
    for (const pause of ATTEMPTS_AFTER_MS) {
      await sleep(pause, undefined, { ref: false });
      try {
        await (await (transport ??= open())).sendMail({ from, ...mail });
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw new Error('An e-mail could not be sent.', { cause: failure });
  };
  return {
    isOn: true,
    publicUrl,
    send: (mail) => {
      if (waiting >= MAX_WAITING) {
        onError(new Error('An e-mail was dropped, because too many wait for the server of SMTP_URL.'));
        return;
      }
      waiting += 1;
      void deliver(mail)
        .catch(onError)
        .finally(() => (waiting -= 1));
    },
  };
}
