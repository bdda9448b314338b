import type { ReadWork, WriteWork } from '../../../database/work.js';
import { folded } from '../../../platform/card-data/text-search.js';
import { isTurnOver, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { Semaphore } from '../../../platform/concurrency/semaphore.js';
import { unpacked } from '../../../platform/encoding/archive.js';
import { busy, DomainError, notFound } from '../../../platform/errors.js';
import { getDevice } from '../../fleet/device/device.service.js';
import * as model from './device-log.model.js';
import * as store from './device-log.repository.js';
import * as rules from './device-log.rules.js';

export { deviceLogs, logRetention, logsOfDevice } from './device-log.repository.js';

/** Text of a part without card data, in chunks. */
interface CleanPart {
  readonly chunks: readonly string[];
  readonly scrubs: number;
}

/** Places for reading the bytes of parts: a company has one at a time, and each waiting part is up to 1 MiB in memory. */
const places = new Semaphore<number>({
  places: 2,
  placesOfKey: 1,
  maxWaiting: 64,
  maxWaitingOfKey: 16,
  maxWaitMs: 30_000,
  busy: () => busy('Too many logs at the same time; try again in 10 seconds.', 10),
});

/** The text in the bytes of a part, without card data. Errors: `malformed`, `busy`, `UnpackedTooLarge`. */
export async function cleanPart(companyId: number, sent: Buffer): Promise<CleanPart> {
  return await places.run(companyId, async () => {
    const text = rules.textOfBytes(await unpacked(sent, model.MAX_TEXT_BYTES));
    if (text === '') throw new DomainError('malformed', 'The log is empty: send its text as the body.');
    const chunks: string[] = [];
    let scrubs = 0;
    for (const piece of rules.piecesOf(text)) {
      const clean = rules.harmless(piece);
      const across = rules.harmlessAcross(chunks.at(-1) ?? '', clean.value);
      if (across !== null) chunks.splice(-1, 1, across.before);
      chunks.push(across?.after ?? clean.value);
      scrubs += clean.scrubs + (across?.scrubs ?? 0);
      if (isTurnOver()) await yieldToEventLoop();
    }
    return { chunks, scrubs };
  });
}

/**
 * Stores a part of a log, in place of the same part if it was sent before, and deletes the oldest logs of the device that
 * are too many. Resolves to the id of the log. Errors: `malformed`, `storage_full`.
 */
export async function storePart(
  work: WriteWork,
  device: { readonly id: number },
  part: model.LogPart,
  { chunks, scrubs }: CleanPart,
): Promise<number> {
  work.requireRoom();
  const log = await store.findOrCreateLog(work, device.id, part, part.at ?? work.now);
  const joined = await joinParts(work, log.id, part.part, chunks);
  await store.replacePart(work, log.id, part.part, joined.chunks.map(rules.packed));
  const { size, receivedParts } = await store.updateSums(work, log.id);
  if (size > model.MAX_BYTES_OF_DEVICE) {
    throw new DomainError('malformed', `The log would have more than ${model.MAX_BYTES_OF_DEVICE} bytes.`);
  }
  await deleteOldest(work, log, size);
  const hidden = scrubs + joined.scrubs;
  if (hidden > 0) work.count('cardDataScrubs', hidden);
  // Subscriptions to devices follow the ledger, which has one entry for all parts.
  if (log.receivedParts < receivedParts && receivedParts === part.parts) {
    work.ledger.append({ action: 'send_log', entityType: 'device', entityId: device.id });
    for (const follow of logFollowers) await follow(work, device, part.command ?? null);
  }
  return log.id;
}

/** Called when all parts of a log are stored, with the id of the command that asked for it: wings above follow it. */
export const logFollowers: ((
  work: WriteWork,
  device: { readonly id: number },
  commandId: number | null,
) => Promise<void>)[] = [];

/** Hides card data in lines that are cut between a part and those beside it, which are stored again. */
async function joinParts(
  work: WriteWork,
  logId: number,
  part: number,
  given: readonly string[],
): Promise<CleanPart> {
  const chunks = [...given];
  let scrubs = 0;
  const neighbours = await store.selectNeighbours(work, logId, part);
  for (const side of ['before', 'after'] as const) {
    const stored = neighbours[side];
    if (stored === undefined) continue;
    const text = rules.unpackedText(stored.bytes);
    const own = side === 'before' ? 0 : chunks.length - 1;
    const chunk = chunks[own] ?? '';
    const across = side === 'before' ? rules.harmlessAcross(text, chunk) : rules.harmlessAcross(chunk, text);
    if (across === null) continue;
    await store.replaceText(work, stored.id, rules.packed(across[side]));
    chunks[own] = side === 'before' ? across.after : across.before;
    scrubs += across.scrubs;
  }
  return { chunks, scrubs };
}

async function deleteOldest(work: WriteWork, log: model.DeviceLog, size: number): Promise<void> {
  let [bytes, count] = [size, 1];
  const old: number[] = [];
  for (const other of await store.selectSizes(work, log)) {
    bytes += other.size;
    count += 1;
    if (bytes > model.MAX_BYTES_OF_DEVICE || count > model.MAX_LOGS_OF_DEVICE) old.push(other.id);
  }
  await store.deleteLogs(work, old);
}

/** Chunks that a request looks at, of all its logs together: up to 2 MiB of text. */
const MAX_CHUNKS = 64;

interface Span extends store.ChunkHead {
  /** Number of the line before its first one. */
  readonly start: number;
}

/** Lines of logs, by log id. Two statements. */
export async function readLines(work: ReadWork, logIds: readonly number[], request: model.LineRequest) {
  const most = Math.ceil(MAX_CHUNKS / logIds.length);
  const heads = Map.groupBy(await store.selectHeads(work, logIds), ({ logId }) => logId);
  const spans = new Map(Array.from(heads, ([id, own]) => [id, spansFor(own, request, most)]));
  const wanted = [...spans.values()].flatMap(({ read }) => read.map(({ id }) => id));
  const bytes = new Map((await store.selectChunks(work, wanted)).map((chunk) => [chunk.id, chunk.bytes]));
  const found = new Map<number, model.LogLines>();
  for (const [id, { read, hasMore }] of spans) {
    found.set(id, await linesIn(read, hasMore, bytes, request));
  }
  return found;
}

/** The chunks that a request reads, and whether there are more after them. */
function spansFor(
  heads: readonly store.ChunkHead[],
  { search, first, after }: model.LineRequest,
  most: number,
) {
  let start = 0;
  const all = heads.map((head): Span => {
    const span = { ...head, start };
    start += head.lineCount;
    return span;
  });
  const later = all.filter((span) => span.start + span.lineCount > after);
  const read = later.filter((span) => search !== '' || span.start < after + first).slice(0, most);
  return { read, hasMore: read.length < later.length };
}

async function linesIn(
  spans: readonly Span[],
  hasMore: boolean,
  bytes: ReadonlyMap<number, Uint8Array>,
  { search, first, after }: model.LineRequest,
): Promise<model.LogLines> {
  const wanted = folded(search);
  const nodes: { number: number; text: string }[] = [];
  let endLine = after;
  for (const { id, start } of spans) {
    const text = rules.unpackedText(bytes.get(id) ?? new Uint8Array());
    if (isTurnOver()) await yieldToEventLoop();
    for (const [index, line] of rules.linesOf(text).entries()) {
      const number = start + index + 1;
      if (number <= after) continue;
      if (nodes.length === first) return { nodes, endLine, hasNextPage: true };
      endLine = number;
      if (rules.hasText(line, wanted)) nodes.push({ number, text: rules.shownLine(line) });
    }
  }
  return { nodes, endLine, hasNextPage: hasMore };
}

/** Name of a file with a log, for example `SN-1 main.log`. Errors: `not_found`. */
export async function logFileName(work: ReadWork, id: number): Promise<string> {
  const log = (await store.deviceLogs.byIds(work, [id])).get(id);
  if (log === undefined) throw notFound('log');
  const { serialNumber } = await getDevice(work, log.deviceId);
  return `${serialNumber} ${log.name}`;
}

/** The text of a log from its chunk with a number on, and the number of the next one; null at the end. */
export async function readText(work: ReadWork, id: number, after: number) {
  const head = (await store.selectHeads(work, [id]))[after];
  const [chunk] = head === undefined ? [] : await store.selectChunks(work, [head.id]);
  return chunk === undefined ? null : { lines: [rules.unpackedText(chunk.bytes)], last: after + 1 };
}
