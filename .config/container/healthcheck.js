// Ends with 0 if the server in this container is ready, else with 1. It reads the settings of the server.
import { request as http } from 'node:http';
import { request as https } from 'node:https';

const TIMEOUT_MS = 4_000;
const { PORT, TLS_CERT_FILE } = process.env;
const get = TLS_CERT_FILE ? https : http;

// The certificate is for the public name, not for this address, to which only this container can connect.
const options = { host: '127.0.0.1', port: PORT || '4000', path: '/readyz', rejectUnauthorized: false };
setTimeout(() => end(1, `no response within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
get(options, (response) => {
  let body = '';
  response.setEncoding('utf8').on('data', (text) => (body += text));
  response.on('end', () => end(response.statusCode === 200 ? 0 : 1, body));
})
  .on('error', (error) => end(1, error.message))
  .end();

/** `docker inspect` shows what is printed. */
function end(code, text) {
  process.stdout.write(`${text}\n`, () => process.exit(code));
}
