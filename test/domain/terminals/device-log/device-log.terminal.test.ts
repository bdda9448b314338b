import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { STORAGE_FULL } from '../../../../src/platform/errors.js';
import { sendLog, storedText, zipOf } from '../../../support/device-logs.js';
import { actionsOf, rowsIn } from '../../../support/fleet.js';
import { startServer, useServer } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';

const server = useServer();
const MIB = 1024 * 1024;
const AT = '2026-03-01T12:00:00Z';
const PAN = '4111111111111111';
const MASKED = '411111******1111';

let terminals = 0;
const terminal = (member = server.acme) => newTerminal(member, `LOG ${(terminals += 1)}`);

/** Sends a log of a new terminal. Resolves to the text that was stored. */
async function stored(body: string | Buffer, query = '?name=main.log'): Promise<string> {
  const { token } = await terminal();
  const { status, body: answer } = await sendLog(server, token, query, body);
  expect(status).toBe(200);
  return await storedText(server, Number(answer.id));
}

/** Status, code and message of a refusal, after which nothing is stored. */
async function refusal(body: string | Buffer, query = '?name=main.log'): Promise<string> {
  const { id, token } = await terminal();
  const { status, body: answer } = await sendLog(server, token, query, body);
  expect(await rowsIn(server, 'device_logs', `device_id = ${id}`)).toBe(0);
  return `${status} ${String(answer.code)} ${String(answer.message)}`;
}

const logsOf = async (deviceId: number) =>
  await server.place.sql(
    `select name, parts, received_parts, size, line_count, command_id from device_logs where device_id = $1 order by id`,
    [deviceId],
  );

describe('a log', () => {
  it('is stored as text, gzip, or a zip archive with one text', async () => {
    const text = 'boot\nready ação\n';
    expect(await stored(text)).toBe(text);
    expect(await stored(gzipSync(text))).toBe(text);
    expect(await stored('PK value 5\n')).toBe('PK value 5\n');
    const content = Buffer.from(text);
    expect(await stored(zipOf({ name: 'logs/main.log', content }))).toBe(text);
    expect(await stored(zipOf({ name: 'main.log', content, method: 0 }))).toBe(text);
  });

  it('says its name, time, size and lines, and the command that asked for it', async () => {
    const { id, token } = await terminal();
    const query = `?name=${encodeURIComponent('C:\\logs\\ação.log')}&at=${AT}&command=18`;
    const { body } = await sendLog(server, token, query, 'a\nb');
    expect(body).toEqual({ id: expect.stringMatching(/^\d+$/) as string });
    const expected = {
      name: 'ação.log',
      parts: 1,
      received_parts: 1,
      size: 3,
      line_count: 2,
      command_id: 18,
    };
    expect(await logsOf(id)).toEqual([expected]);
    await sendLog(server, token, '', 'c');
    expect((await logsOf(id))[1]).toMatchObject({ name: 'main.log', command_id: null });
  });

  it('is replaced when it is sent again with the same name and time', async () => {
    const { id, token } = await terminal();
    const first = await sendLog(server, token, `?name=main.log&at=${AT}`, 'first\n');
    const again = await sendLog(server, token, `?name=main.log&at=${AT}`, 'second\n');
    expect(again.body).toEqual(first.body);
    expect(await storedText(server, Number(first.body.id))).toBe('second\n');
    expect(await logsOf(id)).toHaveLength(1);
    expect(await actionsOf(server, server.acme, 'device', id)).toEqual(['create', 'send_log']);
  });

  it('arrives in parts, in any order, some of them twice', async () => {
    const { id, token } = await terminal();
    const send = (part: number, text: string) =>
      sendLog(server, token, `?name=main.log&at=${AT}&part=${part}&parts=3`, text);
    const { body } = await send(3, 'three\n');
    for (const [part, text] of [
      [1, 'one\n'],
      [1, 'one\n'],
      [2, 'two\n'],
      [3, 'three\n'],
    ] as const) {
      expect((await send(part, text)).body).toEqual(body);
    }
    expect(await storedText(server, Number(body.id))).toBe('one\ntwo\nthree\n');
    expect(await logsOf(id)).toMatchObject([{ parts: 3, received_parts: 3, size: 14, line_count: 3 }]);
    expect(await actionsOf(server, server.acme, 'device', id)).toEqual(['create', 'send_log']);
  });

  it('is read as UTF-16 with a mark, and as Windows-1252 if it is not UTF-8', async () => {
    expect(await stored(Buffer.from('\ufeffação\n', 'utf16le'))).toBe('ação\n');
    expect(await stored(Buffer.from('\ufeffação\n', 'utf16le').swap16())).toBe('ação\n');
    expect(await stored(Buffer.from('ação\n', 'latin1'))).toBe('ação\n');
    expect(await stored('\ufeffação\n')).toBe('ação\n');
  });

  it('loses control characters', async () => {
    expect(await stored('a\0b\u001b[31mred\u0085\tc\r\nd\n')).toBe('ab[31mred\tc\r\nd\n');
  });

  it.each([
    ['too many bytes', Buffer.alloc(MIB + 1, 'a'), '?name=a', '413 too_large'],
    ['a bomb in gzip', gzipSync(Buffer.alloc(300 * MIB)), '?name=a', '413 too_large'],
    ['a bomb in zip', zipOf({ name: 'a', content: Buffer.alloc(5 * MIB) }), '?name=a', '413 too_large'],
    ['damaged gzip', gzipSync('text').subarray(0, 12), '?name=a', '400 malformed The gzip is damaged'],
    [
      'a cut zip',
      zipOf({ name: 'a', content: Buffer.from('text') }).subarray(0, 50),
      '?name=a',
      '400 malformed The zip',
    ],
    ['an empty zip', zipOf(), '?name=a', '400 malformed The zip archive has 0 files'],
    ['nothing', '', '?name=a', '400 malformed The log is empty'],
    ['only control characters', gzipSync(''), '?name=a', '400 malformed The log is empty'],
    ['a name that is too long', 'a', `?name=${'a'.repeat(101)}`, '422'],
    ['a name of a folder', 'a', '?name=logs/', '422'],
    ['a name with a control character', 'a', '?name=a%0Ab', '422'],
    ['a card number as name', 'a', `?name=${PAN}`, '422'],
    ['a time that does not exist', 'a', '?at=2026-02-30T00:00:00Z', '422'],
    ['a part beyond the parts', 'a', `?part=2&at=${AT}`, '422'],
    ['parts without a time', 'a', '?part=1&parts=2', '422'],
    ['too many parts', 'a', `?parts=51&at=${AT}`, '422'],
    ['a command that is no number', 'a', '?command=x', '422'],
  ])('CM-01 is refused: %s', async (_what, body, query, expected) => {
    expect(await refusal(body, query)).toMatch(new RegExp(`^${expected}`));
  });

  it('CM-01 is refused in a zip archive with two files, an encrypted one, and one with wrong bytes', async () => {
    const content = Buffer.from('text '.repeat(20));
    const two = zipOf({ name: 'a', content }, { name: 'b', content });
    expect(await refusal(two)).toContain('has 2 files');
    const encrypted = zipOf({ name: 'a', content });
    encrypted.writeUInt16LE(1, encrypted.indexOf('PK\x01\x02', 0, 'latin1') + 8);
    expect(await refusal(encrypted)).toContain('encrypted');
    const wrong = zipOf({ name: 'a', content, method: 0 });
    wrong[40] = 1;
    expect(await refusal(wrong)).toContain('damaged');
    const far = zipOf({ name: 'a', content });
    far.writeUInt32LE(4_000_000_000, far.length - 6);
    expect(await refusal(far)).toContain('damaged');
  });

  it('is refused with a token of another kind, and for a device that is disabled', async () => {
    const { token } = await terminal();
    expect((await sendLog(server, 'x'.repeat(40), '', 'a')).status).toBe(401);
    await server.acme.client.put(`devices/${encodeURIComponent(`LOG ${terminals}`)}`, { enabled: false });
    expect((await sendLog(server, token, '', 'a')).body.code).toBe('terminal_disabled');
  });
});

