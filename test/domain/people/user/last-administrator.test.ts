import { describe, expect, it } from 'vitest';

import { changed, nodeId, type UserErrorShape } from '../../../support/dashboard.js';
import { rowsIn } from '../../../support/fleet.js';
import { mutationOf } from '../../../support/mutations.js';
import { commandLineWithUser, GOOD_PASSWORD, userAdd } from '../../../support/program.js';
import { useServerPerTest, type Member } from '../../../support/server.js';

/** Each takes the role of an administrator away. */
const LOSSES = ['memberSetRole', 'memberRemove', 'userDisable'] as const;
type Loss = (typeof LOSSES)[number];

async function lose(by: Member, way: Loss, userId: number): Promise<readonly UserErrorShape[]> {
  const id = nodeId('User', userId);
  const variables = { id, userId: id, role: 'VIEWER' };
  return (await changed(by, mutationOf(way), variables)).userErrors;
}

describe('the last administrator of a company', () => {
  const server = useServerPerTest();
  const administrators = () =>
    rowsIn(
      server,
      'members',
      `company_id = ${server.acme.caller.companyId} and role = 'admin'
        and disabled_at is null and account_disabled_at is null`,
    );

  it.each(LOSSES)('cannot be lost by %s, also by themselves', async (way) => {
    const { acme } = server;
    const message =
      'admin1@acme.example is the last administrator of the company: make another member an administrator first.';
    expect(await lose(acme, way, acme.caller.userId)).toEqual([{ message, path: [], code: 'INVALID' }]);
    expect((await acme.client.get('users')).status).toBe(200);
    const other = await server.member('acme', 'admin');
    expect(await lose(other, way, acme.caller.userId)).toEqual([]);
    expect(await lose(other, way, other.caller.userId)).toMatchObject([{ code: 'INVALID' }]);
    expect(await administrators()).toBe(1);
  });

  it('is not replaced by an administrator who is disabled', async () => {
    const other = await server.member('acme', 'admin');
    const { acme } = server;
    expect(await lose(acme, 'userDisable', other.caller.userId)).toEqual([]);
    expect(await lose(acme, 'memberRemove', acme.caller.userId)).toMatchObject([{ code: 'INVALID' }]);
    expect(await lose(acme, 'memberRemove', other.caller.userId)).toEqual([]);
  });

  it.each(LOSSES)('CC-15 cannot be lost by two %s at once', async (way) => {
    const { acme } = server;
    const other = await server.member('acme', 'admin');
    const both = [acme, other];
    const losses = both.flatMap((by) => both.map((of) => ({ by, userId: of.caller.userId })));
    const outcomes = await Promise.all(
      losses.map(async ({ by, userId }) => {
        const errors = await lose(by, way, userId).catch(() => null);
        return errors?.length === 0 ? [userId] : [];
      }),
    );
    // The second of two equal requests succeeds without a change, so outcomes are counted once per user.
    expect(new Set(outcomes.flat()).size).toBe(1);
    expect(await administrators()).toBe(1);
  });
});

describe('the last administrator of a company on the command line', () => {
  it.each([
    [['member', 'set-role', '--company', 'Acme', '--role', 'viewer'], 'the company'],
    [['member', 'remove', '--company', 'Acme'], 'the company'],
    [['member', 'disable', '--company', 'Acme'], 'the company'],
    [['user', 'disable'], '"Acme"'],
  ])('cannot be lost by the command %j', async (command, company) => {
    const { cli } = await commandLineWithUser();
    const of = (email: string): string[] => [...command, '--email', email];
    const refused = await cli.run(of('ana@acme.example'));
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      `ana@acme.example is the last administrator of ${company}: make another member an administrator first.\n`,
    );
    await cli.run(userAdd({ email: 'bo@acme.example' }), GOOD_PASSWORD);
    expect((await cli.run(of('ana@acme.example'))).code).toBe(0);
    expect((await cli.run(of('bo@acme.example'))).code).toBe(1);
  });

  it('CC-15 cannot be lost by a command and a mutation at once', async () => {
    const { cli, token } = await commandLineWithUser();
    await cli.run(userAdd({ email: 'bo@acme.example' }), GOOD_PASSWORD);
    const people = (await cli.run(['user', 'list', '--json'])).list();
    const bo = nodeId('User', Number(people.find(({ email }) => email === 'bo@acme.example')?.id));
    const server = await cli.serve();
    const mutation = `mutation { memberRemove(userId: "${bo}") { removedId userErrors { message } } }`;
    const headers = { authorization: `Bearer ${token}` };
    const [command, reply] = await Promise.all([
      cli.run(['member', 'remove', '--company', 'Acme', '--email', 'ana@acme.example']),
      server.client(null).post('/graphql', { query: mutation }, { headers }),
    ]);
    const isRemoved = reply.status === 200 && reply.text.includes(bo);
    expect([command.code === 0, isRemoved].filter(Boolean)).toHaveLength(1);
    const left = (await cli.run(['member', 'list', '--company', 'Acme', '--json'])).list();
    expect(left).toHaveLength(1);
    expect(left).toMatchObject([{ role: 'admin', state: 'active' }]);
  });
});
