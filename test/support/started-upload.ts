import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** Sends half of an upload of `size` bytes, after the server has asked for the body with 100 Continue. */
export async function startUpload(url: string, token: string, name: string, size = 200_000) {
  const head = `--x\r\nContent-Disposition: form-data; name="asset"; filename="${name}"\r\n\r\n`;
  const tail = '\r\n--x--\r\n';
  const bytes = Buffer.alloc(size, name);
  const sent = request(`${url}/v1/files?access_token=${token}`, {
    method: 'POST',
    agent: false,
    headers: {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': head.length + bytes.length + tail.length,
      Expect: '100-continue',
    },
  });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  responded.catch(() => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(head);
  await new Promise<void>((resolve) => sent.write(bytes.subarray(0, size / 2), () => resolve()));
  return {
    sent,
    /** Sends the rest; resolves to the response. */
    finish: async () => {
      sent.end(Buffer.concat([bytes.subarray(size / 2), Buffer.from(tail)]));
      const [response] = await responded;
      return { status: response.statusCode, body: await text(response) };
    },
  };
}
