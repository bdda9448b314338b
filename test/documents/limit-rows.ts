import { MAX_ALERT_RULES } from '../../src/domain/base/alert/alert.model.js';
import { WAITING_LIMITS } from '../../src/domain/messages/notification/notification.terminal.js';
import { MAX_WAITING } from '../../src/domain/messages/notification/waiting.service.js';
import { TRANSACTION_LIMITS } from '../../src/domain/payments/transaction/recording/transaction.terminal.js';
import { EXPORTS_OF_COMPANY } from '../../src/graphql/limits/limits.js';
import { LIVE_LIMITS } from '../../src/graphql/live/limits.js';
import { MAX_BODY_BYTES, MAX_OPEN_BODY_BYTES } from '../../src/http/body/body.js';
import { MAX_TEXT_FILE_BYTES } from '../../src/http/body/uploads.js';
import { MAX_AHEAD, REQUEST_LIMITS, TERMINAL_LIMITS } from '../../src/http/server/admission.js';
import { CONNECTION_LIMITS, IDLE_RULE } from '../../src/http/server/connections.js';
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES, TIMEOUTS } from '../../src/http/server/listen.js';
import { waitingLimits } from '../../src/platform/client-limits.js';
import { SECOND } from '../../src/platform/clock.js';
import { MAX_DELETED_BYTES, MAX_DELETED_TOGETHER } from '../../src/platform/errors.js';
import { MAX_PER_PAGE, MAX_ROWS } from '../../src/platform/requests.js';
import { MAX_LINE_BYTES, STREAMS_OF_COMPANY } from '../../src/rest/lines.js';
import type { Row } from './markdown.js';

/** Behaviour beyond a limit. */
const [LIMITED, BUSY] = ['429 `rate_limited`', '503 `busy`'] as const;
const [TOO_LARGE, TOO_MANY] = ['413 `too_large`', '409 `too_many_records`'] as const;
const CLOSED = 'the connection is closed';

/** For example `12,000`. */
export const whole = (value: number): string => value.toLocaleString('en-US');

const KIB = 1024;

/** For example `64 KiB`. */
export function bytes(value: number): string {
  return value < KIB * KIB ? `${whole(value / KIB)} KiB` : `${whole(value / KIB / KIB)} MiB`;
}

const seconds = (ms: number): string => `${whole(ms / SECOND)} seconds`;

/** Rows about limits that a client can reach: subject, limit, and behaviour beyond it. */
export function limitRows(): readonly Row[] {
  return [...connectionRows(), ...requestRows(), ...terminalRows(), ...liveRows()];
}

function connectionRows(): readonly Row[] {
  const waiting = waitingLimits(Number.MAX_SAFE_INTEGER);
  const { total, ofNetwork } = CONNECTION_LIMITS;
  return [
    ['TCP connections', whole(total), 'closed when accepted'],
    [
      'TCP connections of one network, unless it is a trusted proxy or they are of terminals that wait',
      whole(ofNetwork),
      'closed when accepted',
    ],
    ['Time for the headers of a request', seconds(TIMEOUTS.headersMs), CLOSED],
    ['Headers of a request', bytes(MAX_HEADER_BYTES), '431 `headers_too_large`'],
    ['Idle time between two requests of a connection', seconds(KEEP_ALIVE_MS), CLOSED],
    [
      'Time without a byte in either direction; for sockets without a pong',
      seconds(IDLE_RULE.idleMs),
      CLOSED,
    ],
    [
      `Time in which a client must take ${bytes(IDLE_RULE.leastBytes)} of what waits for it, or all`,
      seconds(IDLE_RULE.idleMs),
      'the connection is cut',
    ],
    [
      "Bytes of responses that clients have not taken yet; at most half of Node's heap",
      bytes(waiting.all),
      '503 `busy` for a read with a response above 64 KiB; a socket is closed with code 1013',
    ],
    ['Such bytes of one company, before the response', bytes(waiting.ofCompany), 'the same'],
  ];
}

