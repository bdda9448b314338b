import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readDocument, ROOT } from '../documents/markdown.js';
import { composeProblems, isNode, parseCompose, type Service } from './compose.js';

const FOLDER = '.config/container';
const exists = (path: string): boolean => existsSync(join(ROOT, FOLDER, path));
const NODES = readDocument(`${FOLDER}/compose.yaml`);
const SQLITE = readDocument(`${FOLDER}/compose.sqlite.yaml`);

/** The text with one mistake; fails if what is to be replaced is not there. */
function mistake(text: string, from: string | RegExp, to: string): string {
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return changed;
}

describe.each([
  ['compose.yaml', NODES],
  ['compose.sqlite.yaml', SQLITE],
])('%s', (_name, text) => {
  it('has no problem', () => {
    expect(composeProblems(text, exists)).toEqual([]);
  });

  it('starts the image that build.sh builds for this version', () => {
    const { version } = JSON.parse(readDocument('package.json')) as { version: string };
    const images = Object.values(parseCompose(text).services).filter(isNode);
    expect(new Set(images.map(({ image }) => image))).toEqual(
      new Set([`\${IMAGE:-localhost/terminal-gateway:${version}}`]),
    );
    expect(readDocument(`${FOLDER}/build.sh`)).toContain('${1:-localhost/terminal-gateway:$version}');
  });

  it.each<[string, string | RegExp, string, string]>([
    ['a writable root', 'read_only: true', 'read_only: false', 'read_only must be true'],
    ['capabilities', 'cap_drop: [ALL]', 'cap_drop: [NET_RAW]', 'cap_drop must be ["ALL"]'],
    ['more capabilities', 'init: true', 'init: true\n    cap_add: [SYS_ADMIN]', 'cap_add gives more rights'],
    ['all rights', 'init: true', 'init: true\n    privileged: true', 'privileged gives more rights'],
    ['new privileges', 'no-new-privileges:true', 'no-new-privileges:false', 'security_opt must be'],
    ['no restart', 'restart: unless-stopped', "restart: 'no'", 'restart must be "unless-stopped"'],
    ['no limit of memory', /\n +mem_limit: 1g/, '', 'mem_limit is missing'],
    [
      'no health check',
      /\n +healthcheck:(?:\n +(?:test|interval|timeout|start_period|retries): .*)+/,
      '',
      'healthcheck is missing',
    ],
    ['a short stop', 'stop_grace_period: 35s', 'stop_grace_period: 10s', 'stop_grace_period must be 35s'],
    ['a tag that moves', /terminal-gateway:0[.\d]+/, 'terminal-gateway:latest', 'has no tag of a version'],
    ['a variable that is no setting', 'TOKEN_SECRET_FILE:', 'TOKENS_FILE:', 'TOKENS_FILE is no setting'],
    [
      'a secret in plain text',
      /TOKEN_SECRET_FILE: .*/,
      'TOKEN_SECRET: 0123',
      'TOKEN_SECRET is a secret in plain text',
    ],
    ['a secret that is not there', /\n  token-secret:\n/, '\n  other:\n', 'there is no secret token-secret'],
    [
      'a secret elsewhere',
      './secrets/token-secret',
      './token-secret',
      'secret token-secret is no file in ./secrets/',
    ],
  ])('with %s has a problem', (_what, from, to, problem) => {
    // In compose.yaml the first two levels are those of the anchors.
    const indented = text === NODES ? to.replace('\n    ', '\n  ') : to;
    expect(composeProblems(mistake(text, from, indented), exists).join('\n')).toContain(problem);
  });
});

describe('compose.yaml', () => {
  it.each<[string, string | RegExp, string, string]>([
    [
      'a password in a URL',
      'terminal_gateway@',
      'terminal_gateway:secret@',
      'node1: DATABASE_URL has a password',
    ],
    [
      'a password in plain text',
      /POSTGRES_PASSWORD_FILE: .*/,
      'POSTGRES_PASSWORD: a',
      'postgres: POSTGRES_PASSWORD is a secret',
    ],
    ['no password', /\n +DATABASE_PASSWORD_FILE: .*/, '', 'node1: DATABASE_PASSWORD_FILE is missing'],
    [
      'nodes that do not wait',
      'condition: service_healthy',
      'condition: service_started',
      'node1: does not wait for postgres',
    ],
    ['root in another image', "user: '101:101'", 'user: root', 'proxy: user must be numbers'],
    ['a file that is not there', './nginx.conf', './caddy.conf', 'proxy: ./caddy.conf does not exist'],
    [
      'a file that can be written',
      'nginx.conf:ro',
      'nginx.conf',
      'proxy: ./nginx.conf is not mounted read-only',
    ],
    ['a volume that is not there', 'database:/var', 'data:/var', 'postgres: there is no volume data'],
  ])('with %s has a problem', (_what, from, to, problem) => {
    expect(composeProblems(mistake(NODES, from, to), exists).join('\n')).toContain(problem);
  });

  it('has the addresses of the nodes that nginx.conf has, and nodes that trust the proxy alone', () => {
    const services = Object.values(parseCompose(NODES).services);
    const addressOf = ({ networks }: Service): string =>
      (networks as { front: { ipv4_address: string } }).front.ipv4_address;
    const [nodes, others] = [services.filter(isNode), services.filter((service) => !isNode(service))];
    const proxy = others.find(({ image }) => image?.includes('nginx')) ?? {};
    const servers = readDocument(`${FOLDER}/nginx.conf`).matchAll(/^ +server ([\d.]+):4000 /gm);
    expect(Array.from(servers, ([, address]) => address)).toEqual(nodes.map(addressOf));
    expect(nodes).toHaveLength(2);
    for (const node of nodes) expect(node.environment?.TRUST_PROXY).toBe(addressOf(proxy));
  });
});
