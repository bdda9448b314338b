import type { Request, Response } from 'express';

import type { ReadWork, Units } from '../database/work.js';
import { sendBuffers } from '../http/pieces.js';
import { JSON_TYPE } from '../http/send.js';
import type { Caller } from '../platform/caller.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { Semaphore } from '../platform/concurrency/semaphore.js';
import { PIECE_BYTES } from '../platform/encoding/long-text.js';
import type { HeldBytes, WaitingBytes } from '../platform/limits/waiting-bytes.js';
import { renderResponse, type RenderedResponse } from './response.js';
import type { RouteResponse } from './route.js';

/** JSON text of a list whose records can be large. */
export interface RenderedList {
  readonly status: number;
  readonly buffers: Buffer[];
  /** Counts the bytes of the pieces until they are sent. */
  readonly held: HeldBytes;
}

interface ListOptions {
  readonly units: Pick<Units, 'read'>;
  readonly waiting: WaitingBytes;
  readonly largeReads: Semaphore;
  /** Counts the bytes of rendered responses. */
  readonly held: HeldBytes;
}

/**
 * Reads and renders a list of large records. Refuses it if the unread responses of the company leave no room;
 * without reading, if the same list was requested before. Errors: `busy` and `malformed` of `HeldBytes`.
 */
export async function performList(
  read: (work: ReadWork) => Promise<RouteResponse>,
  caller: Caller,
  asked: () => string,
  { units, waiting, largeReads, held }: ListOptions,
): Promise<RenderedList | RenderedResponse> {
  const { companyId } = caller;
  waiting.demandRoom(companyId, asked);
  let release = (): void => undefined;
  try {
    const readOnce = async (work: ReadWork): Promise<RouteResponse> => {
      // Acquired inside the unit of work, as in GraphQL: a permitted read never waits for a database
      // connection.
      release();
      release = await largeReads.acquire();
      waiting.demandRoom(companyId, asked);
      try {
        return await read(work);
      } catch (error) {
        // The unit may be retried on a reader thread. Without this release, it would wait for a unit that
        // waits for its permit.
        release();
        throw error;
      }
    };
    const list = await units.read(caller, readOnce, { examines: 'when_needed' });
    try {
      return isShort(list.body) ? renderResponse(list) : await renderList(list, held);
    } finally {
      waiting.expect(companyId, asked, held.bytes);
    }
  } finally {
    release();
  }
}

/** Whether the rendered body surely fits into one piece (`PIECE_BYTES`). */
function isShort(body: object): boolean {
  return roomAfter(body, PIECE_BYTES) > 0;
}

/** Bytes left of `room` after the texts in `value`, counting 16 more for each value. Stops below 0. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - 16 - value.length;
  let left = room - 16;
  if (typeof value !== 'object' || value === null) return left;
  for (const part of Object.values(value)) if (left > 0) left = roomAfter(part, left);
  return left;
}

/**
 * Renders record by record, so that the whole text is never in the heap and other requests are served in
 * between. Errors: `busy` and `malformed` of `HeldBytes`.
 */
async function renderList({ status, body }: RouteResponse, held: HeldBytes): Promise<RenderedList> {
  const buffers: Buffer[] = [];
  let text = '';
  for (const part of jsonParts(body)) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    held.add(append(buffers, text));
    text = '';
    await yieldToEventLoop();
  }
  held.add(append(buffers, text));
  return { status, buffers, held };
}

function append(buffers: Buffer[], text: string): number {
  const buffer = Buffer.from(text);
  buffers.push(buffer);
  return buffer.length;
}

/** JSON text of an object in pieces: one for each element of its arrays. Empties the arrays. */
function* jsonParts(body: object): Generator<string> {
  let mark = '{';
  for (const [name, value] of Object.entries(body)) {
    yield `${mark}${JSON.stringify(name)}:`;
    mark = ',';
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    const elements = value as unknown[];
    yield elements.length === 0 ? '[' : `[${JSON.stringify(elements.shift())}`;
    // Removing the record lets it be freed as soon as its text exists.
    while (elements.length > 0) yield `,${JSON.stringify(elements.shift())}`;
    yield ']';
  }
  yield '}';
}

/** Sends the list. A HEAD request gets the same headers and no body. */
export async function sendList(request: Request, response: Response, list: RenderedList): Promise<void> {
  const { status, buffers, held } = list;
  response.status(status).setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', held.bytes);
  await sendBuffers(response, request.method === 'HEAD' ? [] : buffers, held);
}