function requestRows(): readonly Row[] {
  const { ofNetwork, ofCompany } = REQUEST_LIMITS;
  return [
    ['Requests in progress of one network', whole(ofNetwork), LIMITED],
    ['Requests in progress of one company', whole(ofCompany), BUSY],
    [
      'Requests that wait on a connection for an earlier response; they are handled in order',
      whole(MAX_AHEAD),
      '429 `rate_limited`, then the connection is closed',
    ],
    ['Body without a file or bytecode', bytes(MAX_BODY_BYTES), TOO_LARGE],
    ['Body of a request without a token (sign-in)', bytes(MAX_OPEN_BODY_BYTES), TOO_LARGE],
    ['File or bytecode in multipart/form-data', '`MAX_FILE_BYTES`', TOO_LARGE],
    ['Bytecode as base64 text in JSON or a form of `/v1`', bytes(MAX_TEXT_FILE_BYTES), TOO_LARGE],
    ['Records of a page', whole(MAX_PER_PAGE), 'REST: the page has 100; GraphQL: `BAD_USER_INPUT`'],
    ['Rows of a GraphQL mutation in bulk', whole(MAX_ROWS), '`INVALID`'],
    [
      'Parameters and metacontents that are deleted with their owner',
      `${whole(MAX_DELETED_TOGETHER)} and ${bytes(MAX_DELETED_BYTES)}`,
      TOO_MANY,
    ],
    ['Deliveries that are deleted with their logical number', whole(MAX_DELETED_TOGETHER), TOO_MANY],
    [
      'Links of logical numbers with app versions that one change deletes',
      whole(MAX_DELETED_TOGETHER),
      TOO_MANY,
    ],
    ['Alert rules of one company', whole(MAX_ALERT_RULES), '`INVALID`'],
    ['Exports of one company', whole(EXPORTS_OF_COMPANY), LIMITED],
    ['Streams to `/ingest` of one company', whole(STREAMS_OF_COMPANY), BUSY],
    ['Line of a stream to `/ingest`', bytes(MAX_LINE_BYTES), 'the row is rejected'],
  ];
}

function terminalRows(): readonly Row[] {
  const { requestsPerMinute, requestsInProgress } = TERMINAL_LIMITS;
  const { ofTerminal, ofCompany } = WAITING_LIMITS;
  const { rows, bytes: ofRows } = TRANSACTION_LIMITS;
  return [
    ['Requests of one terminal a minute', whole(requestsPerMinute), LIMITED],
    ['Requests of one terminal in progress', whole(requestsInProgress), LIMITED],
    [
      'Requests of terminals of one network whose token is not verified yet',
      whole(REQUEST_LIMITS.ofNetworkByTerminals),
      LIMITED,
    ],
    ['Transactions in a request of a terminal', `${whole(rows)} and ${bytes(ofRows)}`, TOO_LARGE],
    ['Requests and streams of one terminal that wait for notifications', whole(ofTerminal), LIMITED],
    ['Such requests of one company', whole(ofCompany), BUSY],
    ['Such requests of one server', whole(MAX_WAITING), BUSY],
  ];
}

function liveRows(): readonly Row[] {
  const { total, perCompany, perNetwork, perToken, operations, executed } = LIVE_LIMITS;
  const refused = '429 or 503; a socket with a valid handshake 1013';
  return [
    ['Sockets and event streams', whole(total), refused],
    ['Sockets and event streams of one company', whole(perCompany), refused],
    ['Sockets and event streams of one network', whole(perNetwork), refused],
    ['Sockets and event streams of one token', whole(perToken), refused],
    ['Operations of a socket at a time', whole(operations), '`TOO_MANY_OPERATIONS`'],
    [
      'Operations of a socket that are executed, or with an unsent response',
      whole(executed),
      'the others wait',
    ],
    ['Message to a socket', bytes(LIVE_LIMITS.messageBytes), 'the socket is closed'],
    ['Bytes that wait for a socket', bytes(LIVE_LIMITS.bufferedBytes), 'its next operations wait'],
  ];
}
