import { describe, expect } from 'vitest';

import { readConfig } from '../../src/platform/config/config.js';
import { it } from '../support/cli-test.js';

describe('config print', () => {
  it('prints the settings in effect and no secret', async ({ bare }) => {
    const secret = 'a secret of the test 0123456789abcdef';
    const cli = bare.with({ TOKEN_SECRET: secret, LOG_LEVEL: 'warn' });
    const printed = await cli.run('config print');
    expect(printed.code).toBe(0);
    expect(printed.lines).toContain('LOG_LEVEL=warn');
    expect(printed.lines).toContain('HOST=127.0.0.1');
    expect(printed.lines).toContain('TOKEN_SECRET=[redacted]');
    expect(printed.stderr).toMatch(/^SMTP_URL is not set, so this server sends no e-mail: .*\n$/);
    const mailing = { SMTP_URL: 'smtp://smtp.example', PUBLIC_URL: 'https://gateway.example' };
    expect((await cli.with(mailing).run('config print')).stderr).toBe('');
    expect(printed.stdout + printed.stderr).not.toContain(secret);
    const settings = { LOG_LEVEL: 'warn', TOKEN_SECRET: '[redacted]' };
    expect((await cli.run('config print --json')).object()).toMatchObject(settings);
  });

  it('prints one line for each invalid setting', async ({ bare }) => {
    const wrong = { PORT: '99999', LOG_LEVEL: 'loud', TRUST_PROXY: 'true', TOKEN_SECRET: 'changeme' };
    const printed = await bare.with(wrong).run('config print');
    expect(printed.code).toBe(78);
    const names = printed.stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(names).toEqual(['PORT', 'TRUST_PROXY', 'LOG_LEVEL', 'TOKEN_SECRET']);
    expect(printed.stdout + printed.stderr).not.toContain('changeme');
  });

  it.for([
    '*',
    'https://*.shop.example',
    'null',
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example?a=1',
    'https://ana@shop.example',
    'https://shop.example:99999',
    'ftp://shop.example',
    'https://dash.example,,https://shop.example',
    'https://dash.example https://shop.example',
  ])('refuses ALLOWED_ORIGINS=%s', async (origins, { bare }) => {
    const refused = await bare.with({ ALLOWED_ORIGINS: origins }).run('config print');
    expect([refused.code, refused.stderr]).toEqual([
      78,
      expect.stringMatching(/^ALLOWED_ORIGINS: ".*" is not an origin: write https:[^\n]+\n$/),
    ]);
  });

  const refusedTimes: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ PRESENCE_STALE_AFTER: '24h' }, 'PRESENCE_STALE_AFTER: must be less than PRESENCE_OFFLINE_AFTER (24h)'],
    [
      { PRESENCE_OFFLINE_AFTER: '900s' },
      'PRESENCE_STALE_AFTER: must be less than PRESENCE_OFFLINE_AFTER (900s)',
    ],
    ...['0m', '15', 'm', '-1m', '1.5h', '15M', '1w', '9999999s'].map(
      (value) =>
        [
          { PRESENCE_OFFLINE_AFTER: value },
          'PRESENCE_OFFLINE_AFTER: must be a duration of at least 1s, for example 30s, 15m, 24h or 90d',
        ] as const,
    ),
  ];
  it.each(refusedTimes)('refuses %j', (environment, problem) => {
    expect(() => readConfig(environment)).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  it('reads when terminals are stale and offline', () => {
    const presence = { staleMs: 900_000, offlineMs: 86_400_000 };
    expect(readConfig({}).presence).toEqual(presence);
    const environment = { PRESENCE_STALE_AFTER: '30s', PRESENCE_OFFLINE_AFTER: '2d' };
    expect(readConfig(environment).presence).toEqual({ staleMs: 30_000, offlineMs: 172_800_000 });
  });

  it('accepts a list of origins, in the spelling of browsers or another', () => {
    const list = 'https://dash.example, HTTPS://Shop.example:443,http://localhost:5173,http://[::1]:3000';
    const { allowedOrigins } = readConfig({ ALLOWED_ORIGINS: list });
    expect(allowedOrigins).toEqual([
      'https://dash.example',
      'https://shop.example',
      'http://localhost:5173',
      'http://[::1]:3000',
    ]);
  });
});
