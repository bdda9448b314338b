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
  /** False if the server has no `SMTP_URL`: `send` does nothing, `deliver` rejects. */
  readonly isOn: boolean;
  /** Address of the server for browsers, without a slash at the end; empty if it is not set. */
  readonly publicUrl: string;
  /** Returns at once. What could not be sent after three attempts is reported. */
  readonly send: (mail: Mail) => void;
  /** Tries once. Resolves when the mail server has accepted the e-mail, and rejects if it has not within 20 seconds. */
  readonly deliver: (mail: Mail) => Promise<void>;
}

const ATTEMPTS_AFTER_MS = [0, 10 * SECOND, MINUTE];
const TIMEOUT_MS = 15 * SECOND;
/** Mail servers that answer, but never to the end, pass every other limit. */
const DEADLINE_MS = 20 * SECOND;
/** E-mails that wait or are being sent; beyond them, one is dropped and reported. */
const MAX_WAITING = 1_000;

export interface MailerOptions {
  readonly settings: MailSettings | null;
  readonly publicUrl: string;
  readonly onError: (error: unknown) => void;
  readonly deadlineMs?: number;
}

/** Sends an e-mail by the mail server. Rejects unless that has accepted it before the deadline. */
function delivererOf({ url, from }: MailSettings, deadlineMs: number): Mailer['deliver'] {
  let transport: Promise<Transporter> | undefined;
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    // Texts of users must not name files or addresses that the server would read.
    return createTransport({ url, ...limits, disableFileAccess: true, disableUrlAccess: true });
  };
  return async (mail) => {
    const ended = new AbortController();
    const isLate = sleep(deadlineMs, true, { ref: false, signal: ended.signal }).catch(() => false);
    try {
      const sent = (await (transport ??= open())).sendMail({ from, ...mail }).then(() => false);
      if (await Promise.race([sent, isLate])) throw new Error('The deadline has passed.');
    } catch (error) {
      const { response } = error as { readonly response?: string };
      const reason = response === undefined ? 'cannot be reached, or does not answer' : `said: ${response}`;
      throw new Error(`The mail server has not taken the e-mail. It ${reason}.`, { cause: error });
    } finally {
      ended.abort();
    }
  };
}

export function createMailer(options: MailerOptions): Mailer {
  const { settings, publicUrl, onError, deadlineMs = DEADLINE_MS } = options;
  if (settings === null) {
    const deliver = (): Promise<void> => Promise.reject(new Error('This server sends no e-mail any more.'));
    return { isOn: false, publicUrl, send: () => undefined, deliver };
  }
  const deliver = delivererOf(settings, deadlineMs);
  let waiting = 0;
  const deliverLater = async (mail: Mail): Promise<void> => {
    let failure: unknown;
    for (const pause of ATTEMPTS_AFTER_MS) {
      await sleep(pause, undefined, { ref: false });
      try {
        await deliver(mail);
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
    deliver,
    send: (mail) => {
      if (waiting >= MAX_WAITING) {
        onError(new Error('An e-mail was dropped, because too many wait for the server of SMTP_URL.'));
        return;
      }
      waiting += 1;
      void deliverLater(mail)
        .catch(onError)
        .finally(() => (waiting -= 1));
    },
  };
}
