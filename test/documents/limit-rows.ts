import { WAITING_LIMITS } from '../../src/domain/messages/notification/notification.terminal.js';
import { MAX_WAITING } from '../../src/domain/messages/notification/waiting.service.js';
import { TRANSACTION_LIMITS } from '../../src/domain/payments/transaction/recording/transaction.terminal.js';
import { LIVE_LIMITS } from '../../src/graphql/live/limits.js';
import { MAX_BODY_BYTES, MAX_OPEN_BODY_BYTES } from '../../src/http/body/body.js';
import { MAX_AHEAD, REQUEST_LIMITS } from '../../src/http/server/admission.js';
import { CONNECTION_LIMITS, IDLE_RULE } from '../../src/http/server/connections.js';
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES, TIMEOUTS } from '../../src/http/server/listen.js';
import { MAX_PER_PAGE, MAX_ROWS } from '../../src/platform/caller.js';
import { waitingLimits } from '../../src/platform/client-limits.js';
import { SECOND } from '../../src/platform/clock.js';
import { MAX_DELETED_BYTES, MAX_DELETED_TOGETHER } from '../../src/platform/errors.js';
import { MAX_LINE_BYTES, STREAMS_OF_COMPANY } from '../../src/rest/lines.js';
import { TERMINAL_LIMITS } from '../../src/terminal/router.js';
import type { Row } from './markdown.js';

/** For example `12,000`. */
export const wholeNumber = (value: number): string => value.toLocaleString('en-US');

const KIB = 1024;

/** For example `64 KiB`. */
export function bytes(value: number): string {
  return value < KIB * KIB ? `${wholeNumber(value / KIB)} KiB` : `${wholeNumber(value / KIB / KIB)} MiB`;
}

const seconds = (ms: number): string => `${wholeNumber(ms / SECOND)} seconds`;

/** Rows about limits that a client can reach: subject, limit, and behaviour beyond it. */
export function limitRows(): readonly Row[] {
  return [...connectionRows(), ...requestRows(), ...terminalRows(), ...liveRows()];
}

function connectionRows(): readonly Row[] {
  const waiting = waitingLimits(Number.MAX_SAFE_INTEGER);
  const { total, ofNetwork } = CONNECTION_LIMITS;
  return [
    ['TCP connections', wholeNumber(total), 'closed when accepted'],
    [
      'TCP connections of one network, unless it is a trusted proxy or they are of terminals that wait',
      wholeNumber(ofNetwork),
      'closed when accepted',
    ],
    ['Time for the headers of a request', seconds(TIMEOUTS.headersMs), 'the connection is closed'],
    ['Headers of a request', bytes(MAX_HEADER_BYTES), '431 `headers_too_large`'],
    ['Idle time between two requests of a connection', seconds(KEEP_ALIVE_MS), 'the connection is closed'],
    [
      'Time without a byte in either direction; for sockets without a pong',
      seconds(IDLE_RULE.idleMs),
      'the connection is closed',
    ],
    [
      `Time in which a client must take ${bytes(IDLE_RULE.leastBytes)} of what waits for it, or all`,
      seconds(IDLE_RULE.idleMs),
      'the connection is cut',
    ],
    [
      "Bytes of responses that clients have not taken yet; at most half of Node's heap",
      bytes(waiting.all),
      '503 `busy`; a socket gets `UNAVAILABLE` or code 1013',
    ],
    ['Such bytes of one company', bytes(waiting.ofCompany), 'the same'],
  ];
}

function requestRows(): readonly Row[] {
  const { ofNetwork, ofCompany } = REQUEST_LIMITS;
  return [
    ['Requests in progress of one network', wholeNumber(ofNetwork), '429 `rate_limited`'],
    ['Requests in progress of one company', wholeNumber(ofCompany), '503 `busy`'],
    [
      'Requests that wait on a connection for an earlier response; they are handled in order',
      wholeNumber(MAX_AHEAD),
      '429 `rate_limited`, then the connection is closed',
    ],
    ['Body without a file or bytecode', bytes(MAX_BODY_BYTES), '413 `too_large`'],
    ['Body of a request without a token (sign-in)', bytes(MAX_OPEN_BODY_BYTES), '413 `too_large`'],
    ['File or bytecode', '`MAX_FILE_BYTES`', '413 `too_large`'],
    ['Records of a page', wholeNumber(MAX_PER_PAGE), 'REST: the page has 100; GraphQL: `BAD_USER_INPUT`'],
    ['Rows of a GraphQL mutation in bulk', wholeNumber(MAX_ROWS), '`INVALID`'],
    [
      'Parameters and metacontents that are deleted with their owner',
      `${wholeNumber(MAX_DELETED_TOGETHER)} and ${bytes(MAX_DELETED_BYTES)}`,
      '409 `too_many_records`',
    ],
    [
      'Deliveries that are deleted with their logical number',
      wholeNumber(MAX_DELETED_TOGETHER),
      '409 `too_many_records`',
    ],
    [
      'Links of logical numbers with app versions that one change deletes',
      wholeNumber(MAX_DELETED_TOGETHER),
      '409 `too_many_records`',
    ],
    ['Streams to `/ingest` of one company', wholeNumber(STREAMS_OF_COMPANY), '503 `busy`'],
    ['Line of a stream to `/ingest`', bytes(MAX_LINE_BYTES), 'the row is rejected'],
  ];
}

function terminalRows(): readonly Row[] {
  const { requestsPerMinute, requestsInProgress } = TERMINAL_LIMITS;
  const { ofTerminal, ofCompany } = WAITING_LIMITS;
  const { rows, bytes: ofRows } = TRANSACTION_LIMITS;
  return [
    ['Requests of one terminal a minute', wholeNumber(requestsPerMinute), '429 `rate_limited`'],
    ['Requests of one terminal in progress', wholeNumber(requestsInProgress), '429 `rate_limited`'],
    [
      'Requests of terminals of one network whose token is not verified yet',
      wholeNumber(REQUEST_LIMITS.ofNetworkByTerminals),
      '429 `rate_limited`',
    ],
    [
      'Transactions in a request of a terminal',
      `${wholeNumber(rows)} and ${bytes(ofRows)}`,
      '413 `too_large`',
    ],
    [
      'Requests and streams of one terminal that wait for notifications',
      wholeNumber(ofTerminal),
      '429 `rate_limited`',
    ],
    ['Such requests of one company', wholeNumber(ofCompany), '503 `busy`'],
    ['Such requests of one server', wholeNumber(MAX_WAITING), '503 `busy`'],
  ];
}

function liveRows(): readonly Row[] {
  const { total, perCompany, perNetwork, perToken, operations, executed } = LIVE_LIMITS;
  const refused = '429 or 503; a socket with a valid handshake 1013';
  return [
    ['Sockets and event streams', wholeNumber(total), refused],
    ['Sockets and event streams of one company', wholeNumber(perCompany), refused],
    ['Sockets and event streams of one network', wholeNumber(perNetwork), refused],
    ['Sockets and event streams of one token', wholeNumber(perToken), refused],
    ['Operations of a socket at a time', wholeNumber(operations), '`TOO_MANY_OPERATIONS`'],
    [
      'Operations of a socket that are executed, or with an unsent response',
      wholeNumber(executed),
      'the others wait',
    ],
    ['Message to a socket', bytes(LIVE_LIMITS.messageBytes), 'the socket is closed'],
    ['Bytes that wait for a socket', bytes(LIVE_LIMITS.bufferedBytes), 'its next operations wait'],
  ];
}