describe('CM-03 a full disk', () => {
  it('is a 503, which leaves what was stored before', async () => {
    const { id, token } = await terminal();
    const query = `?name=main.log&at=${AT}`;
    const first = await sendLog(server, token, query, 'first\n');
    const stopFailing = server.app.database.watchStatements((text) => {
      if (/insert into "?device_log_chunks/.test(text)) throw STORAGE_FULL(new Error('The disk is full.'));
    });
    const refused = await sendLog(server, token, query, 'second\n');
    stopFailing();
    expect(`${refused.status} ${String(refused.body.code)}`).toBe('503 storage_full');
    expect(refused.headers['retry-after']).toBeDefined();
    expect(await storedText(server, Number(first.body.id))).toBe('first\n');
    expect(await logsOf(id)).toMatchObject([{ size: 6 }]);
  });
});

describe('CM-02 card data in a log', () => {
  it('is hidden in text, gzip, UTF-16 without a mark, and a line that is longer than a chunk', async () => {
    expect(await stored(`pan ${PAN} cvv=123\n`)).toBe(`pan ${MASKED} cvv=***\n`);
    expect(await stored(gzipSync(`x ${PAN}\n`))).toBe(`x ${MASKED}\n`);
    expect(await stored(Buffer.from(`x ${PAN}\n`, 'utf16le'))).toBe(`x ${MASKED}\n`);
    const long = `${'x'.repeat(32 * 1024 - 9)} `;
    expect(await stored(`${long}${PAN} end\n`)).toBe(`${long}${MASKED} end\n`);
  });

  it.each([[[1, 2]], [[2, 1]]])(
    'is hidden where two parts cut a line, sent in the order %s',
    async (order) => {
      const { token } = await terminal();
      const texts: Readonly<Record<number, string>> = {
        1: 'first\nsale 41111111',
        2: '11111111 done\nlast\n',
      };
      let id = 0;
      for (const part of order) {
        const query = `?name=main.log&at=${AT}&part=${part}&parts=2`;
        id = Number((await sendLog(server, token, query, texts[part] ?? '')).body.id);
      }
      expect(await storedText(server, id)).toBe(`first\nsale ${MASKED} done\nlast\n`);
    },
  );
});

describe('the body of a log', () => {
  it('ends with 408 if it arrives too slowly', async () => {
    const slow = await startServer({}, { timeouts: { bodyMs: 300 } });
    try {
      const { token } = await newTerminal(slow.acme, 'SLOW');
      const { hostname, port } = new URL(slow.url);
      const socket = connect(Number(port), hostname);
      const head = `POST /terminal/v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
      socket.write(`${head}Content-Length: 1000\r\n\r\nslow`);
      let text = '';
      for await (const piece of socket.setEncoding('utf8')) {
        text += String(piece);
        if (text.includes('too_slow')) break;
      }
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await slow.stop();
    }
  });
});
