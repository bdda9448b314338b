import type { CombinedError } from 'urql';

import { tagOf, texts, type Language } from '../text';
import { connection } from './client';
import type { UserError } from './rules';

/** Message on a request that failed as a whole. */
export interface Failure {
  readonly message: string;
  /** Names the request in the log of the server. */
  readonly requestId?: string | undefined;
}

const messages = texts({
  offline: [
    'The server does not answer. Trying again by itself.',
    'O servidor não responde. Tentando de novo automaticamente.',
  ],
  notSaved: [
    'Nothing was saved: there is no connection. What you entered is kept. Try again when the connection is back.',
    'Nada foi salvo: não há conexão. O que você digitou foi mantido. Tente de novo quando a conexão voltar.',
  ],
  unanswered: [
    'The server did not answer, so this was probably not saved. What you entered is kept. Check, and try again.',
    'O servidor não respondeu: provavelmente nada foi salvo. O que você digitou foi mantido. Confira e tente de novo.',
  ],
  forbidden: ['Your role does not allow this.', 'Seu perfil não permite isto.'],
  limited: [
    (when: string) => `Too many requests in this hour. The console goes on by itself ${when}.`,
    (when: string) => `Solicitações demais nesta hora. O console continua automaticamente ${when}.`,
  ],
  limitedOnce: [
    (when: string) => `Too many requests in this hour: this was not done. Try again ${when}.`,
    (when: string) => `Solicitações demais nesta hora: isto não foi feito. Tente de novo ${when}.`,
  ],
  busy: [
    'The server is busy. Try again in a moment.',
    'O servidor está ocupado. Tente de novo em instantes.',
  ],
  failed: [
    (message: string) => `The server could not do this: ${message}`,
    (message: string) => `O servidor não conseguiu fazer isto: ${message}`,
  ],
});

/** The words for a failed request in the person's language; `isRepeated` if the page sends it again by itself. */
export function failureOf(error: CombinedError, language: Language, isRepeated = false): Failure {
  const text = messages[language];
  const [first] = error.graphQLErrors;
  const unanswered = navigator.onLine ? text.unanswered : text.notSaved;
  const offline = isRepeated ? text.offline : unanswered;
  if (!first) return { message: error.networkError ? offline : text.failed(error.message) };
  const { code, requestId } = first.extensions as { code?: string; requestId?: string };
  if (code === 'FORBIDDEN') return { message: text.forbidden, requestId };
  if (code === 'RATE_LIMITED') {
    const limited = isRepeated ? text.limited : text.limitedOnce;
    return { message: limited(whenAllowed(language)), requestId };
  }
  if (code === 'OVERLOADED') return { message: text.busy, requestId };
  return { message: text.failed(first.message), requestId };
}

const INT = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const SAFE_INT = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const NOT_A_NUMBER =
  /^Variable "\$(\w+)" got invalid value .*?(?: at "([^"]+)")?; (Int|SafeInt) cannot represent (non-integer)?/s;

/** The error of a number that the API cannot read, at its field or in the filter of a list; undefined for other failures. */
export function numberErrorOf({ graphQLErrors }: CombinedError): UserError | undefined {
  const [, name, at = name, type, isFraction] = NOT_A_NUMBER.exec(graphQLErrors[0]?.message ?? '') ?? [];
  if (at === undefined) return undefined;
  const path = at.split(/[.[\]]+/).filter((part) => part !== '');
  if (path[0] === 'filter') {
    // The last name is that of the comparator.
    const field = path.filter((part) => !/^\d+$/.test(part)).slice(-2, -1);
    return { code: 'INVALID', rule: 'filter_number', message: 'is out of range', path: field };
  }
  if (isFraction !== undefined) return { code: 'INVALID', message: 'must be a whole number', path };
  const params = type === 'Int' ? INT : SAFE_INT;
  return { code: 'INVALID', rule: 'number_range', message: 'is out of range', params, path };
}

/** "in 12 minutes" */
function whenAllowed(language: Language): string {
  const minutes = Math.max(1, Math.ceil((connection.limitedUntil - Date.now()) / 60_000));
  return new Intl.RelativeTimeFormat(tagOf(language)).format(minutes, 'minute');
}
