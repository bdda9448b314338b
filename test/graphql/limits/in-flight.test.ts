import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';

import { operate } from '../../../src/graphql/http/http-context.js';
import { InFlightResponses } from '../../../src/graphql/limits/in-flight.js';

const ALL_OF_A_COMPANY = 128 * 1024 * 1024;

it('a response is not counted after its client has left', async () => {
  const underWay = new InFlightResponses();
  let tell = (): void => undefined;
  const made = new Promise<void>((resolve) => (tell = resolve));
  const run = operate(async (_request, response) => {
    await once(response, 'close');
    response.send('x'.repeat(1024 * 1024));
    tell();
  }, underWay);
  const known = {
    ...{ caller: { companyId: 1 }, finish: () => undefined },
    contents: { hasPlaceholders: false, allowStreaming: () => undefined },
  };
  const app = express().use((_request, response, next) => {
    response.locals.graphql = known;
    next();
  }, run);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  await once(server, 'request');
  socket.destroy();
  await made;
  await expect.poll(() => underWay.take(1, ALL_OF_A_COMPANY) !== null).toBe(true);
  server.close();
});
